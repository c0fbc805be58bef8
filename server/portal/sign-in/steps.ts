/** From one step of signing in to the next, and at the end to the cookie: each step is the public operation that a program would call. */
import type { Services } from '#platform/services.ts'
import type { Credential } from '#platform/call.ts'
import { AppError } from '#platform/errors.ts'
import { newPortalSecret } from '#platform/sessions.ts'
import { tenantAt } from '#platform/tenant-hosts.ts'
import type { Profile } from '#tools/auth/account/profile.schema.ts'
import { adoptSession, findNamedTenant, knownSeconds, knownWith, type NamedProvider, providerOf } from '#tools/auth/service.ts'
import type { SignInStep, TenantChoice } from '#tools/auth/sign-in/sign-in.schema.ts'

import { authCookie, cookieOf, knownBrowserOf, knownCookie, setCookie, subDomainOf } from '../browser.rules.ts'
import type { PageCall } from '../calls.ts'
import type { PortalAnswer, Visit } from '../portal.types.ts'
import { type Aim, authCookieOf, type Frame, frameOf, type FrameParts } from './frame.ts'
import { startEnrolment } from './enrol-routes.ts'
import { factorPage } from './factor-page.ts'

export interface SignInParts extends FrameParts {
  readonly services: Services
  readonly call: PageCall
  /** Goes on with a link that waited for somebody to sign in. */
  readonly openLink: (visit: Visit, token: string, cookie: string) => Promise<PortalAnswer>
  /** Asks whoever has signed in as themselves whether the account that waits is theirs; undefined where none waits for this tenant. */
  readonly askToLink: (visit: Visit, entry: Required<Pick<Entry, 'signInToken' | 'tenantId'>>) => Promise<PortalAnswer | undefined>
}

/** What select_tenant answers: the session, or what the tenant asks for before there is one. */
type Entered =
  | { readonly token: string }
  | (Pick<SignInStep, 'signInToken' | 'channels'> & { readonly next: 'secondFactor' | 'enrolSecondFactor' })

/** The credential of the browser's session in the tenant, or in the one that was used last. */
export function cookieCredential(visit: Visit, subDomain?: string): Credential {
  const value = cookieOf(visit.raw.headers, authCookie)
  return value === undefined ? { kind: 'none' } : { kind: 'portal', by: 'cookie', value, subDomain, isBackground: false }
}

/** What whoever shows the credential is called; undefined for nobody. */
export async function nameOf({ call }: Pick<SignInParts, 'call'>, visit: Visit, credential: Credential): Promise<string | undefined> {
  if (credential.kind === 'none') return undefined
  // The operation's own schema says what it answers.
  const profile = (await call(visit, 'get_profile', {}, credential).catch(() => undefined)) as Profile | undefined
  return profile?.displayName
}

/** The provider of the tenant that somebody is on the way to: the host's, or the one that was asked for. */
export async function providerOnTheWay(
  services: Services,
  visit: Visit,
  { tenant, returnTo }: Pick<Aim, 'tenant' | 'returnTo'>,
): Promise<NamedProvider | undefined> {
  const subDomain = (await tenantOfHost(services, visit)) ?? tenant ?? subDomainOf(returnTo)
  return subDomain === undefined ? undefined : providerOf(services, { subDomain }, visit.ip)
}

/** The sub-domain of the tenant whose host it is; undefined for the portal's own, and for one that is nobody's. */
export async function tenantOfHost(services: Services, { host, ip }: Pick<Visit, 'host' | 'ip'>): Promise<string | undefined> {
  const tenantId = await tenantAt(services, host, `address ${ip ?? ''}`)
  return tenantId === undefined ? undefined : (await findNamedTenant(services, { tenantId }))?.subDomain
}

/**
 * The tenant to enter: the host's, else the one that was asked for, else that of the path to go to, else the only one or the one that was used last, which
 * stands first. Throws AppError `not_found` for one that is none of theirs.
 */
export function chooseTenant(
  tenants: readonly TenantChoice[],
  { ofHost, tenant, returnTo }: { readonly ofHost: string | undefined } & Pick<Aim, 'tenant' | 'returnTo'>,
): TenantChoice | undefined {
  const find = (subDomain: string | undefined) => tenants.find((one) => one.subDomain.toLowerCase() === subDomain)
  const wanted = ofHost ?? tenant
  if (wanted === undefined) return find(subDomainOf(returnTo)) ?? tenants[0]
  const found = find(wanted)
  if (!found) throw new AppError('not_found', 'No such tenant. Name the sub-domain of one that you are a user of.')
  return found
}

/** What follows the password, or a factor. */
export async function afterStep(parts: SignInParts, visit: Visit, aim: Aim, step: SignInStep): Promise<PortalAnswer> {
  const frame = frameOf(visit, parts)
  if (step.next === 'secondFactor') return factorPage(frame, aim, { signInToken: step.signInToken, channels: step.channels ?? [] })
  const ofHost = await tenantOfHost(parts.services, visit)
  const chosen = chooseTenant(step.tenants ?? [], { ofHost, ...aim })
  if (!chosen) throw new AppError('unauthenticated', 'There is nothing to sign in to.')
  return enterTenant(parts, visit, { ...aim, tenant: chosen.subDomain }, { signInToken: step.signInToken, tenantId: chosen.tenantId })
}

export interface Entry {
  /** Absent: the browser changes tenant by its session. */
  readonly signInToken?: string
  readonly tenantId: number
  /** By the tenant's own provider, which says nothing of the person's password. */
  readonly isByProvider?: boolean
}

/** The last step: a session of the tenant in the browser's cookie, a new one unless the tenant is changed. */
export async function enterTenant(parts: SignInParts, visit: Visit, aim: Aim, entry: Entry): Promise<PortalAnswer> {
  const { services, call } = parts
  const frame = frameOf(visit, parts)
  const { signInToken, tenantId, isByProvider = false } = entry
  const isChange = signInToken === undefined
  const asked = aim.isLinking === true && signInToken !== undefined ? await parts.askToLink(visit, { signInToken, tenantId }) : undefined
  if (asked) return asked
  const credential = isChange ? cookieCredential(visit) : undefined
  // The operation's own schema says what it answers.
  const entered = (await call(visit, 'select_tenant', { ...(isChange ? {} : { signInToken }), tenantId }, credential)) as Entered
  if (!('token' in entered)) return beforeTenant(parts, visit, frame, aim, entry, entered)
  const present = cookieOf(visit.raw.headers, authCookie)
  const cookie = isChange && present !== undefined ? present : newPortalSecret()
  // Whoever signs in anew leaves nothing of the one before in this browser.
  if (!isChange && present !== undefined) await call(visit, 'logout', {}, cookieCredential(visit)).catch(() => undefined)
  const { userId } = await adoptSession(services, entered.token, cookie)
  const known = knownWith(services.secrets, knownBrowserOf(visit.raw.headers), userId, Date.now())
  const cookies = [
    authCookieOf(cookie, parts),
    ...(isChange || isByProvider ? [] : [setCookie(knownCookie, known, parts.isSecure, knownSeconds)]),
  ]
  if (aim.link !== undefined) return withCookies(await parts.openLink(visit, aim.link, cookie), cookies)
  return frame.go(pathAfter(aim), cookies)
}

/** Where to, once there is a session of the tenant `aim.tenant`. */
function pathAfter({ returnTo, tenant }: Aim): string {
  const ofPath = subDomainOf(returnTo)
  if (tenant === undefined || (returnTo !== '/' && (ofPath === undefined || ofPath === tenant))) return returnTo
  return `/t/${tenant}`
}

/** The answer, with these cookies beside its own. */
export function withCookies(answer: PortalAnswer, cookies: readonly string[]): PortalAnswer {
  const others = [answer.headers['set-cookie'] ?? []].flat()
  return { ...answer, headers: { ...answer.headers, 'set-cookie': [...others, ...cookies] } }
}

async function beforeTenant(
  parts: SignInParts,
  visit: Visit,
  frame: Frame,
  aim: Aim,
  entry: Entry,
  { next, signInToken, channels = [] }: Exclude<Entered, { token: string }>,
): Promise<PortalAnswer> {
  if (next === 'secondFactor') return factorPage(frame, aim, { signInToken, channels })
  // The token admits enrolment, and nothing else.
  return startEnrolment(parts, visit, { frame, aim }, { signInToken, tenantId: entry.tenantId })
}
