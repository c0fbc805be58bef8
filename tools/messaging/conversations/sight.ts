/** Who sees a conversation that is about a record: who sees the record, whom the conversation is with, and who answers in it. */
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { seenOf } from '#tools/query/service.ts'

interface AboutRecord {
  readonly eiRecordId: number | null
  readonly tenantUserId: number | null
  readonly assignedTo: number | null
}

/** Those of the conversations that the caller sees. */
export async function onlySeen<Row extends AboutRecord>(context: TxContext, rows: readonly Row[]): Promise<Row[]> {
  const isOwn = ({ tenantUserId, assignedTo }: Row) => [tenantUserId, assignedTo].includes(context.actor.tenantUserId)
  const about = [...new Set(rows.flatMap((row) => (isOwn(row) ? [] : (row.eiRecordId ?? []))))]
  if (about.length === 0) return [...rows]
  const seen = await seenOf(context, await cachedCatalog(context), about)
  return rows.filter((row) => row.eiRecordId === null || isOwn(row) || seen.has(row.eiRecordId))
}

/** Whether the caller sees a record, of whichever entity. */
export async function isRecordSeen(context: TxContext, eiRecordId: number): Promise<boolean> {
  return (await seenOf(context, await cachedCatalog(context), [eiRecordId])).has(eiRecordId)
}

/** Throws 404, as for a conversation that is not there. */
export async function mustSee(context: TxContext, row: AboutRecord | undefined, noun = 'conversation'): Promise<void> {
  if (row && (await onlySeen(context, [row])).length === 0) throw new AppError('not_found', `No such ${noun}.`)
}
