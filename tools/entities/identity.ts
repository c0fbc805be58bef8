/** What a record says of the person behind it, in the form in which contacts are kept; and saying it for the records that are there already. */
import { parsePhoneNumberFromString } from 'libphonenumber-js'

import { lockEntityShared } from '#platform/db/entity-lock.ts'
import { holdTexts } from '#platform/db/record-values.ts'
import type { StagedContext, TxContext } from '#platform/operation.ts'

import { listAttached } from './attached.ts'
import { findEntity } from './entities.store.ts'
import { upsertClaims } from './identity.store.ts'

/** The values of the two identity properties as a record holds them. */
export interface IdentitySaid {
  readonly eiRecordId: number
  readonly email: unknown
  readonly phone: unknown
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** Keeps what these records say, in the transaction that writes them. */
export async function claimIdentities(context: TxContext, entityId: number, said: readonly IdentitySaid[]): Promise<void> {
  const { tx, tenantId, stamp } = context
  const claims = said.map(({ eiRecordId, email, phone }) => {
    const number = textOf(phone)
    return {
      eiRecordId,
      email: textOf(email)?.toLowerCase() ?? null,
      phone: number === null ? null : (parsePhoneNumberFromString(number)?.number ?? number),
    }
  })
  await upsertClaims(tx, tenantId, entityId, stamp, claims)
}

const chunkSize = 2_000

/**
 * Keeps what every live record of a bridged entity says, a few thousand at a time, each chunk in a transaction of its own beside the entity's writers:
 * a record is held until what it says is written, so neither overtakes the other. Ends where the bridge is another one meanwhile; harmless twice.
 */
export async function claimPresentIdentities(staged: StagedContext, entityId: number): Promise<void> {
  let after: number | undefined = 0
  while (after !== undefined) {
    const from: number = after
    after = await staged.inTransaction((context) => claimChunk(context, entityId, from))
  }
}

/** The last record of the chunk; undefined where nothing is left to do. */
async function claimChunk(context: TxContext, entityId: number, after: number): Promise<number | undefined> {
  const { tx, tenantId } = context
  await lockEntityShared(tx, tenantId, entityId)
  const entity = await findEntity(tx, tenantId, entityId)
  if (!entity?.isTenantUserRole) return undefined
  const attached = await listAttached(tx, tenantId, entityId)
  const columnOf = (propertyId: number | null) => attached.find((one) => one.propertyId === propertyId)?.columnId ?? null
  const columnIds = [columnOf(entity.identityEmailPropertyId), columnOf(entity.identityPhonePropertyId)]
  const rows = await holdTexts(tx, tenantId, entityId, columnIds, { after, limit: chunkSize })
  await claimIdentities(
    context,
    entityId,
    rows.map(({ id, texts: [email, phone] }) => ({ eiRecordId: id, email, phone })),
  )
  return rows.length < chunkSize ? undefined : rows.at(-1)?.id
}
