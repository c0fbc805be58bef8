/** SQL of the audit log. It is read in the order of its primary key. */
import { countPage, fetchPage, type Sql } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Found, PageRequest, Total } from '#platform/paging.ts'

import type { AuditRow } from './audit.rules.ts'
import type { AuditFilter } from './audit.schema.ts'

/** Of the event that a page begins behind: microseconds since the epoch, and its id. */
export type AuditPlace = readonly [place: number, auditEventId: number]

const columns = (tx: Tx) => tx`
  e.audit_event_id, e.at, e.tenant_user_id, coalesce(u.display_name, e.actor_name) as display_name, e.credential_id as credential, e.operation, e.outcome,
  e.ip as address, e.facts, e.code, e.transport, e.request_id, (extract(epoch from e.at) * 1000000)::bigint as place`

const micros = (tx: Tx, place: number) => tx`(timestamptz 'epoch' + ${place}::float8 * interval '1 microsecond')`

const wanted = (tx: Tx, tenantId: number, filter: AuditFilter): Sql => tx`
  platform.audit_event e left join platform.tenant_user u on u.tenant_id = e.tenant_id and u.tenant_user_id = e.tenant_user_id
  where e.tenant_id = ${tenantId}
    ${filter.from === undefined ? tx`` : tx`and e.at >= ${filter.from}::text::timestamptz`}
    ${filter.to === undefined ? tx`` : tx`and e.at <= ${filter.to}::text::timestamptz`}
    ${filter.tenantUserId === undefined ? tx`` : tx`and e.tenant_user_id = ${filter.tenantUserId}`}
    ${filter.operation === undefined ? tx`` : tx`and e.operation = ${filter.operation}`}
    ${filter.outcome === undefined ? tx`` : tx`and e.outcome = ${filter.outcome}`}`

/** The newest first. */
export async function listAuditRows(
  tx: Tx,
  tenantId: number,
  filter: AuditFilter,
  page: PageRequest,
  after: AuditPlace | undefined,
): Promise<Found<AuditRow>> {
  const behind = after === undefined ? tx`` : tx`and (e.at, e.audit_event_id) < (${micros(tx, after[0])}, ${after[1]}::bigint)`
  return fetchPage<AuditRow>(
    tx,
    page,
    tx`select ${columns(tx)} from ${wanted(tx, tenantId, filter)} ${behind} order by e.at desc, e.audit_event_id desc`,
  )
}

export async function countAuditRows(tx: Tx, tenantId: number, filter: AuditFilter, page: PageRequest): Promise<Total> {
  return countPage(tx, page, tx`from ${wanted(tx, tenantId, filter)}`)
}

export async function countAuditRowsTo(tx: Tx, tenantId: number, filter: AuditFilter, limit: number): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from (select from ${wanted(tx, tenantId, filter)} limit ${limit}) counted`
  return row?.count ?? 0
}

const rowsAtOnce = 500

/** Batches of events as they are shown in a file, the oldest first. */
export async function* readAuditRows(tx: Tx, tenantId: number, filter: AuditFilter): AsyncGenerator<readonly AuditRow[]> {
  for (let after: AuditPlace | undefined; ;) {
    const ahead = after === undefined ? tx`` : tx`and (e.at, e.audit_event_id) > (${micros(tx, after[0])}, ${after[1]}::bigint)`
    const rows = await tx<AuditRow[]>`
      select ${columns(tx)} from ${wanted(tx, tenantId, filter)} ${ahead} order by e.at, e.audit_event_id limit ${rowsAtOnce}`
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsAtOnce) return
    after = [last.place, last.auditEventId]
  }
}
