/** The SQL of signed links that messages bring. */
import type { Tx } from '#platform/db/pool.ts'
import type { LinkName } from '#platform/link-tokens.ts'

/** By message the link that it was written for. What others write of a link in a message of theirs stays as they wrote it. */
export async function findLinksOf(tx: Tx, tenantId: number, messageIds: readonly number[]): Promise<ReadonlyMap<number, LinkName>> {
  if (messageIds.length === 0) return new Map()
  const rows = await tx<{ messageId: number; linkId: number; salt: string }[]>`
    select message_id, link_id, salt from platform.signed_link
    where tenant_id = ${tenantId} and message_id = any(${[...messageIds]}::bigint[])`
  return new Map(rows.map(({ messageId, ...link }) => [messageId, { tenantId, ...link }]))
}
