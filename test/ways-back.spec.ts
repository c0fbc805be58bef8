/** Ways out and back: memberships that end, second factors that are lost, and the machine itself. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { Secret, TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'

import { handOverMails, localMails } from '#server/worker/mailer.ts'
import { carryOutFactorResets } from '#tools/auth/service.ts'

import { secretsKeyOfTests } from './support/names.ts'
import { joinTenant, newPerson, newSession, passwordOfTests, strangerAt, type TestPerson } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { openWorld, type TestTenant, useWorld, type World } from './support/world.ts'

const world = useWorld()
const { call } = world
const run = promisify(execFile)

let tenant: TestTenant
let global: TestTenant
beforeAll(async () => {
  tenant = await world.newTenant()
  global = await world.newTenant(1023)
})

const isOver = (key: string) =>
  call('whoami', {}, { key }).then(
    () => false,
    (error: { code: string }) => error.code === 'unauthenticated',
  )

async function textsTo(address: string): Promise<string[]> {
  while ((await handOverMails(world.platform.services)) > 0);
  const folder = localMails(world.config.dataDir)
  const names = (await readdir(folder).catch(() => [])).toSorted((a, b) => (a < b ? -1 : 1))
  const mails = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as { to: string; text: string }),
  )
  return mails.filter(({ to }) => to === address).map(({ text }) => text)
}
const tokenIn = (texts: readonly string[]) => texts.flatMap((text) => /#([\w-]{43})$/m.exec(text)?.[1] ?? []).at(-1) ?? 'no token'

async function withFactor(of: World = world, at = tenant): Promise<{ person: TestPerson; email: string; key: string }> {
  const person = await newPerson(of, at)
  const email = `${person.userName}@example.com`
  await of.sql`insert into platform.person_email (email, user_id) values (${email}, ${person.userId})`
  const key = await newSession(of, person)
  const { factorId, secret } = await of.call('enroll_totp', {}, { key })
  await of.call('confirm_totp', { factorId, code: new TOTP({ secret: Secret.fromBase32(secret) }).generate() }, { key })
  return { person, email, key }
}

/** A tenant whose key acts for nobody in particular. */
async function withoutPeople(): Promise<TestTenant> {
  const own = await world.newTenant()
  await world.sql`update platform.tenant_user set is_service = true where tenant_user_id = ${own.tenantUserId}`
  return own
}

describe('a deleted user', () => {
  it('is gone at once: sessions, keys and sign-ins end, and what the user did keeps the name', async () => {
    const person = await newPerson(world, tenant, ['DataView', 'BuilderAdmin'])
    const second = await world.newTenant()
    await joinTenant(world, person.userId, second)
    const key = await newSession(world, person)
    const { apiKey } = await call(
      'create_api_key',
      { name: 'bound', roles: ['DataView'], tenantUserId: person.tenantUserId },
      { key: tenant.key },
    )
    await call('create_property', { internalName: 'LeftBehind', dataType: 'Text' }, { key })
    const { tenantUserId } = person
    expect(await call('delete_user', { tenantUserId }, { key: tenant.key })).toEqual({ tenantUserId, deletedDate: expect.any(String) })
    expect([await isOver(key), await isOver(apiKey)]).toEqual([true, true])
    for (const [name, more] of [
      ['get_user', {}],
      ['unlock_user', {}],
      ['lock_user', {}],
      ['delete_user', {}],
      ['invite_user', {}],
      ['set_user_language', { language: 'fr-FR' }],
    ] as const)
      await expect(call(name, { tenantUserId, ...more }, { key: tenant.key }), name).rejects.toMatchObject(refused('not_found'))
    expect(await call('list_users', { search: 'Ana Ruiz', pageSize: 1_000 }, { key: tenant.key })).not.toContainEqual(
      expect.objectContaining({ tenantUserId }),
    )
    // The person goes on elsewhere, and learns of no tenant that they have left.
    const step = await strangerAt(world)('login', { userName: person.userName, password: passwordOfTests })
    expect(step.tenants).toMatchObject([{ tenantId: second.tenantId }])
    expect(step.tenants).toHaveLength(1)
    const events = await call('list_audit_events', { tenantUserId }, { key: tenant.key })
    expect(events).toContainEqual(expect.objectContaining({ operation: 'create_property', displayName: 'Ana Ruiz' }))
  })

  it('frees the name and the e-mail, and may be invited anew as another user', async () => {
    const email = `again-${tenant.tenantId}@example.com`
    const made = await call('create_user', { email, userName: 'again', roles: ['DataView'] }, { key: tenant.key })
    await call('invite_user', { tenantUserId: made.tenantUserId }, { key: tenant.key })
    const older = tokenIn(await textsTo(email))
    await call('delete_user', { tenantUserId: made.tenantUserId }, { key: tenant.key })
    await expect(
      strangerAt(world)('complete_password_reset', { token: older, password: 'nine silver herons at dusk' }),
    ).rejects.toMatchObject(refused('unauthenticated', /link is over/))
    const anew = await call('create_user', { email, userName: 'again', roles: ['DataView'] }, { key: tenant.key })
    expect(anew.tenantUserId).not.toBe(made.tenantUserId)
    expect(anew).toMatchObject({ userName: 'again', email })
  })

  it('is neither oneself, nor the last administrator, nor somebody with a role that one lacks, nor a key’s user', async () => {
    const own = await withoutPeople()
    const admin = await newPerson(world, own, ['AdminUser'])
    const key = await newSession(world, admin)
    await expect(call('delete_user', { tenantUserId: admin.tenantUserId }, { key })).rejects.toMatchObject(refused('conflict', /yourself/))
    await expect(call('delete_user', { tenantUserId: admin.tenantUserId }, { key: own.key })).rejects.toMatchObject(
      refused('conflict', /last user with AdminUser/),
    )
    const builder = await newPerson(world, own, ['BuilderAdmin'])
    await expect(call('delete_user', { tenantUserId: builder.tenantUserId }, { key })).rejects.toMatchObject(refused('forbidden', /lacks/))
    const { tenantUserId } = await call('create_api_key', { name: 'service', roles: ['DataView'] }, { key: own.key })
    await expect(call('delete_user', { tenantUserId }, { key: own.key })).rejects.toMatchObject(refused('conflict', /service user/))
  })
})

describe('the last administrator', () => {
  it('is neither locked, deleted nor stripped, by whomever, from here or from elsewhere, also of two at once', async () => {
    const own = await withoutPeople()
    const [one, two] = [await newPerson(world, own, ['AdminUser']), await newPerson(world, own, ['AdminUser'])]
    const last = refused('conflict', /last user with AdminUser/)
    const both = await Promise.allSettled([
      call('lock_user', { tenantUserId: one.tenantUserId }, { key: own.key }),
      call('delete_user', { tenantUserId: two.tenantUserId }, { key: own.key }),
    ])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const left = both[0].status === 'fulfilled' ? two.tenantUserId : one.tenantUserId
    for (const [name, key] of [
      ['lock_user', own.key],
      ['delete_user', own.key],
    ] as const)
      await expect(call(name, { tenantUserId: left }, { key }), name).rejects.toMatchObject(last)
    for (const key of [own.key, global.key])
      await expect(
        call('set_user_roles', { tenantId: own.tenantId, tenantUserId: left, roles: ['DataView'] }, { key }),
      ).rejects.toMatchObject(last)
  })
})

describe('a reset of second factors', () => {
  it('is mailed at once, takes them after a day, and ends the sessions', async () => {
    const { person, email, key } = await withFactor()
    const { tenantUserId, userId } = person
    await call('create_api_key', { name: 'Van 7', roles: ['DataView'], tenantUserId }, { key: tenant.key })
    const { dueAt } = await call('reset_user_factors', { userId }, { key: global.key })
    expect(Math.round((Date.parse(dueAt) - Date.now()) / 3_600_000)).toBe(24)
    expect((await textsTo(email)).at(-1)).toMatch(/in 24 hours[\s\S]*#[\w-]{43}$/)
    expect(await carryOutFactorResets(world.platform.services)).toBe(0)
    expect(await call('list_second_factors', {}, { key })).toHaveLength(1)
    await expect(call('reset_user_factors', { userId }, { key: global.key })).rejects.toMatchObject(refused('conflict', /under way/))
    await world.sql`update platform.factor_reset set due_at = now() where user_id = ${userId}`
    const carried = await Promise.all([1, 2, 3].map(() => carryOutFactorResets(world.platform.services)))
    expect(carried.toSorted((a, b) => a - b)).toEqual([0, 0, 1])
    expect(await isOver(key)).toBe(true)
    expect(await strangerAt(world)('login', { userName: person.userName, password: passwordOfTests })).toMatchObject({
      next: 'selectTenant',
    })
    const [left] = await world.sql`select count(*)::int as codes from platform.recovery_code where user_id = ${userId}`
    expect(left).toEqual({ codes: 0 })
    expect((await textsTo(email)).at(-1)).toMatch(/were removed[\s\S]*Van 7/)
    await expect(strangerAt(world)('confirm_email_change', { token: tokenIn((await textsTo(email)).slice(0, -1)) })).rejects.toMatchObject(
      refused('unauthenticated'),
    )
  })

  it('does nothing where the person objects', async () => {
    const { person, email, key } = await withFactor()
    await call('reset_user_factors', { userId: person.userId }, { key: global.key })
    const token = tokenIn(await textsTo(email))
    await expect(strangerAt(world)('complete_password_reset', { token, password: 'nine silver herons at dusk' })).rejects.toMatchObject(
      refused('unauthenticated'),
    )
    expect(await strangerAt(world)('confirm_email_change', { token })).toEqual({ emails: [email] })
    await expect(strangerAt(world)('confirm_email_change', { token })).rejects.toMatchObject(refused('unauthenticated'))
    await world.sql`update platform.factor_reset set due_at = now()`
    expect(await carryOutFactorResets(world.platform.services)).toBe(0)
    expect(await call('list_second_factors', {}, { key })).toHaveLength(1)
  })

  it('is refused of nobody, and of whoever has none', async () => {
    const person = await newPerson(world, tenant)
    await expect(call('reset_user_factors', { userId: person.userId }, { key: global.key })).rejects.toMatchObject(
      refused('conflict', /no second factor/),
    )
    await expect(call('reset_user_factors', { userId: 2_000_000_000 }, { key: global.key })).rejects.toMatchObject(refused('not_found'))
  })

  it('is refused where no mail is sent, since the person could not object', async () => {
    const silent = await openWorld({ HOST: '0.0.0.0' })
    try {
      const [{ key }, { person }] = [await silent.newTenant(1023), await withFactor(silent, await silent.newTenant())]
      await expect(silent.call('reset_user_factors', { userId: person.userId }, { key })).rejects.toMatchObject(
        refused('unavailable', /MAIL_URL/),
      )
      expect(await silent.sql`select 1 from platform.factor_reset`).toHaveLength(0)
    } finally {
      await silent.close()
    }
  })
})

describe('the link of a reset', () => {
  const password = 'nine silver herons at dusk'
  async function askedReset() {
    const person = await newPerson(world, tenant)
    const email = `${person.userName}@example.com`
    await world.sql`insert into platform.person_email (email, user_id) values (${email}, ${person.userId})`
    await strangerAt(world)('request_password_reset', { userName: email })
    return { person, email, token: tokenIn(await textsTo(email)) }
  }

  it('refuses a log-in name that is not the person’s, and stays good for the one that is, in any case', async () => {
    const { person, token } = await askedReset()
    const complete = (userName: string) => strangerAt(world)('complete_password_reset', { token, password, userName })
    await expect(complete('another')).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path: '$.userName' }] })
    expect(await complete(person.userName.toUpperCase())).toMatchObject({ logInName: person.userName })
  })

  it('gives a person without a log-in name the one they choose, unless somebody has it', async () => {
    const other = await newPerson(world, tenant)
    const { person, email, token } = await askedReset()
    await world.sql`update platform.app_user set user_name = null where user_id = ${person.userId}`
    const complete = (userName: string) => strangerAt(world)('complete_password_reset', { token, password, userName })
    await expect(complete(other.userName)).rejects.toMatchObject(refused('already_exists'))
    const chosen = `first-${person.userName}`
    expect(await complete(chosen)).toEqual({ logInName: chosen, emails: [email] })
    expect(await strangerAt(world)('login', { userName: chosen, password })).toMatchObject({ next: 'selectTenant' })
  })
})

describe('npm run recover', () => {
  const recover = (logIn: string) =>
    run(process.execPath, ['server/main.ts', 'recover', logIn], {
      env: {
        ...process.env,
        DATABASE_URL: world.urls.owner,
        DATA_DIR: world.config.dataDir,
        SECRETS_KEY: secretsKeyOfTests.toString('base64'),
        PORTAL_URL: 'https://portal.example.com',
        LOG_LEVEL: 'error',
      },
    })

  it('prints a link for a new password, which skips no second factor', async () => {
    const { person } = await withFactor()
    const { stdout } = await recover(person.userName)
    const [, token] = /https:\/\/portal\.example\.com\/login\/link#([\w-]{43})/.exec(stdout) ?? []
    const password = 'nine silver herons at dusk'
    expect(await strangerAt(world)('complete_password_reset', { token, password })).toMatchObject({ logInName: person.userName })
    expect(await strangerAt(world)('login', { userName: person.userName, password })).toMatchObject({ next: 'secondFactor' })
  })

  it('says so where nobody has that name', async () => {
    await expect(recover('nobody-at-all')).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('Nobody signs in as nobody-at-all'),
    })
  })
})

describe('the e-mails of a person', () => {
  it('are ten at most, also where changes that were asked for earlier are confirmed at once', async () => {
    const person = await newPerson(world, tenant)
    const emails = Array.from({ length: 9 }, (_, n) => `${n}-${person.userName}@example.com`)
    await world.sql`insert into platform.person_email (email, user_id) select email, ${person.userId} from unnest(${emails}::text[]) email`
    const key = await newSession(world, person)
    const ask = async (email: string) => {
      await call('request_email_change', { email }, { key })
      return tokenIn(await textsTo(email))
    }
    const [tenth, replaced] = [`tenth-${person.userName}@example.com`, `replaced-${person.userName}@example.com`]
    const token = await ask(tenth)
    await world.sql`insert into platform.person_email (email, user_id) values (${`invited-${person.userName}@example.com`}, ${person.userId})`
    await expect(strangerAt(world)('confirm_email_change', { token })).rejects.toMatchObject(refused('conflict', /at most 10/))
    await call('request_email_change', { email: replaced, replaces: emails[0] }, { key })
    const { emails: after } = await strangerAt(world)('confirm_email_change', { token: tokenIn(await textsTo(replaced)) })
    expect(after).toHaveLength(10)
    expect(after).toContain(replaced)
  })
})
