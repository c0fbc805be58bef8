/** The way back of whoever has the machine: a link for a new password, shown there and mailed to nobody. */
import type { Services } from '#platform/services.ts'
import { makeResetLink } from '#tools/users/service.ts'

import { logInOf } from '../sign-in/sign-in.rules.ts'
import { findPersonByLogIn } from '../sign-in/sign-in.store.ts'

/** Undefined where nobody signs in with that. */
export async function makeRecoveryLink(services: Services, logIn: string): Promise<{ url: string; expiresAt: string } | undefined> {
  return services.databases.lookUp(async (tx) => {
    const person = await findPersonByLogIn(tx, logInOf(logIn))
    return person && makeResetLink(tx, services, person.userId)
  })
}
