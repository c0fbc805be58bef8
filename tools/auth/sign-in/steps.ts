/** What follows a step of signing in, and what people are told of it. */
import { randomBytes } from 'node:crypto'

import type { Tx } from '#platform/db/pool.ts'
import { hashToken } from '#platform/sessions.ts'

import { hasRecoveryCodes, listFactors } from '../factors/factors.store.ts'
import { wrongLogIn } from './attempts.ts'
import type { SignInStep } from './sign-in.schema.ts'
import { insertSignIn, listTenantsOf } from './sign-in.store.ts'

function newSignInToken(): string {
  return `fli_${randomBytes(32).toString('base64url')}`
}

/** Of the person's factors those to choose from; none where there is none to ask for. */
export async function channelsOf(tx: Tx, userId: number): Promise<NonNullable<SignInStep['channels']>> {
  const factors = await listFactors(tx, userId)
  if (factors.length === 0) return []
  const recovery = (await hasRecoveryCodes(tx, userId)) ? [{ channel: 'recovery' as const }] : []
  return [...factors.map(({ channel, factorId, name }) => ({ channel, factorId, hint: name })), ...recovery]
}

/** After the password: a factor where the person has one, else the tenant. Throws AppError `unauthenticated` where there is nothing to sign in to. */
export async function stepAfterPassword(tx: Tx, userId: number): Promise<SignInStep> {
  const tenants = await listTenantsOf(tx, userId)
  if (tenants.length === 0) throw wrongLogIn()
  const channels = await channelsOf(tx, userId)
  const signInToken = newSignInToken()
  const next = channels.length > 0 ? 'secondFactor' : 'selectTenant'
  const expiresAt = await insertSignIn(tx, { userId, hash: hashToken(signInToken), next, factor: null })
  return next === 'secondFactor' ? { signInToken, next, expiresAt, channels } : { signInToken, next, expiresAt, tenants }
}

/** After the factor, the tenant. Throws as above. */
export async function stepAfterFactor(tx: Tx, userId: number, factor: string): Promise<SignInStep> {
  const tenants = await listTenantsOf(tx, userId)
  if (tenants.length === 0) throw wrongLogIn()
  const signInToken = newSignInToken()
  const expiresAt = await insertSignIn(tx, { userId, hash: hashToken(signInToken), next: 'selectTenant', factor })
  return { signInToken, next: 'selectTenant', expiresAt, tenants }
}
