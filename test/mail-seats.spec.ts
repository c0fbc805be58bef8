/** Connections to the mail listener: silent ones never shut out the next. */
import { createConnection, type Socket } from 'node:net'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createSeats, networkOf } from '#server/mail/seats.ts'
import { type MailServer, startMailServer } from '#server/mail/server.ts'

import { openWorld, type World } from './support/world.ts'

describe('a place', () => {
  function seatsOf(seats: number, ofAddress: number) {
    const letGo: string[] = []
    return { ...createSeats({ seats, ofAddress, letGo: (id) => letGo.push(id) }), letGo }
  }

  it('is taken from the one that is silent longest, first of the address that has most', () => {
    const seats = seatsOf(4, 3)
    expect(['a1', 'a2', 'a3'].map((id) => seats.take(id, 'a'))).toEqual([true, true, true])
    expect(seats.take('b1', 'b')).toBe(true)
    seats.touch('a1')
    expect(seats.take('c1', 'c')).toBe(true)
    expect(seats.letGo).toEqual(['a2'])
  })

  it('is given up for another of the same address, once that has all it may have', () => {
    const seats = seatsOf(10, 2)
    for (const id of ['a1', 'a2', 'a3']) expect(seats.take(id, 'a')).toBe(true)
    expect(seats.letGo).toEqual(['a1'])
  })

  it('is kept while a mail is taken, and free again after it', () => {
    const seats = seatsOf(2, 2)
    seats.take('a1', 'a')
    seats.take('b1', 'b')
    seats.occupy('a1')
    seats.occupy('b1')
    expect([seats.take('c1', 'c'), seats.letGo]).toEqual([false, []])
    seats.touch('b1')
    expect([seats.take('c1', 'c'), seats.letGo]).toEqual([true, ['b1']])
    seats.leave('a1')
    expect([seats.take('d1', 'd'), seats.letGo]).toEqual([true, ['b1']])
  })

  it('counts a network of IPv6 as one address', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2::9'))
    expect(networkOf('203.0.113.5')).toBe('203.0.113.5')
  })
})

describe('the listener', () => {
  let world: World
  let listener: MailServer
  const sockets: Socket[] = []
  beforeAll(async () => {
    world = await openWorld({ PUBLIC_URL: 'https://ops.example.com', MAIL_PORT: '0' })
    const { services } = world.platform
    listener = await startMailServer({ services, config: world.config, log: services.log })
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    await listener?.close()
    await world?.close()
  })

  function connect(): { said: () => string; say: (line: string) => void } {
    const socket = createConnection(listener.port, '127.0.0.1')
    sockets.push(socket)
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => (text += chunk.toString()))
    return { said: () => text, say: (line) => void socket.write(`${line}\r\n`) }
  }

  it('answers the next after three hundred that say nothing, and tells those why they go', async () => {
    const idle = Array.from({ length: 300 }, connect)
    await expect.poll(() => idle.filter(({ said }) => said().startsWith('220 ')).length).toBeGreaterThan(14)
    const next = connect()
    await expect.poll(next.said).toMatch(/^220 /)
    next.say('EHLO relay.example')
    await expect.poll(next.said).toMatch(/\r\n250 /)
    await expect.poll(() => idle.filter(({ said }) => /^421 |\n421 /.test(said())).length).toBeGreaterThan(250)
  })
})
