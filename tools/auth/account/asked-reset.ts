/** A reset that somebody asked for: done where nobody waits, so that its time tells nobody whether there is such a person. */
import { takeAttempt } from '#platform/attempts.ts'
import { AppError } from '#platform/errors.ts'
import { mailsTopic } from '#platform/person-mail.ts'
import type { Services } from '#platform/services.ts'
import { sendLimits, sendReset } from '#tools/users/service.ts'

import { logInOf } from '../sign-in/sign-in.rules.ts'
import { findPersonByLogIn } from '../sign-in/sign-in.store.ts'
import { findAccount } from './account.store.ts'

/** Whether the address has not had too many mails. */
async function mayBeSent(services: Services, email: string): Promise<boolean> {
  try {
    await takeAttempt(services, sendLimits(email), 'product')
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') return false
    throw error
  }
}

/** Mails a link to the addresses that the person proved; does nothing where there is nobody, or none. */
export async function sendAskedReset(services: Services, of: { readonly logIn: string } | { readonly userId: number }): Promise<void> {
  const { databases } = services
  const found = await databases.lookUp(async (tx) => {
    const userId = 'userId' in of ? of.userId : (await findPersonByLogIn(tx, logInOf(of.logIn)))?.userId
    const account = userId === undefined ? undefined : await findAccount(tx, userId)
    return userId !== undefined && account ? { userId, account } : undefined
  })
  // Whoever has no password yet has an invitation to take.
  if (!found || found.account.passwordHash === null) return
  const emails: string[] = []
  for (const email of found.account.emails) if (await mayBeSent(services, email)) emails.push(email)
  await databases.lookUp((tx) => sendReset(tx, services, found.userId, emails))
  services.wake.poke(mailsTopic)
}
