/** What a property may be: pure decisions about definitions, displays and rules. */
import { quoted, withArticle } from '#platform/suggest.ts'
import { finding, type Finding, unknownName } from '#platform/validation.ts'

import { findPatternProblem, type NewDisplay, readDisplays, type References } from './displays.rules.ts'
import { type NewOption, readOptionFilters, readOptions } from './options.rules.ts'
import { type DataType, dataTypeOf, dataTypes, maxTextLength, type PortableProperty } from './properties.schema.ts'

export interface PropertyRules {
  readonly maxDecimalPlaces: number | null
  readonly maxValueOrLength: number | null
  readonly minValueOrLength: number | null
  readonly regEx: string | null
  readonly allowedFileTypes: readonly string[]
  readonly isSensitive: boolean
  readonly isIdentityEmail: boolean
  readonly isIdentityPhone: boolean
  readonly isTenantUserRole: boolean
  readonly categoryId: number | null
  readonly verticalId: number | null
}

export interface NewProperty extends PropertyRules {
  readonly internalName: string
  readonly dataTypeId: number
  readonly displays: readonly NewDisplay[]
  readonly options: readonly NewOption[]
  readonly optionFilters: readonly { readonly internalName: string; readonly options: readonly string[] }[]
  readonly globalSourceId: number | null
}

const numeric: ReadonlySet<DataType> = new Set(['Number', 'Currency'])
const files: ReadonlySet<DataType> = new Set(['Attachment', 'Signature', 'Binary'])

/** What is wrong with the rules of a property of this type. */
export function findRuleProblems(dataType: DataType, rules: PropertyRules, references: References, path: string): Finding[] {
  const findings: Finding[] = []
  const only = (field: string, kinds: string) =>
    findings.push(finding(`${path}.${field}`, `Only ${kinds} takes ${field}; the property is ${withArticle(dataType)}.`))
  if (rules.regEx !== null) {
    if (dataType === 'Text') findings.push(...findPatternProblem(rules.regEx, `${path}.regEx`))
    else only('regEx', 'Text')
  }
  findings.push(...findBoundProblems(dataType, rules, path))
  if (rules.maxDecimalPlaces !== null && !numeric.has(dataType)) only('maxDecimalPlaces', 'Number or Currency')
  if (rules.allowedFileTypes.length > 0 && !files.has(dataType)) only('allowedFileTypes', 'Attachment, Signature or Binary')
  rules.allowedFileTypes.forEach((fileType, index) => {
    if (/^[a-z0-9]{1,10}$/.test(fileType)) return
    const bare = fileType.replace(/^\.+/, '')
    const suggestion = /^[a-z0-9]{1,10}$/.test(bare) ? bare : undefined
    findings.push(
      finding(
        `${path}.allowedFileTypes[${index}]`,
        `${quoted(fileType)} is no extension. Send letters and digits without a dot, such as jpg.`,
        { suggestion },
      ),
    )
  })
  if (rules.isIdentityEmail && dataType !== 'Text') only('isIdentityEmail', 'Text')
  if (rules.isIdentityPhone && dataType !== 'Text') only('isIdentityPhone', 'Text')
  if (rules.isIdentityEmail && rules.isIdentityPhone)
    findings.push(finding(`${path}.isIdentityPhone`, 'A property is the identity e-mail or the identity phone, not both.'))
  return [...findings, ...findReferenceProblems(rules, references, path)]
}

function findBoundProblems(dataType: DataType, rules: PropertyRules, path: string): Finding[] {
  const findings: Finding[] = []
  for (const field of ['minValueOrLength', 'maxValueOrLength'] as const) {
    const bound = rules[field]
    if (bound === null) continue
    if (dataType === 'Text') {
      if (!Number.isInteger(bound) || bound < 0 || bound > maxTextLength)
        findings.push(finding(`${path}.${field}`, `A length of Text is a whole number from 0 to ${maxTextLength}, got ${bound}.`))
    } else if (!numeric.has(dataType)) {
      findings.push(finding(`${path}.${field}`, `Only Number, Currency or Text takes ${field}; the property is ${withArticle(dataType)}.`))
    }
  }
  const { minValueOrLength: least, maxValueOrLength: most } = rules
  if (least !== null && most !== null && least > most)
    findings.push(
      finding(`${path}.minValueOrLength`, `minValueOrLength ${least} is above maxValueOrLength ${most}, so no value would pass.`),
    )
  return findings
}

/** Unknown categories and verticals; shared with entities. */
export function findReferenceProblems(
  given: { categoryId: number | null; verticalId: number | null },
  references: References,
  path: string,
): Finding[] {
  const findings: Finding[] = []
  if (given.categoryId !== null && !references.categories.some((known) => known.categoryId === given.categoryId)) {
    findings.push(finding(`${path}.categoryId`, `There is no category ${given.categoryId}. list_categories shows them.`))
  }
  if (given.verticalId !== null && !references.verticals.some((known) => known.verticalId === given.verticalId)) {
    findings.push(finding(`${path}.verticalId`, `There is no vertical ${given.verticalId}. list_verticals shows them.`))
  }
  return findings
}

interface GivenPlace {
  readonly categoryId?: number | null | undefined
  readonly verticalId?: number | null | undefined
  readonly category?: string | null | undefined
  readonly vertical?: string | null | undefined
}

/** Category and vertical by id or by name; shared with entities. */
export function readPlace(
  given: GivenPlace,
  references: References,
  path: string,
): { categoryId: number | null; verticalId: number | null; findings: Finding[] } {
  const findings: Finding[] = []
  const pick = <T extends { readonly internalName: string }>(
    known: readonly T[],
    noun: 'category' | 'vertical',
    idOf: (one: T) => number,
  ) => {
    const id = given[`${noun}Id`] ?? null
    const name = given[noun] ?? null
    if (name === null) return id
    const found = known.find((one) => one.internalName.toLowerCase() === name.toLowerCase())
    const lister = noun === 'category' ? 'list_categories' : 'list_verticals'
    if (!found) {
      findings.push(
        unknownName(
          `${path}.${noun}`,
          noun,
          name,
          known.map((one) => one.internalName),
          lister,
        ),
      )
      return null
    }
    if (id !== null && id !== idOf(found))
      findings.push(finding(`${path}.${noun}Id`, `${quoted(name)} is ${noun} ${idOf(found)}. Send one of the two.`))
    return idOf(found)
  }
  const categoryId = pick(references.categories, 'category', (one) => one.categoryId)
  const verticalId = pick(references.verticals, 'vertical', (one) => one.verticalId)
  return { categoryId, verticalId, findings: [...findings, ...findReferenceProblems({ categoryId, verticalId }, references, path)] }
}

function readDataType(given: PortableProperty, path: string): DataType | Finding {
  const named = given.dataType === 'Date' ? 'DateTime' : given.dataType
  const numbered = given.dataTypeId === undefined ? undefined : dataTypeOf(given.dataTypeId)
  if (named === undefined && numbered === undefined) return finding(`${path}.dataType`, `Required. Allowed: ${dataTypes.join(', ')}.`)
  if (named !== undefined && numbered !== undefined && named !== numbered) {
    return finding(`${path}.dataTypeId`, `${named} has the id ${dataTypes.indexOf(named) + 1}. Send dataType or dataTypeId.`)
  }
  // One of the two is there: the first check has answered where neither is.
  return (named ?? numbered) as DataType
}

/** The shortcut's own domain knows none yet, so every id is unknown. */
export function findShortcutProblem(storageShortcutId: number | null | undefined, path: string): Finding[] {
  return typeof storageShortcutId === 'number'
    ? [finding(`${path}.storageShortcutId`, `There is no storage shortcut ${storageShortcutId}.`)]
    : []
}

/** The patterns that reading a definition compiles. */
export function patternsOf({ regEx, displays = [] }: Pick<PortableProperty, 'regEx' | 'displays'>): string[] {
  return [regEx, ...displays.map((display) => display.regEx)].filter((pattern) => typeof pattern === 'string')
}

/** Reads the definition of a new property. With an error among the findings there is nothing to save. */
export function readProperty(
  given: PortableProperty,
  references: References,
  path: string,
): { property: NewProperty | undefined; findings: Finding[] } {
  const dataType = readDataType(given, path)
  if (typeof dataType !== 'string') return { property: undefined, findings: [dataType] }
  const { displays, findings } = readDisplays(given.displays ?? [], references, `${path}.displays`)
  const place = readPlace(given, references, path)
  const rules: PropertyRules = {
    regEx: given.regEx ?? null,
    minValueOrLength: given.minValueOrLength ?? null,
    maxValueOrLength: given.maxValueOrLength ?? null,
    maxDecimalPlaces: given.maxDecimalPlaces ?? null,
    allowedFileTypes: (given.allowedFileTypes ?? []).map((fileType) => fileType.toLowerCase()),
    isSensitive: given.isSensitive ?? false,
    isIdentityEmail: given.isIdentityEmail ?? false,
    isIdentityPhone: given.isIdentityPhone ?? false,
    isTenantUserRole: given.isTenantUserRole ?? false,
    categoryId: place.categoryId,
    verticalId: place.verticalId,
  }
  // The place has told its own mistakes; the rules are held against a place that is right.
  findings.push(...place.findings, ...findRuleProblems(dataType, { ...rules, categoryId: null, verticalId: null }, references, path))
  findings.push(...findShortcutProblem(given.storageShortcutId, path))
  const options = readOptions(given.propertyOptions, dataType, references, `${path}.propertyOptions`)
  const filters = readOptionFilters(given.optionFilters ?? [], options.options, `${path}.optionFilters`)
  findings.push(...options.findings, ...filters.findings)
  const { internalName } = given
  return {
    property: {
      ...rules,
      internalName,
      dataTypeId: dataTypes.indexOf(dataType) + 1,
      displays,
      options: options.options,
      optionFilters: filters.optionFilters,
      globalSourceId: null,
    },
    findings,
  }
}

/** A definition after a change: what is undefined stays, null clears. */
export function afterChange<T extends object>(before: T, changes: { readonly [K in keyof T]?: T[K] | undefined }): T {
  const named = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  return { ...before, ...named }
}

/** The finding for a name that another definition of its kind has. */
export function nameTaken(path: string, noun: string, name: string): Finding {
  return finding(`${path}.internalName`, `There is ${withArticle(noun)} ${quoted(name)} already. Choose another name.`, {
    code: 'already_exists',
  })
}
