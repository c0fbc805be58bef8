/** What follows a step of signing in, and what people are told of it. */
import { randomBytes } from 'node:crypto'

import type { Tx } from '#platform/db/pool.ts'
import { hashToken, signInPrefix } from '#platform/sessions.ts'

import { hasRecoveryCodes, listFactors, wasResetToday } from '../factors/factors.store.ts'
import { type FactorDemand, isCounted, nextFor } from '../policy/policy.rules.ts'
import { listDemands } from '../policy/policy.store.ts'
import { wrongLogIn } from './attempts.ts'
import type { SignInStep } from './sign-in.schema.ts'
import { insertSignIn, listTenantsOf, type NewSignIn } from './sign-in.store.ts'

type Channels = NonNullable<SignInStep['channels']>

export function newSignInToken(): string {
  return signInPrefix + randomBytes(32).toString('base64url')
}

/** A new sign-in under way: its token, and until when it holds. */
async function begin(tx: Tx, signIn: Omit<NewSignIn, 'hash'>): Promise<Pick<SignInStep, 'signInToken' | 'expiresAt'>> {
  const signInToken = newSignInToken()
  return { signInToken, expiresAt: await insertSignIn(tx, { ...signIn, hash: hashToken(signInToken) }) }
}

/**
 * Of the person's factors those to choose from; none where there is none to ask for. Whoever reads the person's mail can set a password by a link: for a
 * day after that no code goes there, unless the person has nothing else.
 */
export async function channelsOf(tx: Tx, userId: number): Promise<Channels> {
  const all = await listFactors(tx, userId)
  if (all.length === 0) return []
  const others = all.filter(({ channel }) => channel !== 'email')
  const factors = others.length > 0 && others.length < all.length && (await wasResetToday(tx, userId)) ? others : all
  const recovery = (await hasRecoveryCodes(tx, userId)) ? [{ channel: 'recovery' as const }] : []
  return [...factors.map(({ channel, factorId, name }) => ({ channel, factorId, hint: name })), ...recovery]
}

/** After the password: a factor where the person has one, else the tenant. Throws AppError `unauthenticated` where there is nothing to sign in to. */
export async function stepAfterPassword(tx: Tx, userId: number): Promise<SignInStep> {
  const tenants = await listTenantsOf(tx, userId)
  if (tenants.length === 0) throw wrongLogIn()
  const channels = await channelsOf(tx, userId)
  const next = channels.length > 0 ? 'secondFactor' : 'selectTenant'
  const begun = await begin(tx, { userId, next, factor: null })
  return next === 'secondFactor' ? { ...begun, next, channels } : { ...begun, next, tenants }
}

/** After the factor, the tenant. Throws as above. */
export async function stepAfterFactor(
  tx: Tx,
  { userId, factor, sessionUntil }: Pick<NewSignIn, 'userId' | 'sessionUntil'> & { readonly factor: string },
): Promise<SignInStep> {
  const tenants = await listTenantsOf(tx, userId)
  if (tenants.length === 0) throw wrongLogIn()
  return { ...(await begin(tx, { userId, next: 'selectTenant', factor, sessionUntil })), next: 'selectTenant', tenants }
}

export interface Entering extends Pick<NewSignIn, 'userId' | 'factor' | 'provedDate' | 'sessionUntil'> {
  readonly tenantId: number
}

/** What a tenant asks of the person before a session there begins; undefined: nothing. `make` begins that step, and no earlier token holds beside it. */
export async function findStepBefore(
  tx: Tx,
  { userId, tenantId, factor }: Pick<Entering, 'userId' | 'tenantId' | 'factor'>,
): Promise<{ readonly next: 'secondFactor' | 'enrolSecondFactor'; make(entering: Entering): Promise<SignInStep> } | undefined> {
  const [demand] = await listDemands(tx, userId, tenantId)
  if (!demand) return undefined
  const channels = await channelsOf(tx, userId)
  const next = nextFor(demand, { factor, channels: channels.map(({ channel }) => channel) })
  if (next === 'session') return undefined
  return {
    next,
    async make({ provedDate, sessionUntil }) {
      if (next === 'enrolSecondFactor') return { ...(await begin(tx, { userId, next, factor, tenantId, provedDate, sessionUntil })), next }
      return { ...(await begin(tx, { userId, next, factor: null, sessionUntil })), next, channels: countedOf(demand, channels) }
    },
  }
}

/** Those that the tenant counts, where there is one, and the recovery codes that stand in for it; else those that prove the person before another is enrolled. */
function countedOf(demand: FactorDemand, channels: Channels): Channels {
  const counted = channels.filter(({ channel }) => channel === 'recovery' || isCounted(demand, channel))
  return counted.some(({ channel }) => channel !== 'recovery') ? counted : channels
}
