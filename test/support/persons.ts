/** Persons who took their membership, and their sessions, without the way that leads there. */
import { randomUUID } from 'node:crypto'

import { Secret, TOTP } from 'otpauth'

import { hashPassword } from '#platform/passwords.ts'
import { flagOf, type RoleName } from '#platform/roles.ts'
import { hashToken, newSessionToken } from '#platform/sessions.ts'

import type { TestTenant, World } from './world.ts'

export interface TestPerson {
  readonly userId: number
  readonly tenantId: number
  readonly tenantUserId: number
  /** The log-in name. */
  readonly userName: string
  readonly password: string
}

export const passwordOfTests = 'a password of the tests'
let hash: Promise<string> | undefined

/** A person with a log-in name and a password, who is a member of the tenant. */
export async function newPerson(world: World, tenant: TestTenant, roles: readonly RoleName[] = ['DataView']): Promise<TestPerson> {
  const userName = `person-${randomUUID()}`
  hash ??= hashPassword(passwordOfTests)
  const [row] = await world.sql<{ userId: number }[]>`
    insert into platform.app_user (user_name, password_hash) values (${userName}, ${await hash}) returning user_id`
  const userId = row?.userId ?? 0
  return {
    userId,
    tenantId: tenant.tenantId,
    tenantUserId: await joinTenant(world, userId, tenant, roles),
    userName,
    password: passwordOfTests,
  }
}

/** One more membership of the person. */
export async function joinTenant(
  world: World,
  userId: number,
  tenant: TestTenant,
  roles: readonly RoleName[] = ['DataView'],
): Promise<number> {
  const label = `person-${randomUUID()}`
  const [row] = await world.sql<{ tenantUserId: number }[]>`
    insert into platform.tenant_user (tenant_id, user_id, user_name, display_name, role_flag, accepted_date)
    values (${tenant.tenantId}, ${userId}, ${label}, 'Ana Ruiz', ${flagOf(roles)}, now()) returning tenant_user_id`
  return row?.tenantUserId ?? 0
}

/** The token of a new session of the person, who showed so many minutes ago who they are. */
export async function newSession(world: World, person: Pick<TestPerson, 'tenantUserId'>, provedMinutesAgo = 0): Promise<string> {
  const token = newSessionToken()
  const rows = await world.sql`
    insert into platform.session (user_id, tenant_id, tenant_user_id, token_hash, person_version, membership_version, tenant_version, proved_date,
      created_date, last_used_date, expires_at)
    select u.user_id, u.tenant_id, u.tenant_user_id, ${hashToken(token)}, p.credential_version, u.credential_version, t.credential_version,
      now() - make_interval(mins => ${provedMinutesAgo}), now(), now(), now() + interval '8 hours'
    from platform.tenant_user u join platform.app_user p using (user_id) join platform.tenant t using (tenant_id)
    where u.tenant_user_id = ${person.tenantUserId} returning session_id`
  if (rows.length === 0) throw new Error('There is no such membership')
  return token
}

/** An authenticator app of whoever has the token, of which each code is still to be used. */
export async function enrolApp(
  world: World,
  key: string,
  input: { readonly name?: string } = {},
): Promise<{ readonly app: TOTP; readonly factorId: number; readonly recoveryCodes: string[] }> {
  const { factorId, secret } = await world.call('enroll_totp', input, { key })
  const app = new TOTP({ secret: Secret.fromBase32(secret) })
  const { recoveryCodes } = await world.call('confirm_totp', { factorId, code: app.generate() }, { key })
  // The step of the confirmation is used. The code of the step before would be none any more where a step ends on its way.
  await world.sql`update platform.person_factor set last_step = null where factor_id = ${factorId}`
  return { app, factorId, recoveryCodes }
}

let addresses = 0

/** An address that nobody else of the run calls from, so that what is counted of one test is not another's. */
export function newAddress(): string {
  addresses++
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

/** Calls of whoever has not signed in, from one address. */
export function strangerAt(world: World, ip = newAddress()) {
  return (name: string, input: unknown) => world.call(name, input, { credential: null, ip })
}
