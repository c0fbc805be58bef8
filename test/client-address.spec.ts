/** Where a call comes from: what a proxy of ours says is believed, and what anybody else writes is not. */
import { describe, expect, it } from 'vitest'

import { clientAddress, networkOf } from '#platform/client-address.ts'
import { loadConfig } from '#platform/config.ts'
import { mailStateOf } from '#platform/person-mail.ts'

const { trustedProxies } = loadConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8:ffff::/48' })
const from = (remoteAddress: string, forwarded?: string, trusted = trustedProxies) =>
  clientAddress({ socket: { remoteAddress }, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } }, trusted)

describe('the caller’s address', () => {
  it.each([
    ['a stranger who writes the header', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['a proxy', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['a proxy behind IPv4 in IPv6', '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['a proxy, of a caller who wrote the header first', '10.1.2.3', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['two proxies', '10.1.2.3', '127.0.0.1, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['a proxy of IPv6, with a port', '2001:db8:ffff::1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['a proxy that says nothing', '10.1.2.3', undefined, '10.1.2.3'],
    ['a proxy, of what is no address', '10.1.2.3', '198.51.100.1, unknown', '10.1.2.3'],
  ])('is believed of %s', (_what, peer, forwarded, expected) => {
    expect(from(peer, forwarded)).toBe(expected)
  })

  it('is the connection’s where no proxy is named', () => {
    expect(from('10.1.2.3', '198.51.100.1', [])).toBe('10.1.2.3')
    expect(loadConfig({}).trustedProxies).toEqual([])
    expect(() => loadConfig({ TRUSTED_PROXIES: 'proxy.example.com' })).toThrow(/TRUSTED_PROXIES/)
  })

  it('counts with its network, of IPv6 the /64', () => {
    expect(networkOf('198.51.100.1')).toBe('198.51.100.1')
    const written = ['2001:db8:1:2::1', '2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2:0:0:0:9']
    expect(new Set(written.map(networkOf))).toEqual(new Set(['2001:db8:1:2::/64']))
    expect(networkOf('::1')).toBe('0:0:0:0::/64')
    expect(networkOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
    expect(networkOf(undefined)).toBe('unknown')
  })
})

describe('the settings of mails and the portal', () => {
  it('say where mails go', () => {
    expect(mailStateOf(loadConfig({ MAIL_URL: 'smtps://me:secret@mail.example.com', MAIL_FROM: 'ops@example.com', HOST: '0.0.0.0' }))).toBe(
      'up',
    )
    expect(mailStateOf(loadConfig({}))).toBe('local')
    expect(mailStateOf(loadConfig({ HOST: '::1' }))).toBe('local')
    expect(mailStateOf(loadConfig({ HOST: '0.0.0.0' }))).toBe('absent')
  })

  it.each([
    ['MAIL_URL', { MAIL_URL: 'smtp://mail.example.com' }],
    ['MAIL_FROM', { MAIL_FROM: 'ops@example.com' }],
    ['MAIL_URL', { MAIL_URL: 'https://mail.example.com', MAIL_FROM: 'ops@example.com' }],
    ['PORTAL_URL', { PORTAL_URL: 'https://portal.example.com/path' }],
    ['TENANT_DOMAIN', { TENANT_DOMAIN: 'https://example.com' }],
  ])('refuse %s where it cannot be used, by its name', (name, env) => {
    expect(() => loadConfig(env)).toThrow(new RegExp(name))
  })
})
