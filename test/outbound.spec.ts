/** The guard of outbound calls: what it refuses, at the moment of connecting. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'

import { request, fetch } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import {
  assertAllowedHost,
  assertEncrypted,
  guardedDispatcher,
  guardedLookup,
  isAllowedAddress,
  resolveAllowed,
} from '#platform/outbound.ts'

const closed = { outboundAllow: [] }
const loopback = { outboundAllow: ['127.0.0.1/32'] }

describe('an address', () => {
  it('is allowed where it is public, and refused in every way of writing one that is not', () => {
    const allowed = ['93.184.216.34', '1.1.1.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808']
    const forbidden = [
      '127.0.0.1',
      '127.8.8.8',
      '10.0.0.1',
      '172.16.5.5',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '255.255.255.255',
      '224.0.0.1',
      '192.0.2.1',
      '198.18.0.1',
      '::1',
      '::',
      'fe80::1',
      'fe80::1%eth0',
      'fd00::1',
      'ff02::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '[::ffff:10.0.0.1]',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2001::1',
      '2001:db8::1',
      '::7f00:1',
      '::127.0.0.1',
      '4000::1',
      'no address',
    ]
    expect(allowed.filter((address) => !isAllowedAddress(closed, address))).toEqual([])
    expect(forbidden.filter((address) => isAllowedAddress(closed, address))).toEqual([])
  })

  it('is allowed where an operator named its network, and only that', () => {
    const config = { outboundAllow: ['10.1.0.0/16', 'fd00::/8'] }
    expect(['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1'].every((address) => isAllowedAddress(config, address))).toBe(true)
    expect(['10.2.0.1', '127.0.0.1', 'fe80::1'].some((address) => isAllowedAddress(config, address))).toBe(false)
  })

  it('is refused before anything is stored where it is written out', () => {
    const refusal = expect.objectContaining({ code: 'unprocessable', message: expect.stringContaining('OUTBOUND_ALLOW') })
    const refused = ['169.254.169.254', '[::1]', 'localhost', 'LOCALHOST.', 'api.localhost', '127.0.0.1'].map((host) => {
      try {
        assertAllowedHost(closed, host)
        return host
      } catch (error) {
        return error
      }
    })
    expect(refused).toEqual(refused.map(() => refusal))
    expect(() => assertAllowedHost(closed, 'api.twilio.com')).not.toThrow()
    expect(() => assertAllowedHost({ outboundAllow: ['127.0.0.0/8'] }, 'localhost')).not.toThrow()
  })
})

describe('a connection', () => {
  let inner: Server
  let outer: Server
  let reached = 0
  const portOf = (server: Server) => (server.address() as AddressInfo).port
  beforeAll(async () => {
    inner = createServer((_request, response) => {
      reached++
      response.end('inside')
    }).listen(0, '127.0.0.2')
    await once(inner, 'listening')
    outer = createServer((_request, response) => response.writeHead(302, { location: `http://127.0.0.2:${portOf(inner)}/` }).end()).listen(
      0,
      '127.0.0.1',
    )
    await once(outer, 'listening')
  })
  afterAll(() => {
    inner?.close()
    outer?.close()
  })

  it('is refused for an address that is written out, mapped into IPv6 or not', async () => {
    const dispatcher = guardedDispatcher(closed)
    for (const host of ['127.0.0.2', '[::ffff:127.0.0.2]', '2130706434', '0x7f.2', 'localhost']) {
      await expect(request(`http://${host}:${portOf(inner)}/`, { dispatcher })).rejects.toMatchObject({ code: 'unprocessable' })
    }
    expect(reached).toBe(0)
    await dispatcher.close()
  })

  it('is refused where a redirect leads to it, although the first address was allowed', async () => {
    const dispatcher = guardedDispatcher(loopback)
    const answer = await request(`http://127.0.0.1:${portOf(outer)}/`, { dispatcher })
    expect(answer.statusCode).toBe(302)
    await answer.body.dump()
    const error = await fetch(`http://127.0.0.1:${portOf(outer)}/`, { dispatcher }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ cause: { code: 'unprocessable' } })
    expect(reached).toBe(0)
    await dispatcher.close()
  })

  it('is refused where a name leads to it, whatever the name', async () => {
    const failure = once(connect({ host: 'localhost', port: portOf(inner), lookup: guardedLookup(closed) }), 'connect').catch(
      (thrown: unknown) => thrown,
    )
    expect(await failure).toMatchObject({ code: 'unprocessable' })
    await expect(resolveAllowed(closed, 'localhost', 2_000)).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(resolveAllowed(closed, '::1', 2_000)).rejects.toMatchObject({ code: 'unprocessable' })
    expect(await resolveAllowed(closed, '93.184.216.34', 2_000)).toBe('93.184.216.34')
    expect(['127.0.0.1', '::1']).toContain(await resolveAllowed({ outboundAllow: ['127.0.0.0/8', '::1/128'] }, 'localhost', 2_000))
  })

  it('with a password goes unencrypted only where an operator permitted the network', async () => {
    for (const url of ['http://93.184.216.34/', 'http://[2606:4700::1111]/'])
      await expect(assertEncrypted(loopback, new URL(url))).rejects.toMatchObject({
        code: 'unprocessable',
        message: expect.stringContaining('https'),
      })
    await expect(assertEncrypted(closed, new URL('http://127.0.0.1/'))).rejects.toMatchObject({ code: 'unprocessable' })
    await assertEncrypted(loopback, new URL('http://127.0.0.1/'))
    await assertEncrypted(closed, new URL('https://93.184.216.34/'))
  })

  it('stands where it is allowed', async () => {
    const dispatcher = guardedDispatcher({ outboundAllow: ['127.0.0.0/8'] })
    const answer = await fetch(`http://127.0.0.1:${portOf(outer)}/`, { dispatcher })
    expect(await answer.text()).toBe('inside')
    expect(reached).toBe(1)
    await dispatcher.close()
  })
})
