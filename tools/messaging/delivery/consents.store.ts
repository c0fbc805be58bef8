/** The SQL of files that people agreed to take. */
import type { Tx } from '#platform/db/pool.ts'

/** False where they had agreed before. */
export async function insertConsent(
  tx: Tx,
  tenantId: number,
  { messageId, assetKey }: { readonly messageId: number; readonly assetKey: string },
  details: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { count } = await tx`
    insert into platform.message_consent (tenant_id, message_id, asset_key, details)
    values (${tenantId}, ${messageId}, ${assetKey}, ${JSON.stringify(details)}::text::jsonb)
    on conflict do nothing`
  return count > 0
}

export interface Consent {
  readonly messageId: number
  readonly assetKey: string
  readonly details: Readonly<Record<string, string>>
  readonly isUploaded: boolean
}

/** Those of a conversation that are not brought yet. */
export async function listConsents(tx: Tx, tenantId: number, conversationId: number): Promise<Consent[]> {
  return tx<Consent[]>`
    select f.message_id, f.asset_key, f.details, f.uploaded_date is not null as is_uploaded
    from platform.message m join platform.message_consent f on f.tenant_id = m.tenant_id and f.message_id = m.message_id
    where m.tenant_id = ${tenantId} and m.conversation_id = ${conversationId} and f.done_date is null
    order by f.message_id, f.asset_key`
}

export async function setUploaded(
  tx: Tx,
  tenantId: number,
  { messageId, assetKey }: Pick<Consent, 'messageId' | 'assetKey'>,
  at: string,
): Promise<void> {
  await tx`
    update platform.message_consent set uploaded_date = ${at}
    where tenant_id = ${tenantId} and message_id = ${messageId} and asset_key = ${assetKey} and uploaded_date is null`
}

/** Brought, or given up: where it was to go opens by itself and is not kept. */
export async function endConsent(
  tx: Tx,
  tenantId: number,
  { messageId, assetKey }: Pick<Consent, 'messageId' | 'assetKey'>,
  at: string,
): Promise<void> {
  await tx`
    update platform.message_consent set done_date = ${at}, details = '{}'
    where tenant_id = ${tenantId} and message_id = ${messageId} and asset_key = ${assetKey} and done_date is null`
}
