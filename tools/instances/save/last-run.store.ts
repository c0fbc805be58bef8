/** Which run of a workflow was the last about a record: no change of it, and no version. */
import type { Tx } from '#platform/db/pool.ts'
import { inRecords, recordTable } from '#platform/db/records.ts'

export interface LastRun {
  readonly eiRecordId: number
  readonly runId: number
}

/** In the order of their ids, as whoever saves them takes them. */
export async function setLastRuns(tx: Tx, tenantId: number, entityId: number, runs: readonly LastRun[]): Promise<void> {
  if (runs.length === 0) return
  const table = recordTable(tenantId, entityId)
  await inRecords(tx, tenantId, () =>
    tx.unsafe(
      `with given as (
         select "eiRecordId" as id, max("runId") as run_id from json_to_recordset($1::text::json) as r("eiRecordId" bigint, "runId" bigint) group by 1
       ), held as (
         select e.id from ${table} e where e.id in (select id from given) order by e.id for no key update
       )
       update ${table} e set workflow_instance_id = given.run_id from given, held where e.id = given.id and e.id = held.id`,
      [JSON.stringify(runs)],
    ),
  )
}
