/** The page of consent: whoever is signed in answers for one tenant, in which the browser has a session, so that all that the tenant asks of its people holds. */
import { type Consent, consentCookie, type Consents } from '#platform/consents.ts'
import { AppError } from '#platform/errors.ts'
import type { Actor } from '#platform/operation.ts'
import { administratorRoles, flagOf, isRoleName, roleBits } from '#platform/roles.ts'
import type { Services } from '#platform/services.ts'
import { freshProofMs, sessionIdOf } from '#platform/sessions.ts'
import type { Profile } from '#tools/auth/account/profile.schema.ts'
import type { Factor } from '#tools/auth/factors/factors.schema.ts'
import { renewCookie } from '#tools/auth/service.ts'

import type { PageCall } from '../calls.ts'
import type { PortalAnswer, PortalRoute, Visit } from '../portal.types.ts'
import type { PortalSessions } from '../sessions.ts'
import { authCookieOf, type Frame, frameOf, type FrameParts, isOwnForm } from '../sign-in/frame.ts'
import { credentialIn } from '../sign-in/posted.ts'
import { toldOf } from '../sign-in/problems.ts'
import { cookieCredential, withCookies } from '../sign-in/steps.ts'
import {
  type Access,
  accessOf,
  consentPage,
  consentPath,
  type ConsentView,
  overPage,
  passkeyPage,
  refusedPage,
  tenantPage,
  workRoles,
} from './consent-page.ts'
import { consentTexts } from './texts.ts'

export interface ConsentRouteParts extends FrameParts {
  readonly services: Services
  readonly consents: Consents
  readonly sessions: Pick<PortalSessions, 'sessionOf'>
  readonly call: PageCall
}

type Tenant = Profile['tenants'][number]

interface Answering {
  readonly consent: Consent
  readonly session: Actor
  readonly tenant: Tenant
  readonly profile: Profile
}

/** Of this browser alone; another one's name is longer than ours. */
function cookieOfConsent({ raw }: Visit): string | undefined {
  const values = (raw.headers.cookie ?? '').split(';').flatMap((pair) => {
    const [name, value] = pair.trim().split('=')
    return name === consentCookie && value !== undefined ? [value] : []
  })
  return values.length === 1 ? values[0] : undefined
}

/** What the form says is to be given. */
function chosenIn(fields: URLSearchParams, givable: number): { readonly access: Access; readonly ticked: number } {
  const chosen = fields.get('access')
  return {
    access: chosen === 'read' || chosen === 'work' ? chosen : 'own',
    ticked: flagOf(fields.getAll('role').filter(isRoleName)) & givable,
  }
}

/** What the form shows of who the person is, for prove_identity; undefined where it shows nothing. */
function shownIn(fields: URLSearchParams): Readonly<Record<string, unknown>> | undefined {
  const [credential, password, code] = ['credential', 'password', 'code'].map((name) => fields.get(name) ?? '')
  if (credential) return { credential: credentialIn(credential) }
  if (password) return { password }
  return code?.trim() ? { code: code.trim() } : undefined
}

export function createConsentRoutes(parts: ConsentRouteParts): PortalRoute[] {
  const { services, consents, sessions, call } = parts
  const told = ({ requestId, ip }: Visit) => ({ requestId, ip })

  async function personIn(visit: Visit, subDomain?: string): Promise<Actor | undefined> {
    const session = await sessions.sessionOf(visit.raw, subDomain)
    return session?.isOfProvider === true ? undefined : session
  }

  /** Who answers for which tenant, or the page that comes before. */
  async function begin(visit: Visit, frame: Frame, wanted: string | null): Promise<Answering | PortalAnswer> {
    const consent = await consents.find(visit.parameters['uid'] ?? '', cookieOfConsent(visit))
    if (!consent) return overPage(frame)
    const query = wanted === null ? '' : `?tenant=${encodeURIComponent(wanted)}`
    const signIn = () => frame.go(`/login?returnTo=${encodeURIComponent(consentPath(consent.uid) + query)}`)
    // A tenant's own provider speaks for its tenant, and lets no application in for a person.
    if ((await personIn(visit)) === undefined) return signIn()
    // The operation's own schema says what it answers.
    const profile = (await call(visit, 'get_profile', {}, cookieCredential(visit))) as Profile
    const { tenantId } = consent.resource
    const of = (one: Tenant) => (tenantId === undefined ? one.subDomain.toLowerCase() === wanted?.toLowerCase() : one.tenantId === tenantId)
    const isOpen = tenantId === undefined && wanted === null
    if (isOpen && profile.tenants.length > 1) return tenantPage(frame, consent, profile.tenants)
    const tenant = isOpen ? profile.tenants[0] : profile.tenants.find(of)
    const texts = consentTexts(frame.language)
    if (!tenant) return refusedPage(frame, consent, texts.noMember, texts.refuse)
    const session = await personIn(visit, tenant.subDomain.toLowerCase())
    if (!session) return tenantPage(frame, consent, [tenant])
    if (!(await consents.letsAppsIn(tenant.tenantId))) return refusedPage(frame, consent, texts.noApps(tenant.name), texts.refuse)
    return { consent, session, tenant, profile }
  }

  /** A page that does not offer it is a page all the same. */
  async function hasPasskey(visit: Visit, { subDomain }: Tenant): Promise<boolean> {
    // The operation's own schema says what it answers.
    const factors = (await call(visit, 'list_second_factors', {}, cookieCredential(visit, subDomain.toLowerCase())).catch(
      () => [],
    )) as readonly Pick<Factor, 'channel'>[]
    return factors.some(({ channel }) => channel === 'passkey')
  }

  async function viewOf(
    visit: Visit,
    { consent, session, tenant, profile }: Answering,
    more: Partial<ConsentView> = {},
  ): Promise<ConsentView> {
    const { givable, ticked } = consents.offer(consent, session)
    const isOld = (givable & administratorRoles) !== 0 && Date.now() - (session.provedAt ?? 0) >= freshProofMs
    const needsProof = more.needsProof ?? isOld
    return {
      consent,
      tenant,
      account: profile.logInName === null ? profile.displayName : `${profile.displayName} (${profile.logInName})`,
      hasOthers: consent.resource.tenantId === undefined && profile.tenants.length > 1,
      givable,
      ticked,
      access: accessOf(ticked, givable),
      needsProof,
      hasPasskey: needsProof && (await hasPasskey(visit, tenant)),
      ...more,
    }
  }

  /** Where it was all given before the page need not be seen; an administrator's role wants a proof that only the page can take. */
  async function goOnAlone(visit: Visit, { consent, session }: Answering): Promise<string | undefined> {
    const given = await consents.givenBefore(consent, session)
    if (given === undefined) return undefined
    try {
      return await consents.give(consent, session, given, told(visit))
    } catch (error) {
      if (error instanceof AppError && error.code === 'fresh_proof_required') return undefined
      throw error
    }
  }

  interface Proved {
    readonly session: Actor
    /** A new one of the browser: whoever has the old one has nothing of the proof. */
    readonly cookies: readonly string[]
  }

  /** By what the form brings, where it brings anything. */
  async function prove(visit: Visit, fields: URLSearchParams, answering: Answering): Promise<Proved> {
    const shown = shownIn(fields)
    const subDomain = answering.tenant.subDomain.toLowerCase()
    if (!shown) return { session: answering.session, cookies: [] }
    await call(visit, 'prove_identity', shown, cookieCredential(visit, subDomain))
    const session = (await sessions.sessionOf(visit.raw, subDomain)) ?? answering.session
    const cookie = await renewCookie(services, sessionIdOf(session) ?? 0)
    return { session, cookies: cookie === undefined ? [] : [authCookieOf(cookie, parts)] }
  }

  async function decide(visit: Visit, fields: URLSearchParams, frame: Frame, answering: Answering): Promise<PortalAnswer> {
    const texts = consentTexts(frame.language)
    const { consent } = answering
    const { givable } = consents.offer(consent, answering.session)
    const { access, ticked } = chosenIn(fields, givable)
    const roles = access === 'read' ? roleBits.DataView & givable : access === 'work' ? workRoles & givable : ticked
    const again = async (problem: string, status = 400) =>
      consentPage(frame, await viewOf(visit, answering, { access, ticked, problem, status }))
    if (roles === 0) return again(texts.nothing)
    const isAdministrators = (roles & administratorRoles) !== 0
    let cookies: readonly string[] = []
    try {
      if (isAdministrators && fields.get('decision') === 'passkey') {
        const asked = cookieCredential(visit, answering.tenant.subDomain.toLowerCase())
        const { options } = (await call(visit, 'prove_identity', { passkey: true }, asked)) as { readonly options: unknown }
        return passkeyPage(frame, { ...answering, access, ticked }, options)
      }
      const proved = !isAdministrators ? { session: answering.session, cookies } : await prove(visit, fields, answering)
      cookies = proved.cookies
      return withCookies(frame.go(await consents.give(consent, proved.session, roles, told(visit))), cookies)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.code === 'fresh_proof_required') {
        const view = await viewOf(visit, answering, { access, ticked, needsProof: true, problem: texts.proofNeeded, status: 403 })
        return withCookies(consentPage(frame, view), cookies)
      }
      if (error.code === 'forbidden' || error.code === 'invalid_input') {
        const wrong = fields.get('credential') ? frame.texts.wrongPasskey : texts.wrongProof
        return withCookies(await again(wrong, 403), cookies)
      }
      if (cookies.length === 0) throw error
      // The browser has no session any more but by the new cookie, whatever else went wrong.
      const { problem, status } = toldOf(error, frame.texts, frame.texts.failed) ?? { problem: frame.texts.failed, status: error.status }
      return withCookies(await again(problem, status), cookies)
    }
  }

  return [
    {
      method: 'GET',
      path: '/oauth/consent/:uid',
      async answer(visit) {
        const frame = frameOf(visit, parts)
        const begun = await begin(visit, frame, visit.query.get('tenant'))
        if (!('consent' in begun)) return begun
        const path = await goOnAlone(visit, begun)
        return path === undefined ? consentPage(frame, await viewOf(visit, begun)) : frame.go(path)
      },
    },
    {
      method: 'POST',
      path: '/oauth/consent/:uid',
      async answer(visit) {
        const fields = await visit.form()
        const frame = frameOf(visit, parts)
        const isOwn = isOwnForm(visit, fields, parts)
        if (isOwn && fields.get('decision') === 'refuse') {
          const consent = await consents.find(visit.parameters['uid'] ?? '', cookieOfConsent(visit))
          return consent ? frame.go(await consents.refuse(consent)) : overPage(frame)
        }
        const begun = await begin(visit, frame, fields.get('tenant'))
        if (!('consent' in begun)) return begun
        if (!isOwn) return consentPage(frame, await viewOf(visit, begun, { status: 403, problem: frame.texts.stale }))
        const decision = fields.get('decision')
        if (decision === 'allow' || decision === 'passkey') return decide(visit, fields, frame, begun)
        const chosen = fields.has('access') ? chosenIn(fields, consents.offer(begun.consent, begun.session).givable) : {}
        return consentPage(frame, await viewOf(visit, begun, chosen))
      },
    },
  ]
}
