/** Sessions as the portal holds them: a browser's by its cookie, one in each tenant, and a program's by the token that it was given there. */
import { takeAttempt } from '#platform/attempts.ts'
import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError } from '#platform/errors.ts'
import type { Services } from '#platform/services.ts'
import { hashToken, newPortalSecret } from '#platform/sessions.ts'

import { sharerOf, wrongLogIn, wrongToken } from './attempts.ts'
import { checkPassword, type PasswordOfCall } from './checked-password.ts'
import {
  findMember,
  findTenantBy,
  isOfVersion,
  moveToPortal,
  type NamedTenant,
  type PortalMember,
  replaceCookie,
  type TenantName,
} from './portal.store.ts'
import { publicLimits } from './sign-in.rules.ts'
import type { TenantChoice } from './sign-in.schema.ts'
import { findSignIn, listTenantsOf } from './sign-in.store.ts'
import { channelsOf, findStepBefore } from './steps.ts'

export type { PortalMember } from './portal.store.ts'

/**
 * Makes a session that select_tenant answered the portal's. With a browser's cookie it joins those that the browser has; answers what a program names it by,
 * and whose it is.
 * Throws AppError `unauthenticated` where it is over.
 */
export async function adoptSession(
  services: Services,
  token: string,
  cookie: string | undefined,
): Promise<{ readonly secret: string; readonly userId: number }> {
  const secret = newPortalSecret()
  const move = { hash: hashToken(token), portalHash: hashToken(secret), cookieHash: cookie === undefined ? null : hashToken(cookie) }
  const userId = await services.databases.lookUp((tx) => moveToPortal(tx, move))
  if (userId === undefined) throw wrongToken()
  services.wake.poke(credentialsTopic)
  return { secret, userId }
}

/** A new cookie for the browser of the session; the old one is void. Undefined where the session is no browser's. */
export async function renewCookie(services: Services, sessionId: number): Promise<string | undefined> {
  const cookie = newPortalSecret()
  const isRenewed = await services.databases.lookUp((tx) => replaceCookie(tx, sessionId, hashToken(cookie)))
  services.wake.poke(credentialsTopic)
  return isRenewed ? cookie : undefined
}

/** The tenant of an id or a sub-domain. */
export function findNamedTenant(services: Services, by: TenantName): Promise<NamedTenant | undefined> {
  return services.databases.lookUp((tx) => findTenantBy(tx, by))
}

/** Somebody who showed a password, for as long as nothing of their log-in changes. */
export interface ProvedPerson {
  readonly userId: number
  readonly version: number
}

/** Whose password it is, counted as a sign-in is. Throws AppError `unauthenticated`, `rate_limited`. */
export async function provePerson(services: Services, given: PasswordOfCall): Promise<ProvedPerson> {
  const { person, giveBack } = await checkPassword(services, given)
  await giveBack()
  return { userId: person.userId, version: person.credentialVersion }
}

const factorNeeded = () =>
  new AppError(
    'second_factor_required',
    'A second factor is asked for beside this password. Sign in with POST /api/auth/login, or use a key.',
  )

/**
 * What the person is in the tenant that `choose` takes of theirs, now, by a password alone and without a session. Throws AppError `unauthenticated` where
 * their log-in has changed or there is nothing to sign in to, `second_factor_required` where a password alone opens nothing.
 */
export async function memberByPassword(
  { databases }: Pick<Services, 'databases'>,
  { userId, version }: ProvedPerson,
  choose: (tenants: readonly TenantChoice[]) => TenantChoice | undefined,
): Promise<PortalMember> {
  return databases.lookUp(async (tx) => {
    const tenants = (await isOfVersion(tx, userId, version)) ? await listTenantsOf(tx, userId) : []
    const chosen = choose(tenants)
    if (!chosen) throw wrongLogIn()
    const isAsked =
      (await channelsOf(tx, userId)).length > 0 || (await findStepBefore(tx, { userId, tenantId: chosen.tenantId, factor: null }))
    if (isAsked) throw factorNeeded()
    const member = await findMember(tx, userId, chosen.tenantId)
    if (!member) throw wrongLogIn()
    return member
  })
}

/**
 * Where a sign-in under way may go, the latest first; undefined where it is over, or asks for a factor first. Counted as a public call. Throws AppError
 * `rate_limited`.
 */
export async function tenantsOfSignIn(
  services: Services,
  signInToken: string,
  ip: string | undefined,
): Promise<TenantChoice[] | undefined> {
  const sharer = sharerOf({ ip })
  await takeAttempt(services, publicLimits(ip), sharer)
  return services.databases.lookUp(async (tx) => {
    const signIn = await findSignIn(tx, hashToken(signInToken), 'selectTenant', 'enrolSecondFactor')
    return signIn && signIn.userId !== null ? listTenantsOf(tx, signIn.userId, signIn.provider?.tenantId) : undefined
  }, sharer)
}
