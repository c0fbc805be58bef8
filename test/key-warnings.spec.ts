/** Word to people before an API key ends: to whom it concerns, each of the two once, however many processes look. */
import { beforeAll, describe, expect, it } from 'vitest'

import { type PersonMail, takeMails } from '#platform/person-mail.ts'
import { tellOfEndingKeys } from '#tools/auth/service.ts'

import { newPerson, newSession } from './support/persons.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

type Mail = Extract<PersonMail, { kind: 'mail' }>
const dayMs = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString()

/** What is told now; of mails that are not of keys nothing. */
async function told(): Promise<Mail[]> {
  const { services } = world.platform
  while ((await tellOfEndingKeys(services)) > 0);
  const mails: Mail[] = []
  for (;;) {
    const taken = await services.databases.lookUp((tx) => takeMails(tx, services.secrets, 100))
    mails.push(...taken.flatMap(({ mail }) => (mail.kind === 'mail' && mail.text.includes('/ops/api-keys') ? mail : [])))
    if (taken.length === 0) return mails
  }
}

let tenant: TestTenant
beforeAll(async () => {
  tenant = await world.newTenant()
})

/** A member with an e-mail; answers the e-mail. */
async function member(roles: Parameters<typeof newPerson>[2], more: { language?: string; zone?: string } = {}) {
  const person = await newPerson(world, tenant, roles)
  const email = `${person.userName}@example.com`
  const { tenantUserId } = person
  await call('add_user_contact', { tenantUserId, kind: 'email', value: email }, { key: tenant.key })
  if (more.language) await call('set_user_language', { tenantUserId, language: more.language }, { key: tenant.key })
  if (more.zone) await call('set_user_timezone', { tenantUserId, timezone: more.zone }, { key: tenant.key })
  return { ...person, email }
}

async function keyThatEnds(days: number, key = tenant.key, more: object = {}) {
  const name = `Key ${crypto.randomUUID().slice(0, 8)}`
  const { apiKeyId } = await call('create_api_key', { name, roles: ['DataView'], expiresAt: inDays(400), ...more }, { key })
  await move(apiKeyId, days)
  return { name, apiKeyId }
}
/** Lets the time pass until the key has so many days left. */
const move = (apiKeyId: number, days: number) =>
  world.sql`update platform.api_key set expires_at = now() + make_interval(secs => ${days * 86_400}) where api_key_id = ${apiKeyId}`
const ofKey = (mails: readonly Mail[], name: string) => mails.filter(({ subject }) => subject.includes(name))

describe('a key that ends', () => {
  it('is told 14 and 3 days before, each once', async () => {
    const { email } = await member(['AdminIntegration', 'DataView'])
    const { name, apiKeyId } = await keyThatEnds(15)
    expect(ofKey(await told(), name)).toEqual([])
    await move(apiKeyId, 13.9)
    const [first, ...others] = ofKey(await told(), name)
    expect([first?.to, others]).toEqual([email, []])
    expect(ofKey(await told(), name)).toEqual([])
    await move(apiKeyId, 2.9)
    expect(ofKey(await told(), name)).toHaveLength(1)
    expect(ofKey(await told(), name)).toEqual([])
    await move(apiKeyId, -1)
    expect(ofKey(await told(), name)).toEqual([])
  })

  it('is told once where several processes look at the same moment', async () => {
    const { name } = await keyThatEnds(10)
    const counts = await Promise.all([1, 2, 3, 4].map(() => tellOfEndingKeys(world.platform.services)))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1)
    const addresses = ofKey(await told(), name).map(({ to }) => to)
    expect(addresses.length).toBeGreaterThan(0)
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  it('is told to whoever made it, whom it acts as and who administers keys, in their language and zone, and to nobody else', async () => {
    const maker = await member(['AdminIntegration', 'AdminUser', 'DataView'], { language: 'de-DE', zone: 'Europe/Berlin' })
    const worker = await member(['DataView'], { zone: 'Pacific/Auckland' })
    const other = await member(['DataView', 'AdminUser'])
    const locked = await member(['AdminIntegration'])
    await call('lock_user', { tenantUserId: locked.tenantUserId }, { key: tenant.key })
    const key = await newSession(world, maker)
    const { name, apiKeyId } = await keyThatEnds(400, key, { tenantUserId: worker.tenantUserId })
    // Who made it is told although the role was taken away.
    await call('set_user_roles', { tenantId: tenant.tenantId, tenantUserId: maker.tenantUserId, roles: ['DataView'] }, { key: tenant.key })
    await world.sql`update platform.api_key set expires_at = now() + interval '13 days' where api_key_id = ${apiKeyId}`
    const mails = ofKey(await told(), name)
    const addresses = mails.map(({ to }) => to)
    expect(addresses).toContain(maker.email)
    expect(addresses).toContain(worker.email)
    expect([addresses.includes(other.email), addresses.includes(locked.email)]).toEqual([false, false])
    const german = mails.find(({ to }) => to === maker.email)
    expect(german?.subject).toMatch(/^Der API-Schlüssel .* endet am \d+\. \p{L}+ \d{4}$/u)
    expect(german?.text).toContain('(Europe/Berlin)')
    const english = mails.find(({ to }) => to === worker.email)
    expect(english?.text).toMatch(/ends on .* \(Pacific\/Auckland\)/)
    expect(english?.text).toContain(`${world.config.portalUrl}/ops/api-keys`)
  })

  it('is told once more where it gets a later end, and not where it was made so short', async () => {
    const { name, apiKeyId } = await keyThatEnds(2)
    expect(ofKey(await told(), name).length).toBeGreaterThan(0)
    await call('update_api_key', { apiKeyId, expiresAt: inDays(200) }, { key: tenant.key })
    expect(ofKey(await told(), name)).toEqual([])
    await move(apiKeyId, 13)
    expect(ofKey(await told(), name).length).toBeGreaterThan(0)
    const short = { name: `Short ${crypto.randomUUID()}`, roles: ['DataView'] }
    await call('create_api_key', { ...short, expiresAt: inDays(2) }, { key: tenant.key })
    const { apiKeyId: ofTenDays } = await call('create_api_key', { ...short, expiresAt: inDays(10) }, { key: tenant.key })
    expect(ofKey(await told(), short.name)).toEqual([])
    await move(ofTenDays, 2)
    expect(ofKey(await told(), short.name).length).toBeGreaterThan(0)
  })

  it('is not told once it was revoked, nor while its tenant is suspended', async () => {
    const { name, apiKeyId } = await keyThatEnds(400)
    await call('revoke_api_key', { apiKeyId }, { key: tenant.key })
    await move(apiKeyId, 10)
    expect(ofKey(await told(), name)).toEqual([])
    const { name: later } = await keyThatEnds(10)
    await world.sql`update platform.tenant set is_deactivated = true where tenant_id = ${tenant.tenantId}`
    expect(ofKey(await told(), later)).toEqual([])
    await world.sql`update platform.tenant set is_deactivated = false where tenant_id = ${tenant.tenantId}`
    expect(ofKey(await told(), later).length).toBeGreaterThan(0)
  })
})
