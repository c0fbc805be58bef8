/** Mails in a tenant's own words: what they may hold, who gets them, and that nothing of anybody's comes through as markup. */
import fc from 'fast-check'
import { Secret, TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'

import { type PersonMail, takeMails } from '#platform/person-mail.ts'
import { findTemplateIssues, renderMail } from '#tools/mails/service.ts'

import { joinTenant, newPerson, newSession, strangerAt } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'
import './support/seed.ts'

const world = useWorld()
let global: TestTenant
beforeAll(async () => {
  global = await world.newTenant(1023)
})

const call = (name: string, input: object) => world.call(name, input, { key: global.key })
const own = {
  templateType: 'invitation',
  languageCode: 'en-US',
  subject: 'Come to [[tenant]]',
  body: 'Hello [[recipient]],\n\n[button: Accept]([[link]])',
}

async function mails(): Promise<Extract<PersonMail, { kind: 'mail' }>[]> {
  const { databases, secrets } = world.platform.services
  const taken = await databases.lookUp((tx) => takeMails(tx, secrets, 100))
  return taken.flatMap(({ mail }) => (mail.kind === 'mail' ? mail : []))
}

describe('a template', () => {
  it('is kept by language, copied, listed beside the shipped ones, and previewed', async () => {
    const { tenantId } = await world.newTenant()
    const shipped = await call('list_email_templates', { tenantId })
    expect(shipped).toHaveLength(9)
    expect(shipped.every((one: { isShipped: boolean }) => one.isShipped)).toBe(true)
    expect(await call('save_email_template', { tenantId, ...own })).toMatchObject({
      ...own,
      isShipped: false,
      variables: ['tenant', 'recipient', 'link'],
    })
    const copy = { tenantId, templateType: 'invitation', languageCode: 'de-DE', fromLanguageCode: 'en-US' }
    expect(await call('clone_email_template', copy)).toMatchObject({ languageCode: 'de-DE', subject: own.subject })
    const listed = await call('list_email_templates', { tenantId })
    expect(listed.filter((one: { isShipped: boolean }) => !one.isShipped).map((one: { languageCode: string }) => one.languageCode)).toEqual(
      ['en-US', 'de-DE'],
    )
    const shown = await call('preview_email_template', { tenantId, templateType: 'invitation' })
    expect(shown.text).toMatch(/^Hello Ana Ruiz,\n\nAccept:\nhttp:\/\/localhost:\d+\/login$/)
    expect(shown.html).toContain('>Accept</a>')
    const tried = await call('preview_email_template', { tenantId, templateType: 'digest', body: '# News\n\n- [[title]]\n- <b>' })
    expect(tried.html).toContain('<h1 style="font-size:20px">News</h1>\n<ul><li>Order WO-1042</li><li>&lt;b&gt;</li></ul>')
  })

  it.each([
    ['a variable that is none', { body: '[[lnk]] [[link]]' }, '$.body'],
    ['an image', { body: '![x](https://x.example/pixel.png) [[link]]' }, '$.body'],
    ['an invitation without its link', { body: 'Hello' }, '$.body'],
    ['a subject of two lines', { subject: 'Come\r\nBcc: eve@x.example' }, '$.subject'],
    ['a link in the subject', { subject: '[[link]]' }, '$.subject'],
    ['a button to a script', { body: '[[link]]\n\n[button: x](javascript:alert(1))' }, '$.body'],
    ['a language that is none', { languageCode: 'xx-XX' }, '$.languageCode'],
  ])('refuses %s', async (_what, more, path) => {
    const error = await world.refusal('save_email_template', { tenantId: global.tenantId, ...own, ...more }, global.key)
    expect(error).toMatchObject({ code: 'invalid_input', issues: [{ path }] })
  })

  it('is a global administrator’s', async () => {
    for (const name of ['list_email_templates', 'save_email_template', 'send_tenant_email'])
      await expect(world.call(name, { tenantId: world.tenant.tenantId }), name).rejects.toMatchObject(refused('forbidden'))
  })
})

describe('rendering', () => {
  it('lets no value through as markup, a variable or a header, whatever it is', () => {
    const body = '# [[title]]\n\n[[text]]\n\n- [[recipient]]\n\n[button: [[title]]]([[link]])'
    fc.assert(
      fc.property(fc.string(), fc.string(), (title, text) => {
        const mail = renderMail(
          { subject: '[[title]]', body },
          { title, text: `${text}[[recipient]]<img src=x>`, recipient: 'Ana', link: 'javascript:alert(1)' },
        )
        expect(mail.html.match(/<(?!\/?(?:html|body|h1|p|ul|li|br)\b|!doctype)/)).toBeNull()
        expect(mail.html).toContain('[[recipient]]&lt;img src=x&gt;')
        expect(mail.subject).not.toMatch(/[\r\n]/)
      }),
    )
    expect(findTemplateIssues('digest', { subject: 'x', body: '[[constructor]]' })).toHaveLength(1)
    expect(renderMail({ subject: '[[constructor]]', body: 'x' }, {}).subject).toBe('')
  })
})

describe('mails', () => {
  it('of an invitation go out in the tenant’s words, in the user’s language where it has them', async () => {
    const tenant = await world.newTenant()
    const { tenantId } = tenant
    await call('save_email_template', { tenantId, ...own })
    await call('save_email_template', { tenantId, ...own, languageCode: 'de-DE', subject: 'Komm zu [[tenant]]' })
    for (const [email, language] of [
      ['en@x.example', 'en-US'],
      ['de@x.example', 'de-DE'],
      ['fr@x.example', 'fr-FR'],
    ]) {
      const { tenantUserId } = await world.call('create_user', { email, language, displayName: 'Ana <b>' }, { key: tenant.key })
      await world.call('invite_user', { tenantUserId }, { key: tenant.key })
    }
    const sent = new Map((await mails()).map((mail) => [mail.to, mail]))
    expect(['en@x.example', 'de@x.example', 'fr@x.example'].map((to) => sent.get(to)?.subject.split(' ')[0])).toEqual([
      'Come',
      'Komm',
      'Come',
    ])
    const mail = sent.get('en@x.example')
    expect(mail?.text).toMatch(/^Hello Ana <b>,\n\nAccept:\nhttp:\/\/localhost:\d+\/login\/link#[\w-]{43}$/)
    expect(mail?.html).toContain('Hello Ana &lt;b&gt;,')
  })

  it('welcome whoever took their membership at the address that was invited, where it is theirs', async () => {
    const tenant = await world.newTenant()
    const { tenantId } = tenant
    const body = 'Dear [[recipient]],\n\n[button: In]([[link]])'
    const words = { tenantId, templateType: 'welcome', languageCode: 'de-DE', subject: 'Hello at [[tenant]]', body }
    await call('save_email_template', words)
    const { tenantSubDomain } = await world.call('whoami', {}, { key: tenant.key })
    const invited = async (email: string, language: string, asLink = false): Promise<string> => {
      const { tenantUserId } = await world.call('create_user', { email, language, displayName: 'Ana' }, { key: tenant.key })
      const { link } = await world.call('invite_user', { tenantUserId, asLink }, { key: tenant.key })
      const text: string = link ?? (await mails()).find(({ to }) => to === email)?.text ?? ''
      return /#([\w-]{43})/.exec(text)?.[1] ?? ''
    }
    const password = 'nine silver herons at dusk'
    const sent: Awaited<ReturnType<typeof mails>> = []
    for (const [email, language, asLink] of [
      ['german@w.example', 'de-DE', false],
      ['english@w.example', 'en-US', false],
      ['copied@w.example', 'en-US', true],
    ] as const) {
      const token = await invited(email, language, asLink)
      await strangerAt(world)('complete_password_reset', { token, password, userName: email.replace('@', '-') })
      sent.push(...(await mails()))
    }
    expect(sent.map(({ to }) => to).toSorted()).toEqual(['english@w.example', 'german@w.example'])
    const [english, german] = sent.toSorted((a, b) => (a.to < b.to ? -1 : 1))
    expect(english?.subject).toMatch(/^Welcome to t/)
    expect(german?.subject).toMatch(/^Hello at t/)
    expect(german?.text).toMatch(/^Dear Ana,\n\nIn:\nhttp:\/\/localhost:\d+\/t\/[\w-]+$/)
    expect(german?.text.endsWith(`/t/${tenantSubDomain}`)).toBe(true)
    // A person with a log-in of their own: at an address that signs them in alone.
    const person = await newPerson(world, await world.newTenant())
    await world.sql`insert into platform.person_email (email, user_id) values ('mine@w.example', ${person.userId})`
    const key = await newSession(world, person)
    await world.call('complete_password_reset', { token: await invited('mine@w.example', 'en-US') }, { key })
    expect((await mails()).map(({ to, subject }) => [to, subject.slice(0, 7)])).toEqual([['mine@w.example', 'Welcome']])
    const other = await newPerson(world, await world.newTenant())
    await world.call(
      'complete_password_reset',
      { token: await invited('theirs@w.example', 'en-US') },
      { key: await newSession(world, other) },
    )
    expect(await mails()).toEqual([])
  })

  it('tell of changed second factors in the words of the one tenant, with what happened whatever these are', async () => {
    const tenant = await world.newTenant()
    const { tenantId } = tenant
    const words = {
      tenantId,
      templateType: 'secondFactor',
      languageCode: 'de-DE',
      subject: 'Von [[tenant]]',
      body: 'Guten Tag [[recipient]]!',
    }
    await call('save_email_template', words)
    const changed = async (language: string, alsoIn?: TestTenant) => {
      const person = await newPerson(world, tenant)
      const email = `${person.userName}@example.com`
      await world.sql`insert into platform.person_email (email, user_id) values (${email}, ${person.userId})`
      await world.call('set_user_language', { tenantUserId: person.tenantUserId, language }, { key: tenant.key })
      if (alsoIn) await joinTenant(world, person.userId, alsoIn)
      const key = await newSession(world, person)
      const { factorId, secret } = await world.call('enroll_totp', { name: 'Phone' }, { key })
      await world.call('confirm_totp', { factorId, code: new TOTP({ secret: Secret.fromBase32(secret) }).generate() }, { key })
      await world.call('create_recovery_codes', {}, { key })
      await world.call('delete_second_factor', { factorId }, { key })
      return (await mails()).filter(({ to }) => to === email).toSorted((a, b) => (a.text < b.text ? -1 : 1))
    }
    expect((await changed('de-DE')).map(({ subject, text }) => [subject.slice(0, 4), text])).toEqual([
      ['Von ', 'Guten Tag Ana Ruiz!\n\nEin zweiter Faktor wurde entfernt: Phone.'],
      ['Von ', 'Guten Tag Ana Ruiz!\n\nEine Authenticator-App ist als zweiter Faktor hinzugekommen: Phone.'],
      ['Von ', 'Guten Tag Ana Ruiz!\n\nNeue Wiederherstellungscodes wurden gemacht; die alten gelten nicht mehr.'],
    ])
    const shipped = await changed('de-DE', await world.newTenant())
    expect(shipped.map(({ subject }) => subject)).toEqual(Array.from({ length: 3 }, () => 'Your sign-in was changed'))
    expect(shipped[1]?.text).toMatch(/^An authenticator app was added as second factor: Phone\.\n\nIf it was not you/)
  })

  it('to users of a tenant tell who has no address, and refuse those of another', async () => {
    const tenant = await world.newTenant()
    const { tenantId, tenantUserId: admin } = tenant
    const { tenantUserId } = await world.call('create_user', { email: 'ben@x.example', displayName: 'Ben' }, { key: tenant.key })
    const letter = { tenantId, subject: 'Sunday', body: 'Hello [[recipient]] of [[tenant]]' }
    expect(await call('send_tenant_email', { ...letter, tenantUserIds: [tenantUserId, admin, tenantUserId] })).toEqual({
      queued: 1,
      unreachedUserIds: [admin],
    })
    const [mail] = (await mails()).filter(({ to }) => to === 'ben@x.example')
    expect(mail).toMatchObject({ subject: 'Sunday', text: expect.stringMatching(/^Hello Ben of t/) })
    await expect(call('send_tenant_email', { ...letter, tenantUserIds: [global.tenantUserId] })).rejects.toMatchObject({
      issues: [{ path: '$.tenantUserIds' }],
    })
  })
})
