/** What becomes of a reset of somebody's second factors: word of it at once, its end by the person, and its carrying out a day later. */
import { credentialsTopic } from '#platform/authenticate.ts'
import type { Tx } from '#platform/db/pool.ts'
import { mailsTopic } from '#platform/person-mail.ts'
import type { Services } from '#platform/services.ts'
import { dropFactorReset, takeDueFactorReset } from '#tools/users/service.ts'

import { deleteAllFactors } from '../factors/factors.store.ts'
import { endAllSessions, findAccount, listKeysOfPerson } from './account.store.ts'
import { keysText, tellPerson } from './notices.ts'

/** Mails the link by which the person objects. */
export async function tellOfFactorReset(
  services: Services,
  { userId, url }: { readonly userId: number; readonly url: string },
): Promise<void> {
  await services.databases.lookUp((tx) =>
    tellPerson(tx, services, userId, {
      subject: 'Your second factors are to be removed',
      text: `An administrator of this installation is removing all your second factors, since somebody said that they are lost. It happens in 24 hours, and ends all your sessions.\n\nIf you still have them, open this link within these 24 hours, and nothing happens:\n\n${url}`,
    }),
  )
  services.wake.poke(mailsTopic)
}

/** The addresses of the person who objected; undefined where the link is none, or came too late. */
export async function objectToReset(tx: Tx, services: Services, hash: Buffer): Promise<readonly string[] | undefined> {
  const userId = await dropFactorReset(tx, hash)
  if (userId === undefined) return undefined
  await tellPerson(tx, services, userId, {
    subject: 'Your second factors stay',
    text: 'You objected to the removal of your second factors, so they stay. If you did not ask for it, change your password: somebody may have tried to get in.',
  })
  return (await findAccount(tx, userId))?.emails ?? []
}

/** Carries out what is due; answers how many. */
export async function carryOutFactorResets(services: Services): Promise<number> {
  const userId = await services.databases.lookUp(async (tx) => {
    const due = await takeDueFactorReset(tx)
    if (due === undefined) return undefined
    await deleteAllFactors(tx, due)
    await endAllSessions(tx, due)
    const keys = await listKeysOfPerson(tx, due)
    await tellPerson(tx, services, due, {
      subject: 'Your second factors were removed',
      text: `All your second factors and recovery codes were removed, and all your sessions have ended. Sign in with your password, and enrol a new factor.${keysText(keys)}\n\nIf it was not you, ask an administrator to lock your user.`,
    })
    return due
  })
  if (userId === undefined) return 0
  services.wake.poke(credentialsTopic)
  services.wake.poke(mailsTopic)
  return 1
}
