/** The page of consent: whoever is signed in answers for one tenant, in which the browser has a session, so that all that the tenant asks of its people holds. */
import { type Consent, consentCookie, type Consents } from '#platform/consents.ts'
import { AppError } from '#platform/errors.ts'
import type { Actor } from '#platform/operation.ts'
import { administratorRoles, flagOf, isRoleName, roleBits } from '#platform/roles.ts'
import type { Services } from '#platform/services.ts'
import { freshProofMs, sessionIdOf } from '#platform/sessions.ts'
import type { Profile } from '#tools/auth/account/profile.schema.ts'
import { renewCookie } from '#tools/auth/service.ts'

import type { PageCall } from '../calls.ts'
import type { PortalAnswer, PortalRoute, Visit } from '../portal.types.ts'
import type { PortalSessions } from '../sessions.ts'
import { authCookieOf, type Frame, frameOf, type FrameParts, isOwnForm } from '../sign-in/frame.ts'
import { toldOf } from '../sign-in/problems.ts'
import { cookieCredential, withCookies } from '../sign-in/steps.ts'
import {
  type Access,
  accessOf,
  consentPage,
  consentPath,
  type ConsentView,
  overPage,
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

export function createConsentRoutes(parts: ConsentRouteParts): PortalRoute[] {
  const { services, consents, sessions, call } = parts
  const told = ({ requestId, ip }: Visit) => ({ requestId, ip })

  /** Who answers for which tenant, or the page that comes before. */
  async function begin(visit: Visit, frame: Frame, wanted: string | null): Promise<Answering | PortalAnswer> {
    const consent = await consents.find(visit.parameters['uid'] ?? '', cookieOfConsent(visit))
    if (!consent) return overPage(frame)
    const query = wanted === null ? '' : `?tenant=${encodeURIComponent(wanted)}`
    const signIn = () => frame.go(`/login?returnTo=${encodeURIComponent(consentPath(consent.uid) + query)}`)
    if (!(await sessions.sessionOf(visit.raw))) return signIn()
    // The operation's own schema says what it answers.
    const profile = (await call(visit, 'get_profile', {}, cookieCredential(visit))) as Profile
    const { tenantId } = consent.resource
    const of = (one: Tenant) => (tenantId === undefined ? one.subDomain.toLowerCase() === wanted?.toLowerCase() : one.tenantId === tenantId)
    const isOpen = tenantId === undefined && wanted === null
    if (isOpen && profile.tenants.length > 1) return tenantPage(frame, consent, profile.tenants)
    const tenant = isOpen ? profile.tenants[0] : profile.tenants.find(of)
    const texts = consentTexts(frame.language)
    if (!tenant) return refusedPage(frame, consent, texts.noMember, texts.refuse)
    const session = await sessions.sessionOf(visit.raw, tenant.subDomain.toLowerCase())
    if (!session) return tenantPage(frame, consent, [tenant])
    if (!(await consents.letsAppsIn(tenant.tenantId))) return refusedPage(frame, consent, texts.noApps(tenant.name), texts.refuse)
    return { consent, session, tenant, profile }
  }

  function viewOf({ consent, session, tenant, profile }: Answering, more: Partial<ConsentView> = {}): ConsentView {
    const { givable, ticked } = consents.offer(consent, session)
    return {
      consent,
      tenant,
      account: profile.logInName === null ? profile.displayName : `${profile.displayName} (${profile.logInName})`,
      hasOthers: consent.resource.tenantId === undefined && profile.tenants.length > 1,
      givable,
      ticked,
      access: accessOf(ticked, givable),
      needsProof: (givable & administratorRoles) !== 0 && Date.now() - (session.provedAt ?? 0) >= freshProofMs,
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
    const [password, code] = [fields.get('password') ?? '', (fields.get('code') ?? '').trim()]
    const subDomain = answering.tenant.subDomain.toLowerCase()
    if (password === '' && code === '') return { session: answering.session, cookies: [] }
    await call(visit, 'prove_identity', password === '' ? { code } : { password }, cookieCredential(visit, subDomain))
    const session = (await sessions.sessionOf(visit.raw, subDomain)) ?? answering.session
    const cookie = await renewCookie(services, sessionIdOf(session) ?? 0)
    return { session, cookies: cookie === undefined ? [] : [authCookieOf(cookie, parts)] }
  }

  async function decide(visit: Visit, fields: URLSearchParams, frame: Frame, answering: Answering): Promise<PortalAnswer> {
    const texts = consentTexts(frame.language)
    const { consent } = answering
    const { givable } = consents.offer(consent, answering.session)
    const chosen = fields.get('access')
    const access: Access = chosen === 'read' || chosen === 'work' ? chosen : 'own'
    const ticked = flagOf(fields.getAll('role').filter(isRoleName)) & givable
    const roles = access === 'read' ? roleBits.DataView & givable : access === 'work' ? workRoles & givable : ticked
    const again = (problem: string, status = 400) => consentPage(frame, viewOf(answering, { access, ticked, problem, status }))
    if (roles === 0) return again(texts.nothing)
    let cookies: readonly string[] = []
    try {
      const proved = (roles & administratorRoles) === 0 ? { session: answering.session, cookies } : await prove(visit, fields, answering)
      cookies = proved.cookies
      return withCookies(frame.go(await consents.give(consent, proved.session, roles, told(visit))), cookies)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.code === 'fresh_proof_required') {
        const page = consentPage(frame, viewOf(answering, { access, ticked, needsProof: true, problem: texts.proofNeeded, status: 403 }))
        return withCookies(page, cookies)
      }
      if (error.code === 'forbidden' || error.code === 'invalid_input') return withCookies(again(texts.wrongProof, 403), cookies)
      if (cookies.length === 0) throw error
      // The browser has no session any more but by the new cookie, whatever else went wrong.
      const { problem, status } = toldOf(error, frame.texts, frame.texts.failed) ?? { problem: frame.texts.failed, status: error.status }
      return withCookies(again(problem, status), cookies)
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
        return path === undefined ? consentPage(frame, viewOf(begun)) : frame.go(path)
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
        if (!isOwn) return consentPage(frame, viewOf(begun, { status: 403, problem: frame.texts.stale }))
        return fields.get('decision') === 'allow' ? decide(visit, fields, frame, begun) : consentPage(frame, viewOf(begun))
      },
    },
  ]
}
