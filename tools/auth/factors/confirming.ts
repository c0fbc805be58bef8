/** A factor that was shown for the first time counts from now on; with the first one come recovery codes. */
import type { Tx } from '#platform/db/pool.ts'
import type { CallContext } from '#platform/operation.ts'
import { enrolmentIdOf, sessionIdOf } from '#platform/sessions.ts'

import { markFactorShown } from '../sign-in/sign-in.store.ts'
import { hashRecoveryCode, newRecoveryCodes } from './codes.ts'
import type { Factor } from './factors.schema.ts'
import { tellOfFactor } from './telling.ts'
import { confirmFactor, type FactorRow, listFactors, lockPerson, replaceRecoveryCodes } from './factors.store.ts'

export async function countFrom(
  tx: Tx,
  { services, actor }: Pick<CallContext, 'services' | 'actor'>,
  pending: FactorRow,
): Promise<Factor & { recoveryCodes?: string[] }> {
  // Of two that are confirmed at once one is the first.
  await lockPerson(tx, actor.userId)
  const isFirst = (await listFactors(tx, actor.userId)).length === 0
  await confirmFactor(tx, pending.factorId)
  await markFactorShown(tx, { sessionId: sessionIdOf(actor), signInId: enrolmentIdOf(actor) }, pending.channel)
  const codes = isFirst ? newRecoveryCodes() : []
  if (isFirst) {
    const hashes = codes.map((code) => hashRecoveryCode(services.secrets, actor.userId, code))
    await replaceRecoveryCodes(tx, actor.userId, hashes)
  }
  const { factorId, channel, name, createdDate } = pending
  await tellOfFactor(tx, services, actor.userId, { kind: 'added', channel, name })
  return { factorId, channel, name, createdDate, lastUsedDate: null, ...(isFirst ? { recoveryCodes: codes } : {}) }
}
