/** Changing the e-mails that a person signs in with: proved by the new address, told to the old ones, undone by them. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { handOverMails, localMails } from '#server/worker/mailer.ts'

import { newPerson, newSession, passwordOfTests, strangerAt, type TestPerson } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
const over = refused('unauthenticated', /link is over/)

let tenant: TestTenant
beforeAll(async () => {
  tenant = await world.newTenant()
})

/** The texts of the mails to an address, after everything that waits was handed over. */
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

async function proved(): Promise<TestPerson & { email: string; next: string; key: string }> {
  const person = await newPerson(world, tenant)
  const email = `${person.userName}@example.com`
  await world.sql`insert into platform.person_email (email, user_id) values (${email}, ${person.userId})`
  return { ...person, email, next: `next-${email}`, key: await newSession(world, person) }
}

const confirm = (token: string) => strangerAt(world)('confirm_email_change', { token })
const logIn = (email: string, password = passwordOfTests) => strangerAt(world)('login', { email, password })

describe('a change of e-mail', () => {
  it('counts once the new address was read, takes the place of the old one, and tells it', async () => {
    const { email, next, key } = await proved()
    expect(await call('request_email_change', { email: next.toUpperCase(), replaces: email }, { key })).toMatchObject({ sentTo: next })
    await expect(logIn(next)).rejects.toMatchObject(refused('unauthenticated'))
    expect((await textsTo(email)).join('\n')).toContain(`${next} is to become`)
    const token = tokenIn(await textsTo(next))
    expect(await confirm(token)).toEqual({ emails: [next] })
    expect(await logIn(next)).toMatchObject({ next: 'selectTenant' })
    await expect(logIn(email)).rejects.toMatchObject(refused('unauthenticated'))
    expect((await textsTo(email)).at(-1)).toMatch(/within 7 days/)
    expect(await call('get_profile', {}, { key })).toMatchObject({ emails: [next] })
    await expect(confirm(token)).rejects.toMatchObject(over)
  })

  it('adds an address beside the others where it replaces none', async () => {
    const { email, next, key } = await proved()
    await call('request_email_change', { email: next }, { key })
    expect((await confirm(tokenIn(await textsTo(next)))).emails.toSorted()).toEqual([email, next].toSorted())
  })

  it('is void where a newer one was asked for, the password was changed, a day passed, or it is used for something else', async () => {
    const { email, next, key } = await proved()
    const newPassword = 'nine silver herons at dusk'
    const ask = async (address: string) => {
      await call('request_email_change', { email: address }, { key })
      return tokenIn(await textsTo(address))
    }
    const older = await ask(next)
    const newer = await ask(`other-${email}`)
    await expect(confirm(older)).rejects.toMatchObject(over)
    await expect(strangerAt(world)('complete_password_reset', { token: newer, password: newPassword })).rejects.toMatchObject(over)
    await call('change_password', { password: passwordOfTests, newPassword }, { key })
    await expect(confirm(newer)).rejects.toMatchObject(over)
    const late = await ask(`late-${email}`)
    await world.sql`update platform.person_link set expires_at = now() where kind = 'emailChange'`
    await expect(confirm(late)).rejects.toMatchObject(over)
  })

  it('is asked for alike whether the address is somebody’s, and takes it from nobody', async () => {
    const [mine, theirs] = [await proved(), await proved()]
    expect(await call('request_email_change', { email: theirs.email }, { key: mine.key })).toMatchObject({ sentTo: theirs.email })
    await expect(confirm(tokenIn(await textsTo(theirs.email)))).rejects.toMatchObject(refused('conflict', /somebody else/))
    expect(await logIn(theirs.email)).toMatchObject({ next: 'selectTenant' })
    expect(await call('get_profile', {}, { key: mine.key })).toMatchObject({ emails: [mine.email] })
  })

  it('needs a fresh proof, and names only proved addresses', async () => {
    const person = await proved()
    const stale = await newSession(world, person, 11)
    await expect(call('request_email_change', { email: person.next }, { key: stale })).rejects.toMatchObject(
      refused('fresh_proof_required'),
    )
    for (const [input, path] of [
      [{ email: person.next, replaces: 'nobody@example.com' }, '$.replaces'],
      [{ email: person.email }, '$.email'],
      [{ email: 'no address' }, '$.email'],
    ] as const)
      await expect(call('request_email_change', input, { key: person.key })).rejects.toMatchObject({
        code: 'invalid_input',
        issues: [{ path }],
      })
  })
})

describe('undoing it', () => {
  it('puts the addresses back, ends all sessions and links, and names the keys that stay, also after a second change', async () => {
    const { email, next, key, tenantUserId } = await proved()
    await call('create_api_key', { name: 'Van 7', roles: ['DataView'], tenantUserId }, { key: tenant.key })
    await call('request_email_change', { email: next, replaces: email }, { key })
    await confirm(tokenIn(await textsTo(next)))
    const undo = tokenIn(await textsTo(email))
    // Whoever has taken the log-in over changes it once more.
    await call('request_email_change', { email: `third-${email}`, replaces: next }, { key })
    await confirm(tokenIn(await textsTo(`third-${email}`)))
    await call('request_email_change', { email: `fourth-${email}` }, { key })
    const pending = tokenIn(await textsTo(`fourth-${email}`))
    const undoOfTheSecond = tokenIn((await textsTo(next)).filter((text) => /within 7 days/.test(text)))
    expect(await confirm(undo)).toEqual({ emails: [email] })
    await expect(call('whoami', {}, { key })).rejects.toMatchObject(refused('unauthenticated'))
    await expect(confirm(pending)).rejects.toMatchObject(over)
    expect(await logIn(email)).toMatchObject({ next: 'selectTenant' })
    for (const gone of [next, `third-${email}`]) await expect(logIn(gone)).rejects.toMatchObject(refused('unauthenticated'))
    expect((await textsTo(email)).at(-1)).toMatch(/Van 7/)
    await expect(confirm(undo)).rejects.toMatchObject(over)
    // What went to the addresses of whoever had taken the log-in over brings them back no more.
    expect(undoOfTheSecond).toMatch(/^[\w-]{43}$/)
    await expect(confirm(undoOfTheSecond)).rejects.toMatchObject(over)
    expect(await logIn(email)).toMatchObject({ next: 'selectTenant' })
  })
})
