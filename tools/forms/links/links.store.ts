/** The SQL of signed links. */
import { countPage, fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Actor } from '#platform/operation.ts'
import type { Found, PageRequest, Total } from '#platform/paging.ts'

import type { LinkState } from './links.schema.ts'

export interface LinkRow {
  readonly linkId: number
  readonly salt: string
  /** Null: it is to a task without a form. */
  readonly formId: number | null
  /** Of a task: the step that waits. */
  readonly runId: number | null
  readonly stepNo: number | null
  readonly eiRecordId: number | null
  readonly toUserId: number | null
  readonly toAddress: string | null
  readonly madeBy: number
  readonly makerKind: Actor['kind']
  readonly makerCredential: string
  readonly makerRoleFlag: number
  readonly uploads: readonly string[]
  readonly messageId: number | null
  readonly createdDate: string
  readonly expiresAt: string
  readonly revokedDate: string | null
  readonly usedDate: string | null
  readonly submissionKey: string | null
  readonly resultRecordId: number | null
  /** Of a task that nobody waits for any more. */
  readonly isSettled: boolean
}

const isSettled = (tx: Tx) => tx`
  (l.run_id is not null and not exists (
    select from platform.workflow_step_run s join platform.workflow_run r on r.tenant_id = s.tenant_id and r.run_id = s.run_id and r.finished_date is null
    where s.tenant_id = l.tenant_id and s.run_id = l.run_id and s.step_no = l.step_no and s.is_waiting))`

const columns = (tx: Tx) => tx`
  l.link_id, l.salt, l.form_id, l.run_id, l.step_no, l.ei_record_id, l.to_user_id, l.to_address, l.made_by, l.maker_kind, l.maker_credential, l.maker_role_flag, l.uploads::text[] as uploads,
  l.message_id, l.created_date, l.expires_at, l.revoked_date, l.used_date, l.submission_key, l.result_record_id,
  ${isSettled(tx)} as is_settled`

export type NewLink = Pick<
  LinkRow,
  | 'salt'
  | 'formId'
  | 'runId'
  | 'stepNo'
  | 'eiRecordId'
  | 'toUserId'
  | 'toAddress'
  | 'madeBy'
  | 'makerKind'
  | 'makerCredential'
  | 'makerRoleFlag'
  | 'expiresAt'
>

export async function insertLink(tx: Tx, tenantId: number, stamp: string, link: NewLink): Promise<number> {
  const [row] = await tx<{ linkId: number }[]>`
    insert into platform.signed_link (tenant_id, salt, form_id, run_id, step_no, ei_record_id, to_user_id, to_address, made_by, maker_kind, maker_credential,
      maker_role_flag, created_date, expires_at)
    values (${tenantId}, ${link.salt}, ${link.formId}, ${link.runId}, ${link.stepNo}, ${link.eiRecordId}, ${link.toUserId}, ${link.toAddress}, ${link.madeBy}, ${link.makerKind},
      ${link.makerCredential}, ${link.makerRoleFlag}, ${stamp}, ${link.expiresAt})
    returning link_id`
  if (!row) throw new Error('An insert answered no row')
  return row.linkId
}

export async function noteMessage(tx: Tx, tenantId: number, linkId: number, messageId: number): Promise<void> {
  await tx`update platform.signed_link set message_id = ${messageId} where tenant_id = ${tenantId} and link_id = ${linkId}`
}

export async function findLink(tx: Tx, tenantId: number, linkId: number): Promise<LinkRow | undefined> {
  const [row] = await tx<
    LinkRow[]
  >`select ${columns(tx)} from platform.signed_link l where l.tenant_id = ${tenantId} and l.link_id = ${linkId}`
  return row
}

/** The same, held until the transaction is over: of two answers at once the second waits, and sees what became of the first. */
export async function lockLink(tx: Tx, tenantId: number, linkId: number): Promise<LinkRow | undefined> {
  const [row] = await tx<
    LinkRow[]
  >`select ${columns(tx)} from platform.signed_link l where l.tenant_id = ${tenantId} and l.link_id = ${linkId} for update of l`
  return row
}

export async function useLink(
  tx: Tx,
  tenantId: number,
  linkId: number,
  { submissionKey, resultRecordId }: { submissionKey: string | null; resultRecordId: number | null },
): Promise<void> {
  // The stamp of the transaction, which is that of the version that the answer made.
  await tx`
    update platform.signed_link
    set used_date = date_trunc('milliseconds', now()), submission_key = ${submissionKey}, result_record_id = ${resultRecordId}
    where tenant_id = ${tenantId} and link_id = ${linkId}`
}

/** The uploads that are its own from now on, under its lock. */
export async function noteUploads(tx: Tx, tenantId: number, linkId: number, assetKeys: readonly string[]): Promise<void> {
  await tx`
    update platform.signed_link set uploads = ${[...assetKeys]}::uuid[]
    where tenant_id = ${tenantId} and link_id = ${linkId}`
}

export async function revokeLink(tx: Tx, tenantId: number, linkId: number, stamp: string): Promise<void> {
  await tx`
    update platform.signed_link set revoked_date = coalesce(revoked_date, ${stamp})
    where tenant_id = ${tenantId} and link_id = ${linkId}`
}

/** Of a task that is for somebody else now: what the run itself sent for it, and nobody has used. */
export async function revokeLinksOfRun(tx: Tx, tenantId: number, runId: number, stepNo: number, stamp: string): Promise<void> {
  await tx`
    update platform.signed_link set revoked_date = ${stamp}
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo} and maker_kind = 'acting' and used_date is null and revoked_date is null`
}

export interface LinkQuery {
  readonly formId?: number | undefined
  readonly runId?: number | undefined
  readonly eiRecordId?: number | undefined
  readonly toUserId?: number | undefined
  readonly toAddress?: string | undefined
  readonly states?: readonly LinkState[] | undefined
  /** Of this maker alone. */
  readonly madeBy?: number | undefined
}

const stateSql = (tx: Tx, stamp: string) => tx`
  case when l.used_date is not null then 'used' when l.revoked_date is not null then 'revoked' when ${isSettled(tx)} then 'settled' when l.expires_at <= ${stamp}::text::timestamptz then 'expired'
    else 'open' end`

const matching = (tx: Tx, tenantId: number, stamp: string, query: LinkQuery) => tx`
  l.tenant_id = ${tenantId}
  ${query.formId === undefined ? tx`` : tx`and l.form_id = ${query.formId}`}
  ${query.runId === undefined ? tx`` : tx`and l.run_id = ${query.runId}`}
  ${query.eiRecordId === undefined ? tx`` : tx`and (l.ei_record_id = ${query.eiRecordId} or l.result_record_id = ${query.eiRecordId})`}
  ${query.toUserId === undefined ? tx`` : tx`and l.to_user_id = ${query.toUserId}`}
  ${query.toAddress === undefined ? tx`` : tx`and l.to_address = ${query.toAddress}`}
  ${query.madeBy === undefined ? tx`` : tx`and l.made_by = ${query.madeBy}`}
  ${query.states === undefined ? tx`` : tx`and ${stateSql(tx, stamp)} = any(${[...query.states]}::text[])`}`

/** The newest first. */
export async function listLinks(
  tx: Tx,
  tenantId: number,
  stamp: string,
  page: PageRequest,
  query: LinkQuery & { readonly before: number | null },
): Promise<Found<LinkRow>> {
  return fetchPage<LinkRow>(
    tx,
    page,
    tx`
      select ${columns(tx)} from platform.signed_link l
      where ${matching(tx, tenantId, stamp, query)} ${query.before === null ? tx`` : tx`and l.link_id < ${query.before}`}
      order by l.link_id desc`,
  )
}

export async function countLinks(tx: Tx, tenantId: number, stamp: string, page: PageRequest, query: LinkQuery): Promise<Total> {
  return countPage(tx, page, tx`from platform.signed_link l where ${matching(tx, tenantId, stamp, query)}`)
}

/** Of every language that the product knows. */
export async function listLanguageCodes(tx: Tx): Promise<string[]> {
  const rows = await tx<{ languageCode: string }[]>`select language_code from platform.language order by language_region_id`
  return rows.map((row) => row.languageCode)
}
