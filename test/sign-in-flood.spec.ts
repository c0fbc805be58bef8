/** Thousands who try passwords at once, from thousands of addresses: what they may hold, and who waits for them. */
import { beforeAll, describe, expect, it } from 'vitest'

import { newAddress, newPerson, newSession, strangerAt } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

let tenant: TestTenant
beforeAll(async () => {
  tenant = await world.newTenant()
})

const guess = (userName: string, ip = newAddress()): Promise<string> =>
  strangerAt(world, ip)('login', { userName, password: 'a wrong password' }).then(
    () => 'ok',
    (error: { code: string }) => error.code,
  )

/** Who waited for a connection for ten seconds was refused, on a busy machine. */
const noneCameIn = (codes: readonly string[]) => codes.every((code) => code === 'unauthenticated' || code === 'unavailable')

const waiting = () => world.platform.services.databases.strangers.stats().waiting

/** While nobody's attempt can be counted, so that whoever tries one waits. */
async function whileAttemptsHang(work: () => Promise<void>): Promise<void> {
  await world.sql.begin(async (tx) => {
    await tx`lock table platform.attempt in access exclusive mode`
    await work()
  })
}

describe('a flood of wrong passwords', () => {
  it('keeps no key and no session waiting, from however many addresses it comes', async () => {
    const key = await tenant.keyWith(['DataView'])
    const person = await newPerson(world, tenant)
    const session = await newSession(world, person)
    let guesses: Promise<string>[] = []
    await whileAttemptsHang(async () => {
      guesses = Array.from({ length: 150 }, (_, n) => guess(`nobody-${n}`))
      await expect.poll(waiting).toBe(148)
      // Neither was looked up before, so that both ask the database.
      expect(await call('whoami', {}, { key })).toMatchObject({ tenantId: tenant.tenantId })
      expect(await call('whoami', {}, { key: session })).toMatchObject({ tenantUserId: person.tenantUserId })
      expect(waiting()).toBe(148)
    })
    expect(await Promise.all(guesses)).toSatisfy(noneCameIn)
  })

  it('is refused past 204 at once, before anything is asked of the database, and counts as nothing then', async () => {
    const person = await newPerson(world, tenant)
    const ip = newAddress()
    let guesses: Promise<string>[] = []
    await whileAttemptsHang(async () => {
      guesses = Array.from({ length: 204 }, (_, n) => guess(`nobody-${n}`))
      await expect.poll(waiting).toBe(202)
      const logIn = () => strangerAt(world, ip)('login', { userName: person.userName, password: person.password })
      const tooMany = { ...refused('unavailable', /^Too many people sign in/), retryAfterSeconds: 5 }
      await Promise.all(Array.from({ length: 12 }, () => expect(logIn()).rejects.toMatchObject(tooMany)))
      expect(waiting()).toBe(202)
    })
    expect(await Promise.all(guesses)).toSatisfy(noneCameIn)
    // Twelve that were refused are none of the ten wrong ones of this name from here.
    expect(await strangerAt(world, ip)('login', { userName: person.userName, password: person.password })).toMatchObject({
      next: 'selectTenant',
    })
  })
})
