/** Changes of records, told to the log: one row for all that a transaction changed the same way, whoever watches or does not. */
import { tellChanges } from '#platform/event-log.ts'
import type { RecordEventKind } from '#platform/shapes/event-kinds.ts'
import { eachInTurns, inTurns } from '#platform/turns.ts'
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'

import type { ChangeKind, Listener, RecordChange } from './events.types.ts'
import { hasChanged } from './changed.rules.ts'

const eventKinds: Readonly<Record<ChangeKind, RecordEventKind>> = {
  added: 'record.created',
  modified: 'record.updated',
  deleted: 'record.deleted',
  restored: 'record.restored',
}

/** Whether somebody may want to hear of one of these changes; their filters are asked later. */
async function isWatched(entity: CatalogEntity, kind: RecordEventKind, changes: readonly RecordChange[]): Promise<boolean> {
  const watched = entity.watched?.get(kind)
  if (watched === undefined || watched === 'anything' || kind !== 'record.updated') return watched !== undefined
  const properties = entity.properties.filter(({ propertyId }) => watched.has(propertyId))
  // Where nobody read what the record held, whoever carries the event on reads it.
  return inTurns(hasAnyChanged(changes, properties))
}

function* hasAnyChanged(changes: readonly RecordChange[], properties: readonly CatalogProperty[]): Generator<void, boolean> {
  for (const { before, after } of changes) {
    if (!before || !after || properties.some((one) => hasChanged(before, after, one))) return true
    yield
  }
  return false
}

export const recordEvents: Listener = {
  compares: () => false,
  async hear(context, { entity }, changes) {
    if (context.origin.isSilent) return undefined
    const ofKind = new Map<RecordEventKind, { changes: RecordChange[]; ids: number[]; versions: number[] }>()
    await eachInTurns(changes, (change) => {
      const kind = eventKinds[change.kind]
      const group = ofKind.get(kind) ?? { changes: [], ids: [], versions: [] }
      group.changes.push(change)
      group.ids.push(change.id)
      group.versions.push(change.version)
      ofKind.set(kind, group)
    })
    const groups = [...ofKind].map(async ([kind, { ids, versions, changes: some }]) => {
      return { kind, ids, versions, isWatched: await isWatched(entity, kind, some) }
    })
    tellChanges(context, entity.entityId, await Promise.all(groups))
    return undefined
  },
}
