/**
 * Signing in by a tenant's own provider. It speaks for its tenant alone: an account there is a user here by a link that was made once, by the user's own open
 * invitation or by the person themselves, and never by an address. What comes of it leads to that tenant, and to nothing of the person's beside it.
 */
import { takeAttempt } from '#platform/attempts.ts'
import { insertAuditEvent } from '#platform/audit.ts'
import { credentialsTopic, publicActor } from '#platform/authenticate.ts'
import type { Config } from '#platform/config.ts'
import type { Tx } from '#platform/db/pool.ts'
import { AppError } from '#platform/errors.ts'
import { type Asserted, newChecks } from '#platform/open-id.ts'
import type { Services } from '#platform/services.ts'
import { hashToken } from '#platform/sessions.ts'
import { findPersonLink, normalizeEmail, type PersonLink, takeMembership, usePersonLink, verifyContact } from '#tools/users/service.ts'

import { tellOfChange } from '../account/notices.ts'
import { sharerOf, wrongLogIn, wrongToken } from '../sign-in/attempts.ts'
import { publicLimits } from '../sign-in/sign-in.rules.ts'
import type { SignInStep } from '../sign-in/sign-in.schema.ts'
import { deleteSignIn, findSignIn } from '../sign-in/sign-in.store.ts'
import { stepAfterFactor } from '../sign-in/steps.ts'
import { type AwayMemory, memorySeconds, openAway, openWaiting, sealMemory } from './memory.ts'
import { hostOfIssuer } from './provider.rules.ts'
import { findMembership, findOwner, linkAccount, type ProviderAccount } from './provider.store.ts'
import { atProvider, findTenantProvider, type TenantProvider } from './providers.ts'

const longestReturn = 1_000

/** Where a provider sends people back to. Built from the setting, never from a request. */
export const callbackUrl = ({ portalUrl }: Pick<Config, 'portalUrl'>) => `${portalUrl}/login/provider/callback`

export interface NamedProvider {
  readonly tenantId: number
  readonly tenantName: string
  readonly subDomain: string
  /** The host of its issuer, which is all the name that it has. */
  readonly name: string
}

const named = ({ tenant, row }: TenantProvider): NamedProvider => ({
  tenantId: tenant.tenantId,
  tenantName: tenant.name,
  subDomain: tenant.subDomain,
  name: hostOfIssuer(row.issuer),
})

/** The provider of a tenant, for the pages of signing in; undefined where it has none, or is not open. */
export async function providerOf(
  services: Services,
  by: { readonly tenantId: number } | { readonly subDomain: string },
  ip: string | undefined,
): Promise<NamedProvider | undefined> {
  const found = await findTenantProvider(services, by, sharerOf({ ip }))
  return found && named(found)
}

/** The provider that a browser is on the way back from, for the page that says why it did not get in. */
export async function providerAwayAt(
  services: Services,
  memory: string | undefined,
  ip: string | undefined,
): Promise<NamedProvider | undefined> {
  const away = openAway(services.secrets, memory)
  return away && providerOf(services, { tenantId: away.tenantId }, ip)
}

export interface Departure {
  readonly provider: NamedProvider
  /** The provider's own page. */
  readonly url: string
  /** For the browser to keep until it is back. */
  readonly memory: string
}

/** Throws AppError `not_found` for a tenant without one, `unavailable` where it does not answer, `rate_limited`. */
export async function leaveForProvider(
  services: Services,
  asked: { readonly subDomain: string; readonly returnTo: string; readonly link?: string | undefined; readonly ip: string | undefined },
): Promise<Departure> {
  const { subDomain, returnTo, link, ip } = asked
  await takeAttempt(services, publicLimits(ip), sharerOf({ ip }))
  const found = await findTenantProvider(services, { subDomain }, sharerOf({ ip }))
  if (!found) throw new AppError('not_found', 'This tenant has no provider of its own.')
  const { tenantId } = found.tenant
  const checks = newChecks()
  const url = await atProvider(services, found, (provider) =>
    provider.authorizationUrl({ ...checks, redirectUri: callbackUrl(services.config), scopes: found.row.scopes }),
  )
  const memory = sealMemory(services.secrets, {
    step: 'away',
    tenantId,
    issuer: found.row.issuer,
    returnTo: returnTo.length > longestReturn ? '/' : returnTo,
    ...checks,
    ...(link === undefined ? {} : { link }),
  })
  return { provider: named(found), url, memory }
}

export type Return =
  | { readonly kind: 'signedIn'; readonly provider: NamedProvider; readonly returnTo: string; readonly step: SignInStep }
  /** Nobody's account yet: with this memory its person signs in as themselves. */
  | { readonly kind: 'unlinked'; readonly provider: NamedProvider; readonly returnTo: string; readonly memory: string }
  /** The invitation is over, goes to another address than the provider vouches for, or the account is a user of the tenant already. */
  | { readonly kind: 'refused'; readonly provider: NamedProvider; readonly why: 'invitationOver' | 'otherAddress' | 'memberAlready' }

/** Whoever visits, as an audit log tells it. */
interface Told {
  readonly ip: string | undefined
  readonly requestId: string
}

interface Arriving extends Told {
  /** What the browser kept. */
  readonly memory: string | undefined
  readonly query: URLSearchParams
}

/** Throws AppError `unauthenticated` for what is no answer to this browser, or no good one, `unavailable`, `rate_limited`. */
export async function returnFromProvider(services: Services, { memory, query, ip, requestId }: Arriving): Promise<Return> {
  const sharer = sharerOf({ ip })
  await takeAttempt(services, publicLimits(ip), sharer)
  const away = openAway(services.secrets, memory)
  const found = away && (await findTenantProvider(services, { tenantId: away.tenantId }, sharer))
  // Looked at before anything is taken: any page may send a browser here with a state of its own.
  if (!away || found?.row.issuer !== away.issuer || query.get('state') !== away.state) throw wrongToken()
  await takeOnce(services, away, query.get('code'), sharer)
  const callback = new URL(`${callbackUrl(services.config)}?${query.toString()}`)
  return atProvider(services, found, async (provider) => {
    const asserted = await provider.redeem(callback, away)
    return arrive(services, { away, asserted, provider: named(found), told: { ip, requestId } })
  })
}

/**
 * What a browser kept counts once, whatever the provider says of a code that it is shown again; and so does a code, in whatever browser and for whichever
 * tenant. All come back to one address: a tenant's provider that sends a browser on to another tenant's is told the code that this one gave, and by then
 * it was used (mix-up, RFC 9700 § 4.4).
 */
async function takeOnce(services: Services, { state }: AwayMemory, code: string | null, sharer: string): Promise<void> {
  const once = (of: readonly [string, string]) => ({ of, most: 1, seconds: memorySeconds })
  const limits = [once(['state of a provider', state]), ...(code === null ? [] : [once(['code of a provider', code])])]
  await takeAttempt(services, limits, sharer).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'rate_limited' ? wrongToken() : error
  })
}

interface Arrived {
  readonly asserted: Asserted
  readonly provider: NamedProvider
  readonly told: Told
}

async function arrive(services: Services, { away, ...arrived }: Arrived & { readonly away: AwayMemory }): Promise<Return> {
  const { databases, secrets } = services
  const { asserted, provider, told } = arrived
  const { tenantId, issuer, returnTo, link } = away
  const account = { tenantId, issuer, sub: asserted.sub }
  if (link !== undefined) return acceptBy(services, { account, link, ...arrived })
  const step = await databases.lookUp(async (tx) => {
    const owner = await findOwner(tx, account)
    return owner && stepBy(tx, account, owner.userId, null)
  }, sharerOf(told))
  if (step) return { kind: 'signedIn', provider, returnTo, step }
  const waiting = { step: 'waiting', tenantId, issuer, sub: asserted.sub, account: asserted.account, returnTo } as const
  return { kind: 'unlinked', provider, returnTo, memory: sealMemory(secrets, waiting) }
}

/** The token that select_tenant takes, for this tenant alone. Throws AppError `unauthenticated` where the user is locked or the tenant suspended. */
function stepBy(tx: Tx, { tenantId, issuer }: ProviderAccount, userId: number, factor: string | null): Promise<SignInStep> {
  return stepAfterFactor(tx, { userId, factor, provider: { tenantId, issuer } })
}

interface Accepting extends Arrived {
  readonly account: ProviderAccount
  /** The token of the invitation. */
  readonly link: string
}

/** The user's own open invitation, to the very address that the provider vouches for: the membership is the account's. No address signs in by it. */
async function acceptBy(services: Services, { account, link: token, asserted, provider, told }: Accepting): Promise<Return> {
  const { databases } = services
  const sharer = sharerOf(told)
  const refused = (why: Extract<Return, { kind: 'refused' }>['why']): Return => ({ kind: 'refused', provider, why })
  const link = await databases.lookUp((tx) => findPersonLink(tx, hashToken(token)), sharer)
  if (link?.kind !== 'invitation' || link.tenantId !== account.tenantId) return refused('invitationOver')
  const vouched = normalizeEmail((await asserted.verifiedEmail()) ?? '')
  const invited = normalizeEmail(link.email ?? '')
  if (!vouched.isOk || !invited.isOk || vouched.value !== invited.value) return refused('otherAddress')
  const outcome = await databases.lookUp((tx) => takeInvitation(tx, account, link, invited.value), sharer)
  if (typeof outcome === 'string') return refused(outcome)
  services.wake.poke(credentialsTopic)
  await auditLink(services, account, { tenantUserId: link.tenantUserId ?? 0, userId: link.userId, isAcceptance: true }, told)
  return { kind: 'signedIn', provider, returnTo: '/', step: outcome }
}

/** The tenant learns that an account is a user of it from now on. */
async function auditLink(
  { databases }: Services,
  { tenantId, issuer }: ProviderAccount,
  { tenantUserId, userId, isAcceptance }: { readonly tenantUserId: number; readonly userId: number; readonly isAcceptance: boolean },
  { requestId, ip }: Told,
): Promise<void> {
  const event = {
    tenantId,
    actor: { ...publicActor, tenantId, tenantUserId, userId },
    operation: isAcceptance ? 'complete_password_reset' : 'link_provider_account',
    outcome: 'done',
    transport: 'rest',
    requestId,
    ip,
    facts: { tenantUserId, provider: issuer },
  } as const
  await databases.transact({ tenantId }, ({ tx }) => insertAuditEvent(tx, event))
}

/** All of it or nothing: what stands in the way is found before anything is written. */
async function takeInvitation(
  tx: Tx,
  account: ProviderAccount,
  link: PersonLink,
  email: string,
): Promise<SignInStep | 'invitationOver' | 'memberAlready'> {
  const { tenantId, tenantUserId, userId, roleFlag } = link
  if (await findOwner(tx, account)) return 'memberAlready'
  if (tenantId === null || tenantUserId === null || !(await usePersonLink(tx, link.linkId))) return 'invitationOver'
  const isTaken = await takeMembership(tx, { tenantId, tenantUserId, roleFlag: roleFlag ?? 0 }, userId)
  if (!isTaken || !(await linkAccount(tx, account, { tenantUserId, userId }))) throw wrongToken()
  await verifyContact(tx, { tenantId, tenantUserId }, email)
  return stepBy(tx, account, userId, null)
}

/** The account that waits in this browser, and the tenant that it is to be linked in. */
export async function waitingAccount(
  services: Services,
  memory: string | undefined,
  ip: string | undefined,
): Promise<{ readonly provider: NamedProvider; readonly account: string } | undefined> {
  const waiting = openWaiting(services.secrets, memory)
  const found = waiting && (await findTenantProvider(services, { tenantId: waiting.tenantId }, sharerOf({ ip })))
  return waiting && found?.row.issuer === waiting.issuer ? { provider: named(found), account: waiting.account } : undefined
}

/**
 * Links the account that waits in this browser to whoever has just signed in as themselves, and lets them in by it. Throws AppError `unauthenticated` where
 * either is over, or they are no user of the tenant; `already_exists` where the account is another user's.
 */
export async function linkWaiting(
  services: Services,
  { memory, signInToken, ...told }: Told & { readonly memory: string | undefined; readonly signInToken: string },
): Promise<{ readonly provider: NamedProvider; readonly returnTo: string; readonly step: SignInStep }> {
  const { ip } = told
  const sharer = sharerOf(told)
  await takeAttempt(services, publicLimits(ip), sharer)
  const waiting = openWaiting(services.secrets, memory)
  const found = waiting && (await findTenantProvider(services, { tenantId: waiting.tenantId }, sharer))
  if (!waiting || found?.row.issuer !== waiting.issuer) throw wrongToken()
  const { tenantId, returnTo } = waiting
  const { step, owner } = await services.databases.lookUp(async (tx) => {
    const signIn = await findSignIn(tx, hashToken(signInToken), 'selectTenant')
    // A provider's word is none of the person's: only they say that another account is theirs.
    if (!signIn || signIn.userId === null || signIn.provider) throw wrongToken()
    const { userId, factor } = signIn
    const owner = await findMembership(tx, userId, tenantId)
    if (!owner) throw wrongLogIn()
    if (!(await deleteSignIn(tx, signIn.signInId))) throw wrongToken()
    const present = await findOwner(tx, waiting)
    if (present?.userId !== userId && !(await linkAccount(tx, waiting, owner)))
      throw new AppError('already_exists', 'This account at the provider is another user’s.')
    await tellOfChange(
      tx,
      services,
      userId,
      `Your account ${waiting.account} at ${hostOfIssuer(waiting.issuer)} lets you in to ${found.tenant.name} from now on.`,
    )
    return { step: await stepBy(tx, waiting, userId, factor), owner }
  }, sharer)
  await auditLink(services, waiting, { ...owner, isAcceptance: false }, told)
  return { provider: named(found), returnTo, step }
}
