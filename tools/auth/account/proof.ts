/** That whoever holds a session is the person: by the password, by a code of a second factor, or by a passkey. */
import { AppError, mustExist } from '#platform/errors.ts'
import type { Actor, CallContext } from '#platform/operation.ts'
import { verifyPassword } from '#platform/passwords.ts'
import { sessionIdOf } from '#platform/sessions.ts'

import { useCode } from '../factors/codes.ts'
import { listFactors } from '../factors/factors.store.ts'
import type { PasskeyOptions, ShownCredential } from '../factors/passkeys.schema.ts'
import { listPasskeys } from '../factors/passkeys.store.ts'
import { askForPasskey, findShownPasskey, usePasskey } from '../factors/showing-passkeys.ts'
import { isSent, sendCode } from '../factors/sent-codes.ts'
import { take } from '../sign-in/attempts.ts'
import { codeLimits } from '../sign-in/sign-in.rules.ts'
import { channelsOf } from '../sign-in/steps.ts'
import { proofLimits } from './account.rules.ts'
import { type AccountRow, findAccount } from './account.store.ts'

const sentFor = (actor: Actor) => `session:${sessionIdOf(actor) ?? 0}`

/** The account whose password it is. Throws AppError `forbidden` where it is wrong, `rate_limited` where it was so too often. */
export async function provePassword(context: CallContext, password: string): Promise<AccountRow & { readonly passwordHash: string }> {
  const { services, actor } = context
  const attempt = await take(context, proofLimits(actor.userId))
  const account = mustExist(await services.databases.lookUp((tx) => findAccount(tx, actor.userId)), 'person')
  const { passwordHash } = account
  if (!(await verifyPassword(password, passwordHash)) || passwordHash === null)
    throw new AppError('forbidden', 'The password is wrong. Send your present one.')
  await attempt.giveBack()
  return { ...account, passwordHash }
}

/** The channel of which it is a code. Throws likewise. */
export async function proveCode(context: CallContext, code: string): Promise<string> {
  const { services, actor } = context
  const attempt = await take(context, codeLimits(actor.userId))
  const shown = await services.databases.lookUp((tx) =>
    useCode(tx, services.secrets, { userId: actor.userId, code, boundTo: sentFor(actor) }),
  )
  if (shown === undefined) throw new AppError('forbidden', 'The code is wrong, was used, or is too old. Send the next one.')
  await attempt.giveBack()
  return shown
}

/** Throws AppError `conflict` where the person has no passkey. */
export async function askForOwnPasskey({ services, actor }: CallContext, sessionId: number): Promise<PasskeyOptions> {
  const passkeys = await services.databases.lookUp((tx) => listPasskeys(tx, actor.userId))
  if (passkeys.length === 0) throw new AppError('conflict', 'You have no passkey. Send your password, or a code of a second factor.')
  return askForPasskey(services, `session:${sessionId}`, passkeys, String(actor.tenantId))
}

/** Throws as the others do. */
export async function proveByPasskey(context: CallContext, credential: ShownCredential, sessionId: number): Promise<void> {
  const { services, actor } = context
  const attempt = await take(context, codeLimits(actor.userId))
  const wrong = () =>
    new AppError('forbidden', 'The passkey is none of yours, or the options were used or are over. Ask for new ones with passkey.')
  const of = { boundTo: `session:${sessionId}`, credential, userId: actor.userId }
  const shown = await findShownPasskey(services, of, String(actor.tenantId))
  if (!shown) throw wrong()
  if (!(await services.databases.lookUp((tx) => usePasskey(tx, services, shown)))) throw wrong()
  await attempt.giveBack()
}

/** Sends a code to prove it with, and answers what the factor is called. Throws AppError `not_found` where there is none of codes that are sent, now. */
export async function sendOwnCode({ services, actor }: CallContext, factorId: number): Promise<string> {
  const factor = await services.databases.lookUp(async (tx) => {
    const offered = (await channelsOf(tx, actor.userId)).some((one) => one.factorId === factorId && isSent(one.channel))
    return offered ? (await listFactors(tx, actor.userId)).find((one) => one.factorId === factorId) : undefined
  })
  const found = mustExist(factor, 'factor')
  await sendCode(services, found, sentFor(actor), String(actor.tenantId))
  return found.name
}
