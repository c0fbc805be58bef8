/** Where the results of a recognition may go. */
import type { Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'

import type { AnalysisSettings, TargetKind } from './intelligence.schema.ts'

/** What a target of this kind may be, for people. Where the attachments are a list, a list takes each kind: an element a file. */
export function takenBy(kind: TargetKind, isListOfFiles = false): string {
  const many = isListOfFiles ? ', one or many' : ''
  switch (kind) {
    case 'text':
      return `a Text property${many}`
    case 'labels':
      return 'a Text property, one or many, or a Choice property that holds many'
    case 'topLabel':
      return `a Text or Choice property${many}`
    case 'score':
      return `a Number property${many}`
  }
}

/** Whether results of this kind can be written there. */
export function holdsTarget(kind: TargetKind, { dataType, isList }: CatalogProperty): boolean {
  switch (kind) {
    case 'text':
      return dataType === 'Text'
    case 'labels':
      return dataType === 'Text' || (dataType === 'Choice' && isList)
    case 'topLabel':
      return dataType === 'Text' || dataType === 'Choice'
    case 'score':
      return dataType === 'Number'
  }
}

/** Of one file there is one text, one likeliest label and one score, so that a list is no place for them. */
function fits(kind: TargetKind, property: CatalogProperty, isListOfFiles: boolean): boolean {
  return holdsTarget(kind, property) && (isListOfFiles || kind === 'labels' || !property.isList)
}

/** The property of the entity that an id (its own or the property's) or a name means. */
export function propertyOf(entity: CatalogEntity, idOrName: number | string): CatalogProperty | undefined {
  const text = String(idOrName).toLowerCase()
  return /^\d+$/.test(text)
    ? entity.properties.find((property) => property.entityPropertyId === Number(text) || property.propertyId === Number(text))
    : entity.properties.find((property) => property.internalName.toLowerCase() === text)
}

export interface TargetWishes {
  /** Whether the attachment property holds many files. */
  readonly isListOfFiles: boolean
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
    const candidates = entity.properties
      .filter((candidate) => fits(kind, candidate, wishes.isListOfFiles))
      .map((candidate) => candidate.internalName)
    const suggestion = property ? undefined : nearest(String(wish), candidates)
    issues.push(finding(`$.targets.${kind}`, message ?? '', { suggestion }))
  }
  return targets
}

function targetProblem(
  kind: TargetKind,
  wish: number | string,
  property: CatalogProperty | undefined,
  { ocr, classify, isListOfFiles }: TargetWishes,
  taken: ReadonlyMap<number, TargetKind>,
): string | undefined {
  if (!property) return `The entity has no property ${quoted(wish)}. ${kind} goes into ${takenBy(kind, isListOfFiles)}.`
  const name = property.internalName
  if (!fits(kind, property, isListOfFiles))
    return `${kind} goes into ${takenBy(kind, isListOfFiles)}; ${name} is ${property.isList ? 'a list of ' : ''}${property.dataType}.`
  if (property.keyPart !== null) return `${name} is part of the record's key, which recognition does not change.`
  if (kind === 'text' && !ocr) return 'There is text only where ocr is true.'
  if (kind !== 'text' && !classify) return `There is a ${kind} only where classify is true.`
  const other = taken.get(property.entityPropertyId)
  return other === undefined ? undefined : `${name} is the target of ${other} already.`
}
