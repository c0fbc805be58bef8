/** The SQL of who changed a record by a signed link. */
import type { Tx } from '#platform/db/pool.ts'

export interface LinkChange {
  /** When the version began that the answer made. */
  readonly usedDate: string
  readonly linkId: number
  readonly toUserId: number | null
  readonly toAddress: string | null
  readonly madeBy: number
}

export async function listLinkChanges(tx: Tx, tenantId: number, recordId: number): Promise<LinkChange[]> {
  return tx<LinkChange[]>`
    select used_date, link_id, to_user_id, to_address, made_by from platform.signed_link
    where tenant_id = ${tenantId} and result_record_id = ${recordId} and used_date is not null`
}
