/** What goes into the targets of an analysis: of one file, or of a list of files together, in the order of the list. */
import type { FoundLabel } from '#platform/shapes/recognition.ts'
import { quoted } from '#platform/suggest.ts'
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'

import { holdsTarget, takenBy } from './intelligence.rules.ts'
import { type AnalysisSettings, type TargetKind, targetKinds } from './intelligence.schema.ts'

const textMax = 32_768
/** Of all the texts in a list target together. */
export const listTextMax = 262_144
/** As many values as a list property takes. */
const elementsMax = 1_000
const betweenFiles = '\n\n'

/** What one file of the record brings; null where it was not read yet, or brings nothing. */
export interface FilePart {
  readonly assetKey: string
  readonly text: string | null
  readonly labels: readonly FoundLabel[] | null
}

export interface Composed {
  /** By internalName; a target to which no file brings anything is absent. */
  readonly values: Readonly<Record<string, unknown>>
  /** Targets that `assetKey` brings nothing to, and why. */
  readonly skipped: readonly { readonly property: string; readonly reason: string }[]
}

interface Part extends FilePart {
  /** Without what no text property takes. */
  readonly plainText: string
  readonly names: readonly string[]
}

/** What of a target's value comes from which files. */
interface Joined {
  readonly value: unknown
  readonly from: ReadonlySet<string>
}

/**
 * What the files put into the record's targets. `isList` says that the property holds many files, which changes what a list target gets: an element a
 * file instead of one a label. `assetKey` is the file whose run ends now.
 */
export function composeTargets(
  entity: CatalogEntity,
  targets: AnalysisSettings['targets'],
  files: { readonly isList: boolean; readonly parts: readonly FilePart[]; readonly assetKey?: string | undefined },
): Composed {
  const values: Record<string, unknown> = {}
  const skipped: { property: string; reason: string }[] = []
  const parts = files.parts.map(toPart)
  const mine = parts.find((part) => part.assetKey === files.assetKey)
  for (const kind of targetKinds) {
    const property = entity.properties.find((candidate) => candidate.entityPropertyId === targets[kind])
    // Detached, or changed to something else, since the analysis was set up.
    if (!property) continue
    const name = property.internalName
    if (!holdsTarget(kind, property)) {
      skipped.push({ property: name, reason: `It is no longer ${takenBy(kind)}.` })
      continue
    }
    const { value, from } = join(kind, property, parts, files.isList)
    if (value !== undefined) values[name] = value
    if (mine && !from.has(mine.assetKey)) skipped.push({ property: name, reason: whyNothing(kind, property, mine) })
  }
  return { values, skipped }
}

function toPart(part: FilePart): Part {
  const plainText = (part.text ?? '').replaceAll('\u0000', '').toWellFormed().trim()
  return { ...part, plainText, names: (part.labels ?? []).map(({ label }) => label) }
}

function whyNothing(kind: TargetKind, property: CatalogProperty, { plainText, labels }: Part): string {
  if (kind === 'text') return plainText === '' ? 'No text was found.' : 'The texts of the files before it leave no room in it.'
  const [top] = labels ?? []
  if (!top) return 'No label was found.'
  return property.dataType === 'Choice'
    ? `It has no option for ${quoted(top.label)}.`
    : 'The labels of the files before it leave no room in it.'
}

function join(kind: TargetKind, property: CatalogProperty, parts: readonly Part[], isListOfFiles: boolean): Joined {
  const labelled = parts.filter(({ names }) => names.length > 0)
  switch (kind) {
    case 'text':
      return property.isList
        ? elements(property, parts, ({ plainText }) => plainText)
        : joined(
            property,
            parts.filter(({ plainText }) => plainText !== ''),
            ({ plainText }) => plainText,
          )
    case 'labels':
      if (property.dataType === 'Choice') return chosen(property, labelled, ({ names }) => names)
      if (!property.isList) return words(property, labelled, ({ names }) => names)
      // Of one file a list tells its labels apart; of several, its files.
      if (!isListOfFiles) return { value: labelled[0]?.names.map((name) => cut(name, property)), from: keysOf(labelled) }
      return elements(property, labelled, ({ names }) => names.join(', '))
    case 'topLabel':
      if (property.dataType === 'Choice') return property.isList ? chosen(property, labelled, firstOf) : likeliest(property, labelled)
      return property.isList ? elements(property, labelled, ({ names }) => names[0] ?? '') : words(property, labelled, firstOf)
    case 'score':
      return scores(property, labelled)
  }
}

const firstOf = ({ names }: Part) => names.slice(0, 1)
const keysOf = (parts: readonly Part[]) => new Set(parts.map(({ assetKey }) => assetKey))
const nothing: Joined = { value: undefined, from: new Set() }

/** One text of all, a blank line between; what there is no room for is left out from the end. */
function joined(property: CatalogProperty, parts: readonly Part[], of: (part: Part) => string): Joined {
  const max = lengthOf(property)
  const from = new Set<string>()
  let text = ''
  for (const part of parts) {
    const start = text === '' ? 0 : text.length + betweenFiles.length
    if (start >= max) break
    text += (text === '' ? '' : betweenFiles) + of(part)
    from.add(part.assetKey)
  }
  return text === '' ? nothing : { value: cut(text, property), from }
}

/** One element a file. */
function elements(property: CatalogProperty, parts: readonly Part[], of: (part: Part) => string): Joined {
  const from = new Set<string>()
  const list: string[] = []
  let characters = 0
  for (const part of parts) {
    const element = cut(of(part), property)
    if (element === '') continue
    characters += element.length
    if (list.length >= elementsMax || characters > listTextMax) break
    list.push(element)
    from.add(part.assetKey)
  }
  return list.length === 0 ? nothing : { value: list, from }
}

/** The words of all files, each once, as many whole ones as there is room for. */
function words(property: CatalogProperty, parts: readonly Part[], of: (part: Part) => readonly string[]): Joined {
  const from = new Set<string>()
  const said = new Set<string>()
  let text = ''
  for (const part of parts) {
    for (const word of of(part)) {
      if (!said.has(word)) {
        if (text !== '' && text.length + 2 + word.length > lengthOf(property)) return { value: text, from }
        text = text === '' ? cut(word, property) : `${text}, ${word}`
        said.add(word)
      }
      from.add(part.assetKey)
    }
  }
  return text === '' ? nothing : { value: text, from }
}

/** The options that the files' labels are called like, each once. */
function chosen(property: CatalogProperty, parts: readonly Part[], of: (part: Part) => readonly string[]): Joined {
  const from = new Set<string>()
  const options = new Set<string>()
  for (const part of parts)
    for (const name of of(part)) {
      const option = optionFor(property, name)
      if (option === undefined) continue
      options.add(option)
      from.add(part.assetKey)
    }
  return options.size === 0 ? nothing : { value: [...options], from }
}

/** One option for all files: of the label with the highest score that there is one for. */
function likeliest(property: CatalogProperty, parts: readonly Part[]): Joined {
  const candidates = parts.flatMap(({ assetKey, labels }) => {
    const option = labels?.[0] && optionFor(property, labels[0].label)
    return option === undefined ? [] : [{ assetKey, option, score: labels?.[0]?.score ?? 0 }]
  })
  const [best] = candidates.toSorted((a, b) => b.score - a.score)
  // What another file has outdone was found all the same.
  return best ? { value: best.option, from: new Set(candidates.map(({ assetKey }) => assetKey)) } : nothing
}

/** The score of each file's likeliest label, or the highest of them where the target holds one. */
function scores(property: CatalogProperty, parts: readonly Part[]): Joined {
  const digits = Math.min(property.maxDecimalPlaces ?? 4, 4)
  const found = parts.slice(0, elementsMax).map(({ labels }) => Number((labels?.[0]?.score ?? 0).toFixed(digits)))
  if (found.length === 0) return nothing
  return { value: property.isList ? found : Math.max(...found), from: keysOf(parts.slice(0, elementsMax)) }
}

function lengthOf(property: CatalogProperty): number {
  return Math.min(property.maxValueOrLength ?? textMax, textMax)
}

function cut(text: string, property: CatalogProperty): string {
  const plain = text.toWellFormed()
  const max = lengthOf(property)
  return plain.length > max
    ? plain
        .slice(0, max)
        .replace(/[\uD800-\uDBFF]$/, '')
        .trimEnd()
    : plain
}

const plainName = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** The option that is called like the label, however it is spelt. */
function optionFor(property: CatalogProperty, label: string): string | undefined {
  const { options, optionFilter } = property
  return options.find(
    (option) => plainName(option.internalName) === plainName(label) && (optionFilter === null || optionFilter.has(option.optionId)),
  )?.internalName
}
