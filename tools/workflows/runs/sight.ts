/** Who sees a run: who sees its record, and whoever is asked in it. What went through it is for who sees all of that. */
import { mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { hasAccessRules, seenPlaces, seesEverything } from '#tools/query/service.ts'

import { findRun } from './runs.store.ts'
import type { FlowVersion, RunRow } from './runs.types.ts'
import { isObject, stepsIn } from './steps.rules.ts'
import { findAskedIn } from './steps.store.ts'
import { findFlowVersion } from './versions.ts'

/** Steps that may bring in what lies beyond the run's own record. */
const reaching = new Set([
  'getRecord',
  'runReport',
  'callOperation',
  'forEach',
  'callHttp',
  'runWorkflow',
  'ask',
  'waitForEvent',
  'recognise',
])

type Subject = Pick<RunRow, 'runId' | 'entityId' | 'eiRecordId'>

/** Those of the runs that the caller sees. */
export async function onlySeenRuns<Row extends Subject>(context: TxContext, rows: readonly Row[]): Promise<readonly Row[]> {
  if (rows.length === 0) return rows
  const { tx, tenantId, actor } = context
  const places = new Map(
    rows.flatMap((row) =>
      row.entityId === null || row.eiRecordId === null
        ? []
        : [[row.runId, { entityId: row.entityId, eiRecordId: row.eiRecordId, entityPropertyId: null }] as const],
    ),
  )
  const seen = await seenPlaces(context, [...places.values()])
  const mayView = (actor.roleFlag & roleBits.DataView) !== 0
  const hidden = rows.filter(({ runId }) => {
    const place = places.get(runId)
    return !mayView || (place !== undefined && !seen.has(place))
  })
  const ids = hidden.map(({ runId }) => runId)
  const asked = new Set(ids.length > 0 ? await findAskedIn(tx, tenantId, ids, actor) : [])
  const isHidden = new Set(ids.filter((runId) => !asked.has(runId)))
  return rows.filter(({ runId }) => !isHidden.has(runId))
}

/** The run, where the caller sees it. Throws 404, as for one that is not there. */
export async function mustSeeRun(context: TxContext, runId: number, find = findRun): Promise<RunRow> {
  const row = mustExist(await find(context.tx, context.tenantId, runId), 'workflow instance')
  const [seen] = await onlySeenRuns(context, [row])
  return mustExist(seen, 'workflow instance')
}

/** Whether the caller sees every property that may have gone into the run. */
export async function isTold(
  context: TxContext,
  run: Subject & Pick<RunRow, 'workflowId' | 'version' | 'trigger'>,
  known?: FlowVersion,
): Promise<boolean> {
  if (!(await hasAccessRules(context)) || (await seesEverything(context))) return true
  const version = known ?? (await findFlowVersion(context, run.workflowId, run.version))
  if (!version || [...stepsIn(version.steps)].some(({ stepType }) => reaching.has(stepType))) return false
  const { entityId, eiRecordId } = run
  // Of records that it is not about, what triggered it may hold something.
  if (entityId === null || eiRecordId === null) return !namesRecords(run.trigger)
  const entity = (await cachedCatalog(context)).byIdOrName.get(String(entityId))
  const places = (entity?.properties ?? []).map(({ entityPropertyId }) => ({ entityId, eiRecordId, entityPropertyId }))
  const seen = await seenPlaces(context, places)
  return places.every((place) => seen.has(place))
}

const namesRecords = (trigger: unknown) => isObject(trigger) && ['eiRecordId', 'eiRecordIds'].some((name) => Object.hasOwn(trigger, name))

/** The names of properties whose values no log shows. */
export async function sensitiveNames(context: TxContext): Promise<ReadonlySet<string>> {
  const { entities } = await cachedCatalog(context)
  return new Set(entities.flatMap(({ properties }) => properties.flatMap((one) => (one.isSensitive ? [one.internalName] : []))))
}
