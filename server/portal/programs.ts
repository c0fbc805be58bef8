/** How programs sign in at the portal, for its files: by Basic with every request, or once for a token. Both take the password that people sign in with. */
import { LRUCache } from 'lru-cache'
import { z } from 'zod'

import { AppError, toProblem } from '#platform/errors.ts'
import { parseInput } from '#platform/issues.ts'
import { writePortalToken } from '#platform/portal-tokens.ts'
import { type RoleName, rolesOf } from '#platform/roles.ts'
import type { Services } from '#platform/services.ts'
import { portalIdleSeconds } from '#platform/sessions.ts'
import { adoptSession, memberByPassword, type PortalMember, provePerson, type ProvedPerson, tenantsOfSignIn } from '#tools/auth/service.ts'
import type { SignInStep, TenantChoice } from '#tools/auth/sign-in/sign-in.schema.ts'

import type { PageCall } from './calls.ts'
import type { PortalAnswer, PortalRoute, Visit } from './portal.types.ts'
import { chooseTenant, tenantOfHost } from './sign-in/steps.ts'

const keptMs = 60_000

/** The strongest first. */
const byStrength: readonly RoleName[] = [
  'GlobalAdmin',
  'AdminUser',
  'AdminIntegration',
  'BuilderAdmin',
  'AdminCSS',
  'DataDelete',
  'DataImport',
  'DataEdit',
  'FileEdit',
  'DataView',
]

/** The name and the password of `Authorization: Basic`; undefined for what is none. */
export function readBasic(header: string | undefined): { readonly logIn: string; readonly password: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]{1,4096}) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString()
  const at = text.indexOf(':')
  return at < 0 ? undefined : { logIn: text.slice(0, at), password: text.slice(at + 1) }
}

export interface Basic {
  /** Throws AppError `unauthenticated`, `second_factor_required`, `rate_limited`. */
  memberOf(visit: Visit, choose: (tenants: readonly TenantChoice[]) => TenantChoice | undefined): Promise<PortalMember>
}

/** A password that was right is not hashed again for a minute; what its person may do is looked up each time. */
export function createBasic(services: Services): Basic {
  const proved = new LRUCache<string, ProvedPerson>({ max: 10_000, ttl: keptMs })
  return {
    async memberOf({ raw, ip }, choose) {
      const given = readBasic(raw.headers.authorization)
      if (!given || given.logIn.length > 254 || given.password.length > 1_000 || given.logIn.trim() === '')
        throw new AppError('unauthenticated', 'Send a name and a password as Basic.')
      const key = services.secrets.sign('basic', JSON.stringify([given.logIn, given.password]))
      const known = proved.get(key)
      if (known) {
        try {
          return await memberByPassword(services, known, choose)
        } catch (error) {
          // Something of their log-in changed; the password itself may still be right.
          if (!(error instanceof AppError) || error.code !== 'unauthenticated') throw error
          proved.delete(key)
        }
      }
      const person = await provePerson(services, { ...given, ip })
      proved.set(key, person)
      return memberByPassword(services, person, choose)
    },
  }
}

const input = z.object({
  username: z.string().trim().min(1).max(254).optional().describe('The log-in name, or an e-mail'),
  password: z.string().min(1).max(1_000).optional(),
  signInToken: z.string().min(1).max(200).optional().describe('Of verify_second_factor, in place of both'),
  tenant: z.string().trim().toLowerCase().min(1).max(63).optional().describe('A sub-domain'),
})

type Entered =
  | {
      readonly token: string
      readonly tenantId: number
      readonly tenantUserId: number
      readonly displayName: string
      readonly roleFlag: number
    }
  | SignInStep

const json = (status: number, body: unknown, type = 'application/json'): PortalAnswer => ({
  status,
  headers: {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  },
  body: JSON.stringify(body),
})

/** What stands between a password and a token, and how to go on. */
function factorNeeded({ requestId }: Visit, { signInToken, expiresAt, next, channels = [] }: SignInStep): PortalAnswer {
  const isEnrolment = next === 'enrolSecondFactor'
  const error = new AppError(
    'second_factor_required',
    isEnrolment
      ? 'The tenant asks for a second factor. Enrol one with signInToken as Bearer (enroll_totp, confirm_totp), then send signInToken here.'
      : 'A second factor is needed. Show it with verify_second_factor, then send the signInToken that it answers here.',
  )
  const more = { signInToken, channels, expiresAt, ...(isEnrolment ? { next } : {}) }
  return json(401, { ...toProblem(error, requestId), ...more }, 'application/problem+json')
}

/** POST /api/auth/login. */
export function createTokenRoute({ services, call }: { readonly services: Services; readonly call: PageCall }): PortalRoute {
  async function stepOf(visit: Visit, { username, password, signInToken }: z.infer<typeof input>): Promise<SignInStep> {
    if (signInToken !== undefined && username === undefined && password === undefined) {
      const tenants = await tenantsOfSignIn(services, signInToken, visit.ip)
      if (!tenants)
        throw new AppError('unauthenticated', 'The signInToken is over, was used, or a factor is still to be shown. Begin again.')
      return { signInToken, next: 'selectTenant', expiresAt: '', tenants }
    }
    if (username === undefined || password === undefined || signInToken !== undefined)
      throw new AppError('invalid_input', 'Give username and password, or the signInToken of verify_second_factor.')
    // The operation's own schema says what it answers.
    return (await call(visit, 'login', { userName: username, password })) as SignInStep
  }

  return {
    method: 'POST',
    path: '/api/auth/login',
    async answer(visit) {
      const parsed = parseInput(input, await visit.json())
      if (!parsed.isOk) throw new AppError('invalid_input', 'The body is username and password.', { issues: parsed.issues })
      const given = input.parse(parsed.value)
      const step = await stepOf(visit, given)
      if (step.next === 'secondFactor') return factorNeeded(visit, step)
      const ofHost = await tenantOfHost(services, visit)
      const chosen = chooseTenant(step.tenants ?? [], { ofHost, tenant: given.tenant, returnTo: '/' })
      if (!chosen) throw new AppError('unauthenticated', 'There is nothing to sign in to.')
      const entered = (await call(visit, 'select_tenant', { signInToken: step.signInToken, tenantId: chosen.tenantId })) as Entered
      if (!('token' in entered)) return factorNeeded(visit, entered)
      const { token, tenantId, tenantUserId, displayName, roleFlag } = entered
      const roles = rolesOf(roleFlag)
      return json(200, {
        token: await writePortalToken(services.secrets, (await adoptSession(services, token, undefined)).secret),
        expiresInSeconds: portalIdleSeconds,
        role: byStrength.find((role) => roles.includes(role)) ?? null,
        roles,
        tenantId,
        tenantUserId,
        displayName,
      })
    },
  }
}
