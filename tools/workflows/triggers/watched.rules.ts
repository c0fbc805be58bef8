/** What a trigger watches for: kinds of events, and of records their entity, properties and filter. */
import { mayHoldTokens } from '#platform/tokens/template.ts'
import { referencesOfFilter } from '#tools/definitions/service.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import type { NewWatcher } from '#tools/events/events.types.ts'

import { isObject, listIn, type Said, valueAt } from '../definition/definition.types.ts'
import { entityOf } from '../definition/slots.rules.ts'
import { findTriggerType } from '../trigger-types.rules.ts'

type Watch = Pick<NewWatcher, 'eventKinds' | 'entityId' | 'propertyIds' | 'filter' | 'filterRefs'>

const changes = ['record.created', 'record.updated', 'record.restored'] as const

const ofRun: Readonly<Record<string, readonly string[]>> = {
  workflow: ['workflow.completed', 'workflow.failed'],
  step: ['workflow.stepCompleted'],
  actionPack: ['action.completed', 'action.failed'],
  job: ['job.completed'],
  import: ['job.completed'],
  sync: ['sync.completed'],
}

/** The entity whose records a trigger is about. */
export function entityOfTrigger(catalog: Catalog, { triggerType, config }: Said): CatalogEntity | undefined {
  const field = findTriggerType(triggerType)?.ofEntity
  return field === undefined ? undefined : entityOf(catalog, valueAt(config, field))
}

/** Whether a filter asks of records alone, so that it can be asked of all of them at once, and before anything of the event is read. */
export function asksRecordsAlone(filter: unknown): boolean {
  const text = JSON.stringify(filter ?? null)
  return !text.includes('"$') && !mayHoldTokens(text)
}

function idsOf(entity: CatalogEntity, names: unknown): number[] | null {
  const wanted = (typeof names === 'string' ? [names] : listIn(names)).map((name) => String(name).toLowerCase())
  const ids = entity.properties.flatMap((one) => (wanted.includes(one.internalName.toLowerCase()) ? [one.propertyId] : []))
  return wanted.length === 0 ? null : ids
}

function filterOf(catalog: Catalog, entity: CatalogEntity, filter: unknown): Pick<Watch, 'filter' | 'filterRefs'> {
  if (filter === undefined || filter === null || !asksRecordsAlone(filter)) return { filter: null, filterRefs: null }
  const group = Array.isArray(filter) ? { rules: filter } : filter
  const references = referencesOfFilter(catalog, entity, group, ['filter'])
  return { filter: JSON.stringify({ filter: group }), filterRefs: JSON.stringify(references) }
}

const anything = { entityId: null, propertyIds: null, filter: null, filterRefs: null } as const

/** Undefined where no event fires it, or what it is about is gone. */
export function watchOf(catalog: Catalog, said: Said): Watch | undefined {
  const config = isObject(said['config']) ? said['config'] : {}
  const entity = entityOfTrigger(catalog, said)
  const ofRecords = (eventKinds: readonly string[], properties: unknown): Watch | undefined =>
    entity && {
      eventKinds,
      entityId: entity.entityId,
      propertyIds: idsOf(entity, properties),
      ...filterOf(catalog, entity, said['filter']),
    }
  switch (said['triggerType']) {
    case 'recordCreated':
      return ofRecords(['record.created', 'record.restored'], [])
    case 'recordUpdated':
      return ofRecords(['record.updated'], config['properties'])
    case 'recordDeleted':
      return ofRecords(['record.deleted'], [])
    case 'formSubmitted':
      return { ...anything, eventKinds: ['form.submitted'] }
    case 'attachmentSaved':
      // Of an analysis the version is not known: its filter is asked of the record as it stands.
      if (config['when'] === 'analysed') return entity && { ...anything, entityId: entity.entityId, eventKinds: ['asset.analyzed'] }
      return ofRecords(['record.created', 'record.updated'], config['property'])
    case 'schedule':
      // Whose date changes is asked when it comes due, not now.
      return entity && { ...anything, entityId: entity.entityId, eventKinds: changes, propertyIds: idsOf(entity, config['property']) }
    case 'messageReceived':
      return { ...anything, eventKinds: ['message.received'] }
    case 'runCompleted': {
      const eventKinds = ofRun[String(config['of'])]
      return eventKinds && { ...anything, eventKinds }
    }
    default:
      return undefined
  }
}
