/** A passkey that is shown: at a sign-in, or in a session to prove again who one is. */
import type { Tx } from '#platform/db/pool.ts'
import type { Services } from '#platform/services.ts'

import { tellPerson } from '../account/notices.ts'
import { challengeMinutes, type KeptPasskey, readShownPasskey, requestOptions } from './passkeys.ts'
import type { PasskeyOptions, ShownCredential } from './passkeys.schema.ts'
import { findPasskey, markPasskeyUsed, type PasskeyRow, saveChallenge, takeChallenge } from './passkeys.store.ts'

/** Options whose challenge is good for this sign-in or session alone. Of no passkeys: for whoever has one. */
export async function askForPasskey(
  services: Services,
  boundTo: string,
  passkeys: readonly KeptPasskey[],
  sharer: string,
): Promise<PasskeyOptions> {
  const options = await requestOptions(services.config, passkeys)
  await services.databases.lookUp((tx) => saveChallenge(tx, boundTo, options.challenge, challengeMinutes), sharer)
  return options
}

export interface ShownPasskey extends PasskeyRow {
  readonly newCounter: number
}

/**
 * The passkey that answered the challenge; undefined where it did not. `userId` is whose it must be; null: whosever it is, who is then named by the
 * authenticator too. The challenge is spent before the answer is looked at.
 */
export async function findShownPasskey(
  services: Services,
  { boundTo, credential, userId }: { readonly boundTo: string; readonly credential: ShownCredential; readonly userId: number | null },
  sharer: string,
): Promise<ShownPasskey | undefined> {
  const { challenge, passkey } = await services.databases.lookUp(
    async (tx) => ({ challenge: await takeChallenge(tx, boundTo), passkey: await findPasskey(tx, credential.id) }),
    sharer,
  )
  if (challenge === undefined || !passkey || (userId !== null && passkey.userId !== userId)) return undefined
  const handle = credential.response.userHandle ?? null
  if (handle === null ? userId === null : handle !== passkey.handle.toString('base64url')) return undefined
  const newCounter = await readShownPasskey(services.config, challenge, credential, passkey)
  return newCounter === undefined ? undefined : { ...passkey, newCounter }
}

/** False where it was deleted meanwhile. A counter that went back may be that of a copy, or of an authenticator that forgot: the person is told. */
export async function usePasskey(tx: Tx, services: Services, shown: ShownPasskey): Promise<boolean> {
  const { factorId, userId, name, counter, newCounter } = shown
  if (!(await markPasskeyUsed(tx, factorId, newCounter))) return false
  if (newCounter > 0 && newCounter <= counter)
    await tellPerson(tx, services, userId, {
      subject: 'A passkey may have been copied',
      text: `The passkey ${name} was used, and counts fewer uses than before: it may have been copied, or its device put back. If you do not know why, delete it and enrol it anew.`,
    })
  return true
}
