/** Where the results of a recognition may go, and what of them is written there. */
import type { Issue } from '#platform/errors.ts'
import type { Findings } from '#platform/shapes/recognition.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.schema.ts'

import type { AnalysisSettings, TargetKind } from './intelligence.schema.ts'

const textMax = 32_768

/** What a target of this kind may be, for people. */
const takes: Readonly<Record<TargetKind, string>> = {
  text: 'a Text property',
  labels: 'a Text property, one or many, or a Choice property that holds many',
  topLabel: 'a Text or Choice property',
  score: 'a Number property',
}

function fits(kind: TargetKind, { dataType, isList }: CatalogProperty): boolean {
  switch (kind) {
    case 'text':
      return dataType === 'Text' && !isList
    case 'labels':
      return dataType === 'Text' || (dataType === 'Choice' && isList)
    case 'topLabel':
      return (dataType === 'Text' || dataType === 'Choice') && !isList
    case 'score':
      return dataType === 'Number' && !isList
  }
}

/** The property of the entity that an id (its own or the property's) or a name means. */
export function propertyOf(entity: CatalogEntity, idOrName: number | string): CatalogProperty | undefined {
  const text = String(idOrName).toLowerCase()
  return /^\d+$/.test(text)
    ? entity.properties.find((property) => property.entityPropertyId === Number(text) || property.propertyId === Number(text))
    : entity.properties.find((property) => property.internalName.toLowerCase() === text)
}

export interface TargetWishes {
  readonly ocr: boolean
  readonly classify: boolean
  readonly targets: Readonly<Partial<Record<TargetKind, number | string | undefined>>>
}

/** Resolves the targets of an attachment property's analysis; what is wrong with them goes into `issues`. */
export function resolveTargets(entity: CatalogEntity, wishes: TargetWishes, issues: Issue[]): AnalysisSettings['targets'] {
  const targets: AnalysisSettings['targets'] = {}
  const taken = new Map<number, TargetKind>()
  for (const kind of ['text', 'labels', 'topLabel', 'score'] as const) {
    const wish = wishes.targets[kind]
    if (wish === undefined) continue
    const property = propertyOf(entity, wish)
    const message = targetProblem(kind, wish, property, wishes, taken)
    if (property && message === undefined) {
      taken.set(property.entityPropertyId, kind)
      targets[kind] = property.entityPropertyId
      continue
    }
    const candidates = entity.properties.filter((candidate) => fits(kind, candidate)).map((candidate) => candidate.internalName)
    const suggestion = property ? undefined : nearest(String(wish), candidates)
    issues.push({
      path: `$.targets.${kind}`,
      severity: 'error',
      message: message ?? '',
      ...(suggestion === undefined ? {} : { suggestion }),
    })
  }
  return targets
}

function targetProblem(
  kind: TargetKind,
  wish: number | string,
  property: CatalogProperty | undefined,
  { ocr, classify }: TargetWishes,
  taken: ReadonlyMap<number, TargetKind>,
): string | undefined {
  if (!property) return `The entity has no property ${quoted(wish)}. ${kind} goes into ${takes[kind]}.`
  const name = property.internalName
  if (!fits(kind, property))
    return `${kind} goes into ${takes[kind]}; ${name} is ${property.isList ? 'a list of ' : ''}${property.dataType}.`
  if (property.keyPart !== null) return `${name} is part of the record's key, which recognition does not change.`
  if (kind === 'text' && !ocr) return 'There is text only where ocr is true.'
  if (kind !== 'text' && !classify) return `There is a ${kind} only where classify is true.`
  const other = taken.get(property.entityPropertyId)
  return other === undefined ? undefined : `${name} is the target of ${other} already.`
}

export interface WrittenValues {
  /** By internalName. */
  readonly values: Readonly<Record<string, unknown>>
  readonly skipped: readonly { readonly property: string; readonly reason: string }[]
}

/** What the findings put into the record. Where nothing was found there is nothing to write: an empty result clears no value. */
export function valuesToWrite(
  entity: CatalogEntity,
  targets: AnalysisSettings['targets'],
  findings: Pick<Findings, 'ocr' | 'labels'>,
): WrittenValues {
  const values: Record<string, unknown> = {}
  const skipped: { property: string; reason: string }[] = []
  for (const kind of ['text', 'labels', 'topLabel', 'score'] as const) {
    const property = entity.properties.find((candidate) => candidate.entityPropertyId === targets[kind])
    // Detached, or changed to something else, since the analysis was set up.
    if (!property) continue
    if (!fits(kind, property)) {
      skipped.push({ property: property.internalName, reason: `It is no longer ${takes[kind]}.` })
      continue
    }
    const value = valueFor(kind, property, findings)
    if (value === undefined) skipped.push({ property: property.internalName, reason: whyNothing(kind, findings) })
    else values[property.internalName] = value
  }
  return { values, skipped }
}

function whyNothing(kind: TargetKind, { labels }: Pick<Findings, 'labels'>): string {
  if (kind === 'text') return 'No text was found.'
  return labels?.[0] ? `It has no option for ${quoted(labels[0].label)}.` : 'No label was found.'
}

function valueFor(kind: TargetKind, property: CatalogProperty, { ocr, labels = [] }: Pick<Findings, 'ocr' | 'labels'>): unknown {
  const [top] = labels
  switch (kind) {
    case 'text': {
      const text = cut((ocr?.text ?? '').replaceAll('\u0000', '').trim(), property)
      return text === '' ? undefined : text
    }
    case 'labels': {
      if (!top) return undefined
      if (property.dataType === 'Choice') {
        const options = labels.flatMap(({ label }) => optionFor(property, label) ?? [])
        return options.length === 0 ? undefined : [...new Set(options)]
      }
      if (property.isList) return labels.map(({ label }) => cut(label, property))
      return joinWhole(
        labels.map(({ label }) => label),
        property,
      )
    }
    case 'topLabel':
      if (!top) return undefined
      return property.dataType === 'Choice' ? optionFor(property, top.label) : cut(top.label, property)
    case 'score':
      return top ? Number(top.score.toFixed(Math.min(property.maxDecimalPlaces ?? 4, 4))) : undefined
  }
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

/** As many whole labels as there is room for. */
function joinWhole(labels: readonly string[], property: CatalogProperty): string {
  let text = cut(labels[0] ?? '', property)
  for (const label of labels.slice(1)) {
    if (text.length + 2 + label.length > lengthOf(property)) break
    text += `, ${label}`
  }
  return text
}

const plainName = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** The option that is called like the label, however it is spelt. */
function optionFor(property: CatalogProperty, label: string): string | undefined {
  const { options, optionFilter } = property
  return options.find(
    (option) => plainName(option.internalName) === plainName(label) && (optionFilter === null || optionFilter.has(option.optionId)),
  )?.internalName
}
