/** Who sees a job that is about a record: who sees the record, and who started it. What came out of it is for who sees the property too. */
import { mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { seenPlaces } from '#tools/query/service.ts'

import { findJob, type JobRow, type JobViewer, type ShownJob } from './jobs.store.ts'

type AboutRecord = Pick<ShownJob, 'startedBy' | 'entityId' | 'eiRecordId' | 'entityPropertyId'>

/** Where a job is about a record: the record, and the property. */
function placesOf({ entityId, eiRecordId, entityPropertyId }: AboutRecord) {
  if (entityId === null || eiRecordId === null) return undefined
  const record = { entityId, eiRecordId, entityPropertyId: null }
  return { record, property: { ...record, entityPropertyId } }
}

/** Those of the jobs that the caller sees, and whether they see what came out of them. */
export async function onlySeen<Row extends AboutRecord>(context: TxContext, rows: readonly Row[]): Promise<(Row & { isTold: boolean })[]> {
  const about = rows.map((row) => ({ row, places: placesOf(row) }))
  const seen = await seenPlaces(
    context,
    about.flatMap(({ places }) => (places ? [places.record, places.property] : [])),
  )
  return about.flatMap(({ row, places }) => {
    const isOwn = row.startedBy !== null && row.startedBy === context.actor.tenantUserId
    if (places && !isOwn && !seen.has(places.record)) return []
    return [{ ...row, isTold: !places || seen.has(places.property) }]
  })
}

/** What a job brought; undefined where the caller does not see that. */
export async function resultSeen(context: TxContext, jobId: number): Promise<Readonly<Record<string, unknown>> | undefined> {
  const row = await findJob(context.tx, context.tenantId, jobId, context.actor)
  const [seen] = row ? await onlySeen(context, [row]) : []
  return seen?.isTold ? (seen.result ?? undefined) : undefined
}

export type SeenJob = JobRow & { readonly isTold: boolean }

/** The job, where the caller sees it. Throws 404, as for one that is not there. */
export async function mustFindJob(context: TxContext, jobId: number, viewer: JobViewer = context.actor, find = findJob): Promise<SeenJob> {
  const row = mustExist(await find(context.tx, context.tenantId, jobId, viewer), 'job')
  const [seen] = await onlySeen(context, [row])
  return mustExist(seen, 'job')
}
