/** The portal behind a proxy, and before one that is not trusted. */
import { describe, expect, it } from 'vitest'

import { toldOrigin } from '#platform/client-address.ts'

import { newPerson } from './support/persons.ts'
import { newVisitor, subDomainOfTenant, usePortal } from './support/portal.ts'

const https = usePortal({ PORTAL_URL: 'https://portal.example.com' })
const distrustful = usePortal({ TRUSTED_PROXIES: '10.0.0.0/8' })

describe('where PORTAL_URL is https', () => {
  it('every response says to come back by https alone, and cookies are Secure', async () => {
    const person = await newPerson(https.world, https.world.tenant)
    const visitor = newVisitor(https.url)
    for (const path of ['/login', '/llms.txt', '/nothing', '/t/x/api/v1/schema/whoami', '/%zz'])
      expect([path, (await visitor.ask(path)).headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000'])
    const anew = newVisitor(https.url)
    const page = await anew.open('/login')
    const done = await anew.submit(page, '/login', { username: person.userName, password: person.password })
    const set = [...page.headers.getSetCookie(), ...done.headers.getSetCookie()]
    expect(set.map((line) => line.split('=')[0])).toEqual(['DevPortal.Form', 'DevPortal.Auth', 'DevPortal.Known'])
    for (const line of set) expect(line).toMatch(/; Secure$/)
  })

  it('the map of the site and what is mailed name that address, whatever the request says', async () => {
    const shown = await newVisitor(https.url).ask('/sitemap.xml', { headers: { 'x-forwarded-host': 'evil.example' } })
    expect(
      [...shown.text.matchAll(/<loc>([^<]*)<\/loc>/g)].filter(([, place = '']) => !place.startsWith('https://portal.example.com/')),
    ).toEqual([])
  })
})

describe('a proxy that is not trusted', () => {
  it('is believed nothing: neither the host, nor https, nor the address that it speaks for', async () => {
    const { world, url } = distrustful
    const person = await newPerson(world, world.tenant)
    const sub = await subDomainOfTenant(world, world.tenant)
    const visitor = newVisitor(url)
    const said = { 'x-forwarded-host': `${sub}.test`, 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' }
    const page = await visitor.open('/login', said)
    expect([page.headers.get('strict-transport-security'), page.text.includes('>Fieldloop</p>')]).toEqual([null, true])
    await visitor.submit(page, '/login', { username: person.userName, password: person.password }, said)
    const [row] = await world.sql<{ address: string }[]>`select address from platform.session where user_id = ${person.userId}`
    expect(row?.address).toMatch(/^(?:127\.0\.0\.1|::1)$/)
    // A form that names the host as its origin is of another site.
    expect(
      (await visitor.submit(page, '/login', {}, { 'sec-fetch-site': 'cross-site', origin: `https://${sub}.test`, ...said })).status,
    ).toBe(403)
  })
})

describe('what a trusted proxy tells', () => {
  const from = (remoteAddress: string, headers: Record<string, string>) =>
    toldOrigin({ socket: { remoteAddress }, headers }, ['10.0.0.0/8'])

  it('is the host and the scheme, of several what the nearest one says', () => {
    const headers = { host: 'inner:4001', 'x-forwarded-host': 'evil.example, Portal.Example.com', 'x-forwarded-proto': 'http, https' }
    expect(from('10.1.2.3', headers)).toEqual({ host: 'portal.example.com', isHttps: true })
    expect(from('::ffff:10.1.2.3', headers)).toEqual({ host: 'portal.example.com', isHttps: true })
    expect(from('203.0.113.7', headers)).toEqual({ host: 'inner:4001', isHttps: false })
    expect(from('10.1.2.3', { host: 'inner:4001' })).toEqual({ host: 'inner:4001', isHttps: false })
    expect(from('10.1.2.3', { host: 'inner', 'x-forwarded-host': '' })).toEqual({ host: 'inner', isHttps: false })
  })
})
