/** Which triggers fire: those of a published version, or of an install, from then on until they are halted. */
import type { TxContext } from '#platform/operation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { watchInParts } from '#tools/events/service.ts'

import { valueAt } from '../definition/definition.types.ts'
import { replaceClocks } from './clocks.store.ts'
import { endTimes, keepTimes } from './times.ts'
import { haltTriggerRows, replaceTriggers } from './triggers.store.ts'
import { type LiveFlow, partOf, triggerWatcherKind } from './triggers.types.ts'
import { entityOfTrigger, watchOf } from './watched.rules.ts'

/** Makes the triggers of a definition those of this version. Inside `changeDefinitions`: saves learn by the catalog what is watched for. */
export async function keepTriggers(context: TxContext, flow: LiveFlow): Promise<void> {
  const { tx, tenantId, stamp } = context
  const { definitionId, version, actsAs, roleFlag, triggers } = flow
  const catalog = await cachedCatalog(context)
  const rows = triggers.map((body) => ({
    triggerId: Number(body['triggerId']),
    triggerType: String(body['triggerType']),
    entityId: entityOfTrigger(catalog, body)?.entityId ?? null,
    isEnabled: body['isEnabled'] !== false,
    body,
  }))
  await replaceTriggers(tx, tenantId, { definitionId, version, actsAs, roleFlag, at: stamp }, rows)
  const watchers = rows.flatMap(({ triggerId, isEnabled, body }) => {
    const watch = isEnabled ? watchOf(catalog, body) : undefined
    return watch ? [{ part: partOf(triggerId), ...watch, ownerId: actsAs, roleFlag }] : []
  })
  await watchInParts(context, { definitionId, watcherKind: triggerWatcherKind }, watchers)
  const enabled = rows.filter(({ isEnabled }) => isEnabled)
  await keepTimes(context, flow, enabled)
  const dated = enabled.filter(
    ({ triggerType, entityId, body }) =>
      triggerType === 'schedule' && (entityId !== null || valueAt(body['config'], 'people') !== undefined),
  )
  await replaceClocks(
    tx,
    tenantId,
    definitionId,
    dated.map(({ triggerId }) => triggerId),
    stamp,
  )
}

/** They fire no more, and what they matched and did not start is dropped. Inside `changeDefinitions`. */
export async function haltTriggers(context: TxContext, definitionId: number): Promise<void> {
  const { tx, tenantId, stamp } = context
  await haltTriggerRows(tx, tenantId, definitionId)
  await replaceClocks(tx, tenantId, definitionId, [], stamp)
  await endTimes(context, definitionId)
  await watchInParts(context, { definitionId, watcherKind: triggerWatcherKind }, [])
}
