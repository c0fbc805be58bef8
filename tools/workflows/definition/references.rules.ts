/** What a workflow uses, by place: ids beside names, so that a rename breaks nothing and a deletion is told. */
import type { IdOrName } from '#platform/names.ts'
import {
  findTokenReferences,
  type FlatRecords,
  type Reference,
  referencesOfField,
  referencesOfFilter,
  referencesOfPathRules,
} from '#tools/definitions/service.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'

import { findTriggerType } from '../trigger-types.rules.ts'
import { isObject, listIn, type Place, type Said, valueAt, type WorkflowBody } from './definition.types.ts'
import { recordsOf } from './records.rules.ts'
import { entityOf, isSlot } from './slots.rules.ts'
import { allNamings, allSteps, type Naming, namingsOfStep, namingsOfTrigger, type PlacedStep } from './walking.rules.ts'

export const definitionUses = ['form', 'report', 'view', 'workflow', 'messageTemplate'] as const
export type DefinitionUse = (typeof definitionUses)[number]

/** Definitions of each kind by id and by name in lower case. */
export interface NamedDefinition {
  readonly definitionId: number
  readonly internalName: string
  readonly entityId: number | null
  readonly isShared: boolean
}
export type NamedDefinitions = Readonly<Record<DefinitionUse, ReadonlyMap<string, NamedDefinition>>>

export function isDefinitionUse(use: unknown): use is DefinitionUse {
  return definitionUses.some((one) => one === use)
}

/** The entity that a field of a config names; the workflow's own where the field has no name. */
export function entityAt(catalog: Catalog, own: CatalogEntity | undefined, { config }: Pick<Naming, 'config'>, field: string) {
  return field === '' ? own : entityOf(catalog, valueAt(config, field))
}

/** Where there is none, checking tells of it. */
function relationOf(one: CatalogEntity | undefined, other: CatalogEntity): Reference[] {
  const isRelated =
    one !== undefined &&
    (one.peers.includes(other.entityId) || [...one.parents, ...one.children].some(({ entityId }) => entityId === other.entityId))
  return isRelated ? [{ entityId: one.entityId, otherEntityId: other.entityId }] : []
}

function ofAssignee(catalog: Catalog, own: CatalogEntity | undefined, said: unknown, at: Place): Reference[] {
  if (!isObject(said)) return []
  const { people, property, parent, peer } = said
  const references: Reference[] = []
  const bridged = isObject(people) ? entityOf(catalog, people['entity']) : undefined
  if (bridged && isObject(people)) {
    references.push({ at: [...at, 'people', 'entity'], entityId: bridged.entityId })
    references.push(...referencesOfFilter(catalog, bridged, people['filter'], [...at, 'people', 'filter']))
  }
  if (own && property !== undefined) references.push(...referencesOfField(catalog, own, { property }, at).references)
  for (const [key, slot] of [
    ['parent', parent],
    ['peer', peer],
  ] as const) {
    const other = entityOf(catalog, slot)
    if (!other) continue
    references.push({ at: [...at, key], entityId: other.entityId })
    references.push(...relationOf(own, other))
  }
  return references
}

/** Whose records a trigger's filter is about. */
function homeOf(catalog: Catalog, own: CatalogEntity | undefined, { triggerType, config }: Said): CatalogEntity | undefined {
  const field = findTriggerType(triggerType)?.ofEntity
  return (field === undefined ? undefined : entityOf(catalog, valueAt(config, field))) ?? own
}

function ofNaming(catalog: Catalog, own: CatalogEntity | undefined, named: NamedDefinitions, one: Naming): Reference[] {
  const { use, value, at } = one
  if (isDefinitionUse(use)) {
    const found = isSlot(value) ? named[use].get(String(value).toLowerCase()) : undefined
    return found ? [{ at, definitionId: found.definitionId }] : []
  }
  if (use === 'entity') {
    const entity = entityOf(catalog, value)
    return entity ? [{ at, entityId: entity.entityId }] : []
  }
  if (use === 'assignee' || use === 'recipient') return ofAssignee(catalog, own, value, at)
  if (typeof use === 'string') return []
  if ('childOf' in use) {
    const child = entityOf(catalog, value)
    const parent = entityAt(catalog, own, one, use.childOf)
    if (!child) return []
    return [{ at, entityId: child.entityId }, ...relationOf(parent, child)]
  }
  if ('filterOf' in use) {
    const entity = entityAt(catalog, own, one, use.filterOf)
    return entity ? referencesOfFilter(catalog, entity, value, at) : []
  }
  if ('propertyOf' in use) {
    const entity = entityAt(catalog, own, one, use.propertyOf)
    if (!entity) return []
    const single = (property: unknown, place: Place): Reference[] => {
      const { property: found } = referencesOfField(catalog, entity, { property }, place)
      return found ? [{ at: place, entityId: entity.entityId, propertyId: found.propertyId }] : []
    }
    return Array.isArray(value) ? value.flatMap((name: unknown, index) => single(name, [...at, index])) : single(value, at)
  }
  const entity = entityAt(catalog, own, one, use.valuesOf)
  if (!entity || !isObject(value)) return []
  return Object.keys(value).flatMap((key): Reference[] => {
    const { property } = referencesOfField(catalog, entity, { property: key }, at)
    return property ? [{ at: [...at, key], isKey: true, entityId: entity.entityId, propertyId: property.propertyId }] : []
  })
}

/** The conditions of a step: on the run's record, and by paths on what the run holds. */
function* conditionsOf({ said, at }: PlacedStep): Generator<{ readonly filter: unknown; readonly at: Place }> {
  yield { filter: said['when'], at: [...at, 'when'] }
  for (const [index, branch] of listIn(said['branches']).entries())
    if (isObject(branch)) yield { filter: branch['when'], at: [...at, 'branches', index, 'when'] }
}

/** All of a step that may hold tokens, without the steps in it, which stand for themselves. */
export function withoutInner({ said, type, config }: Pick<PlacedStep, 'said' | 'type' | 'config'>): Said {
  if (type?.kind !== 'loop' && type?.kind !== 'lanes') return said
  const { steps: _steps, lanes: _lanes, ...own } = config
  return { ...said, config: own }
}

/** Everything that a definition names; yields wherever others may have their turn. */
export function* referencesOfWorkflow(catalog: Catalog, named: NamedDefinitions, body: WorkflowBody): Generator<void, Reference[]> {
  const own = entityOf(catalog, body.entity)
  const records = recordsOf(catalog, body)
  const references: Reference[] = own ? [{ at: ['entity'], entityId: own.entityId }] : []
  const add = (more: readonly Reference[]) => {
    for (const one of more) references.push(one)
  }
  const condition = (filter: unknown, at: Place, home: CatalogEntity | undefined, flat: FlatRecords) => {
    if (home) add(referencesOfFilter(catalog, home, filter, at))
    add(referencesOfPathRules(filter, at, flat))
  }
  for (const step of allSteps(body)) {
    const flat = records.at(step.list)
    for (const one of namingsOfStep(step)) add(ofNaming(catalog, own, named, one))
    for (const { filter, at } of conditionsOf(step)) condition(filter, at, own, flat)
    const { trigger } = step.config
    // What a step waits for has a filter of its own, as a trigger has.
    if (step.type?.names['trigger'] === 'trigger' && isObject(trigger))
      condition(trigger['filter'], [...step.at, 'config', 'trigger', 'filter'], homeOf(catalog, own, trigger), records.of(trigger))
    yield
    add(yield* findTokenReferences(catalog, withoutInner(step), step.at, flat))
  }
  for (const [index, trigger] of body.triggers.entries()) {
    for (const one of namingsOfTrigger(trigger, ['triggers', index])) add(ofNaming(catalog, own, named, one))
    const flat = records.of(trigger)
    condition(trigger['filter'], ['triggers', index, 'filter'], homeOf(catalog, own, trigger), flat)
    add(yield* findTokenReferences(catalog, trigger, ['triggers', index], flat))
    yield
  }
  const { steps: _steps, triggers: _triggers, ...head } = body
  add(yield* findTokenReferences(catalog, head, [], records.at({ loops: [] })))
  return references
}

/** What a definition names of each kind, to be looked up. */
export function slotsOf(body: Pick<WorkflowBody, 'steps' | 'triggers'>): Readonly<Record<DefinitionUse, readonly IdOrName[]>> {
  const slots: Record<DefinitionUse, IdOrName[]> = { form: [], report: [], view: [], workflow: [], messageTemplate: [] }
  for (const { use, value } of allNamings(body)) if (isDefinitionUse(use) && isSlot(value)) slots[use].push(value)
  return slots
}
