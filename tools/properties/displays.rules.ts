/** Displays: names and descriptions in one language each, shared by everything that people see. */
import { findPatternFault, maxPatternSize } from '#platform/patterns.ts'
import { nearestLanguage, quoted } from '#platform/suggest.ts'
import { finding, type Finding } from '#platform/validation.ts'

/** What definitions refer to beside each other. */
export interface References {
  readonly languages: readonly { readonly languageRegionId: number; readonly languageCode: string }[]
  /** The tenant's default language. */
  readonly usualLanguageId: number
  /** The product's and the tenant's. */
  readonly categories: readonly { readonly categoryId: number; readonly internalName: string }[]
  readonly verticals: readonly { readonly verticalId: number; readonly internalName: string }[]
}

export interface NewDisplay {
  readonly languageRegionId: number
  readonly name: string
  readonly description: string
  readonly regEx: string | null
  readonly isTranslationLocked: boolean
}

/** The display that is shown: in the language requested, else in the tenant's, else the internalName alone. */
export function shownIn(
  displays: readonly { readonly languageRegionId: number; readonly name: string; readonly description: string }[],
  languages: { readonly requested: number; readonly usual: number },
  internalName: string,
): { readonly name: string; readonly description: string } {
  const inLanguage = (id: number) => displays.find((display) => display.languageRegionId === id)
  const display = inLanguage(languages.requested) ?? inLanguage(languages.usual)
  return { name: display?.name ?? internalName, description: display?.description ?? '' }
}

interface GivenDisplay {
  readonly languageRegionId?: number | undefined
  readonly languageCode?: string | undefined
  readonly name: string
  readonly description?: string | undefined
  readonly regEx?: string | null | undefined
  readonly isTranslationLocked?: boolean | undefined
}

/** The id of the language that a display or a call names; the tenant's default where it names none. A finding where there is no such language. */
export function readLanguage(
  given: { languageRegionId?: number | undefined; languageCode?: string | undefined },
  references: References,
  path: string,
): number | Finding {
  const { languages } = references
  if (given.languageCode === undefined && given.languageRegionId === undefined) return references.usualLanguageId
  if (given.languageCode !== undefined) {
    const wanted = given.languageCode.toLowerCase()
    const known = languages.find((language) => language.languageCode.toLowerCase() === wanted)
    if (!known) {
      const codes = languages.map((language) => language.languageCode)
      return finding(`${path}.languageCode`, `There is no language ${quoted(given.languageCode)}. list_languages shows them.`, {
        suggestion: nearestLanguage(given.languageCode, codes),
      })
    }
    if (given.languageRegionId !== undefined && given.languageRegionId !== known.languageRegionId) {
      return finding(
        `${path}.languageRegionId`,
        `${quoted(given.languageCode)} is language ${known.languageRegionId}. Send one of the two.`,
      )
    }
    return known.languageRegionId
  }
  const known = languages.find((language) => language.languageRegionId === given.languageRegionId)
  return known
    ? known.languageRegionId
    : finding(`${path}.languageRegionId`, `There is no language ${given.languageRegionId}. list_languages shows them.`)
}

/** Reads the displays of a definition: one for each language. */
export function readDisplays(
  given: readonly GivenDisplay[],
  references: References,
  path: string,
): { displays: NewDisplay[]; findings: Finding[] } {
  const displays: NewDisplay[] = []
  const findings: Finding[] = []
  given.forEach((one, index) => {
    const at = `${path}[${index}]`
    const language = readLanguage(one, references, at)
    if (typeof language !== 'number') return void findings.push(language)
    if (displays.some((earlier) => earlier.languageRegionId === language))
      return void findings.push(finding(at, 'An earlier display has the same language. Send one for each language.'))
    if (typeof one.regEx === 'string') findings.push(...findPatternProblem(one.regEx, `${at}.regEx`))
    const { name, description = '', regEx = null, isTranslationLocked = false } = one
    displays.push({ languageRegionId: language, name, description, regEx, isTranslationLocked })
  })
  return { displays, findings }
}

/** A pattern is RE2: linear in the text, whatever a tenant writes, and in the size of what it compiles to. */
export function findPatternProblem(pattern: string, path: string): Finding[] {
  switch (findPatternFault(pattern)) {
    case undefined:
      return []
    case 'tooLarge':
      return [
        finding(
          path,
          `The pattern compiles to more than ${maxPatternSize} steps, mostly by its repetitions. Use shorter ones; minValueOrLength and maxValueOrLength limit the length.`,
        ),
      ]
    case 'foreign':
      return [finding(path, 'The pattern has look-around or a back-reference, which RE2 does not know. Write it without.')]
    case 'broken':
      return [finding(path, `${quoted(pattern)} is no pattern in RE2 syntax. Check brackets and escapes.`)]
  }
}
