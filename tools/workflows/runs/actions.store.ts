/** SQL of action runs: the runs of installs of packs. */
import { countPage, fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Found, PageRequest, Total } from '#platform/paging.ts'

import type { ActionState, ActionTotals } from './actions.types.ts'
import { runColumns } from './runs.store.ts'
import type { RunRow } from './runs.types.ts'

export interface ActionFilter {
  readonly installId: number | null
  readonly pack: string | null
  readonly states: readonly ActionState[] | null
  readonly eiRecordId: number | null
}

/** The word that an action run's state has. */
const stateOf = (tx: Tx) => tx`
  case when state = 'completed' then case when had_failures then 'partly' else 'succeeded' end
    when is_paused and finished_date is null then 'paused' else state end`

const isWanted = (tx: Tx, tenantId: number, filter: ActionFilter) => tx`
  tenant_id = ${tenantId} and pack is not null
  and (${filter.installId}::int is null or workflow_id = ${filter.installId}::int)
  and (${filter.pack}::text is null or pack = ${filter.pack}::text)
  and (${filter.eiRecordId}::bigint is null or ei_record_id = ${filter.eiRecordId}::bigint)
  and (${filter.states ? tx.array([...filter.states]) : null}::text[] is null
    or ${stateOf(tx)} = any (${filter.states ? tx.array([...filter.states]) : null}::text[]))`

/** The newest first. `before` is the last id of the page before. */
export async function listActionRuns(
  tx: Tx,
  tenantId: number,
  page: PageRequest,
  filter: ActionFilter & { readonly before: number | null },
): Promise<Found<RunRow>> {
  return fetchPage<RunRow>(
    tx,
    page,
    tx`
      select ${runColumns(tx)} from platform.workflow_run
      where ${isWanted(tx, tenantId, filter)} and (${filter.before}::bigint is null or run_id < ${filter.before})
      order by run_id desc`,
  )
}

export async function countActionRuns(tx: Tx, tenantId: number, page: PageRequest, filter: ActionFilter): Promise<Total> {
  return countPage(tx, page, tx`from platform.workflow_run where ${isWanted(tx, tenantId, filter)}`)
}

export interface SummaryOf {
  readonly from: string
  readonly to: string
  /** The length of one span of time. */
  readonly spanSeconds: number
  readonly installId: number | null
  readonly pack: string | null
  /** As many of the newest are looked at. */
  readonly most: number
}

/** Of all, of each install, and of each span: `installId` and `at` say which. */
export async function summarizeActionRuns(tx: Tx, tenantId: number, of: SummaryOf): Promise<ActionTotals[]> {
  return tx<ActionTotals[]>`
    with looked as materialized (
      select workflow_id, pack, ${stateOf(tx)} as state, extract(epoch from finished_date - created_date) * 1000 as ms,
        to_timestamp(floor(extract(epoch from created_date) / ${of.spanSeconds}::int) * ${of.spanSeconds}::int) as at
      from platform.workflow_run
      where tenant_id = ${tenantId} and pack is not null and created_date >= ${of.from}::timestamptz and created_date < ${of.to}::timestamptz
        and (${of.installId}::int is null or workflow_id = ${of.installId}::int)
        and (${of.pack}::text is null or pack = ${of.pack}::text)
      order by created_date desc limit ${of.most}
    )
    select workflow_id as install_id, pack, at, count(*)::int as runs,
      count(*) filter (where state = 'succeeded')::int as succeeded, count(*) filter (where state = 'partly')::int as partly,
      count(*) filter (where state = 'failed')::int as failed, count(*) filter (where state = 'cancelled')::int as cancelled,
      count(*) filter (where state in ('queued', 'running', 'waiting', 'paused'))::int as under_way,
      round(percentile_cont(0.5) within group (order by ms))::float8 as p50, round(percentile_cont(0.95) within group (order by ms))::float8 as p95
    from looked
    group by grouping sets ((), (workflow_id, pack), (at))
    order by grouping(workflow_id) desc, grouping(at) desc, at, runs desc
    limit 1000`
}
