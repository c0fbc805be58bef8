/** What follows a step of signing in, and what people are told of it. */
import { randomBytes } from 'node:crypto'

import type { Tx } from '#platform/db/pool.ts'
import { AppError } from '#platform/errors.ts'
import { hashToken, signInPrefix } from '#platform/sessions.ts'

import { hasRecoveryCodes, listFactors, wasResetToday } from '../factors/factors.store.ts'
import { type FactorDemand, isCounted, nextFor } from '../policy/policy.rules.ts'
import { listDemands } from '../policy/policy.store.ts'
import { factorOfOneselfFirst, onlyByProvider, wayIn } from '../provider/provider.rules.ts'
import { findProviderRule, isOfTenantAlone } from '../provider/provider.store.ts'
import { wrongLogIn, wrongToken } from './attempts.ts'
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

/** After the factor, or the tenant's own provider, the tenant. Throws as above. */
export async function stepAfterFactor(
  tx: Tx,
  { userId, factor, sessionUntil, provider }: Pick<NewSignIn, 'userId' | 'sessionUntil' | 'provider'> & { readonly factor: string | null },
): Promise<SignInStep> {
  const tenants = await listTenantsOf(tx, userId, provider?.tenantId)
  if (tenants.length === 0) throw wrongLogIn()
  return { ...(await begin(tx, { userId, next: 'selectTenant', factor, sessionUntil, provider })), next: 'selectTenant', tenants }
}

export interface Entering extends Pick<NewSignIn, 'userId' | 'factor' | 'provedDate' | 'sessionUntil' | 'provider'> {
  readonly tenantId: number
}

/**
 * What a tenant asks of the person before a session there begins; undefined: nothing. `make` begins that step, and no earlier token holds beside it. Throws
 * AppError `forbidden` where the tenant takes no password of this person, or a factor that the person has yet to enrol as themselves.
 */
export async function findStepBefore(
  tx: Tx,
  { userId, tenantId, factor, provider }: Pick<Entering, 'userId' | 'tenantId' | 'factor' | 'provider'>,
): Promise<{ readonly next: 'secondFactor' | 'enrolSecondFactor'; make(entering: Entering): Promise<SignInStep> } | undefined> {
  const way = wayIn(await findProviderRule(tx, userId, tenantId), provider?.issuer)
  if (way === 'over') throw wrongToken()
  if (way === 'refused') throw new AppError('forbidden', onlyByProvider)
  if (way === 'trusted') return undefined
  const [ofPolicy] = await listDemands(tx, userId, tenantId)
  const demand = ofPolicy ?? (way === 'withFactor' ? { factors: null } : undefined)
  if (!demand) return undefined
  const channels = await channelsOf(tx, userId)
  if (way === 'withFactor' && channels.length === 0) throw new AppError('forbidden', onlyByProvider)
  const next = nextFor(demand, { factor, channels: channels.map(({ channel }) => channel) })
  if (next === 'session') return undefined
  if (next === 'enrolSecondFactor' && provider && !(await isOfTenantAlone(tx, userId, tenantId)))
    throw new AppError('forbidden', factorOfOneselfFirst)
  return {
    next,
    async make({ provedDate, sessionUntil }) {
      if (next === 'enrolSecondFactor')
        return { ...(await begin(tx, { userId, next, factor, tenantId, provedDate, sessionUntil, provider })), next }
      return { ...(await begin(tx, { userId, next, factor: null, sessionUntil, provider })), next, channels: countedOf(demand, channels) }
    },
  }
}

/** Those that the tenant counts, where there is one, and the recovery codes that stand in for it; else those that prove the person before another is enrolled. */
function countedOf(demand: FactorDemand, channels: Channels): Channels {
  const counted = channels.filter(({ channel }) => channel === 'recovery' || isCounted(demand, channel))
  return counted.some(({ channel }) => channel !== 'recovery') ? counted : channels
}
