/** Hours in which a key may be used: held at every door and for calls that wait, by the wall clock of their zone. */
import { randomUUID } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import type { Credential } from '#platform/call.ts'
import { holdingOf } from '#platform/holding.ts'
import { areOpen, type KeyHours, nextOpening, weekdays } from '#platform/key-reach.ts'

import { newPerson, newSession } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

const office: KeyHours = {
  from: '08:00',
  to: '17:00',
  days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  timeZoneIana: 'Europe/Madrid',
}
const night: KeyHours = { from: '22:00', to: '06:00', days: ['friday'], timeZoneIana: 'Europe/Madrid' }
const always: KeyHours = { from: '00:00', to: '00:00', days: [...weekdays], timeZoneIana: 'UTC' }
/** Of a day that is neither today nor tomorrow anywhere, nor was yesterday. */
const never = (): KeyHours => ({ ...always, from: '10:00', to: '11:00', days: [weekdays[(new Date().getUTCDay() + 2) % 7] ?? 'monday'] })

describe('hours', () => {
  it.for<[KeyHours, string, boolean]>([
    // A Monday in winter: an hour ahead of UTC.
    [office, '2026-11-23T06:59:59Z', false],
    [office, '2026-11-23T07:00:00Z', true],
    [office, '2026-11-23T15:59:59Z', true],
    [office, '2026-11-23T16:00:00Z', false],
    // In summer two hours.
    [office, '2026-07-20T06:00:00Z', true],
    [office, '2026-07-20T15:00:00Z', false],
    [office, '2026-11-22T10:00:00Z', false],
    // Over midnight they belong to the day on which they begin.
    [night, '2026-11-20T20:59:00Z', false],
    [night, '2026-11-20T21:00:00Z', true],
    [night, '2026-11-21T04:59:00Z', true],
    [night, '2026-11-21T05:00:00Z', false],
    [night, '2026-11-20T03:00:00Z', false],
    // Alike: a whole day from there.
    [{ ...night, from: '06:00' }, '2026-11-21T04:59:00Z', true],
    [{ ...night, from: '06:00' }, '2026-11-21T05:00:00Z', false],
    // The clocks go forward at 2 and back at 3: what they skip is not there, what they show twice is there twice.
    [{ ...always, from: '02:30', to: '03:30', timeZoneIana: 'Europe/Madrid' }, '2026-03-29T01:00:00Z', true],
    [{ ...always, from: '02:30', to: '03:30', timeZoneIana: 'Europe/Madrid' }, '2026-03-29T00:59:00Z', false],
    [{ ...always, from: '02:00', to: '02:30', timeZoneIana: 'Europe/Madrid' }, '2026-10-25T00:10:00Z', true],
    [{ ...always, from: '02:00', to: '02:30', timeZoneIana: 'Europe/Madrid' }, '2026-10-25T01:10:00Z', true],
    [{ ...always, from: '02:00', to: '02:30', timeZoneIana: 'Europe/Madrid' }, '2026-10-25T00:40:00Z', false],
    // A Monday in Kiritimati is still a Sunday in UTC.
    [{ ...office, timeZoneIana: 'Pacific/Kiritimati' }, '2026-11-22T18:30:00Z', true],
  ])('%o at %s: %s', ([hours, at, isOpen]) => {
    expect(areOpen(hours, Date.parse(at))).toBe(isOpen)
  })

  it.for<[KeyHours, string, string | undefined]>([
    [office, '2026-11-20T16:30:00Z', '2026-11-23T07:00:00.000Z'],
    [office, '2026-11-23T05:00:00Z', '2026-11-23T07:00:00.000Z'],
    [office, '2026-03-27T20:00:00Z', '2026-03-30T06:00:00.000Z'],
    [night, '2026-11-21T06:00:00Z', '2026-11-27T21:00:00.000Z'],
    [{ ...night, days: [] }, '2026-11-21T06:00:00Z', undefined],
  ])('%o begin after %s at %s', ([hours, at, next]) => {
    const found = nextOpening(hours, Date.parse(at))
    expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(next)
  })
})

/** A call of a key by a way of its own. */
function callBy(credential: Credential, ip = '203.0.113.9'): Promise<unknown> {
  const operation = world.platform.pipeline.registry.byName.get('list_roles')
  if (!operation) throw new Error('There is no list_roles')
  const signal = new AbortController().signal
  return world.platform.pipeline.run({ operation, transport: 'rest', credential, input: {}, requestId: randomUUID(), ip, signal })
}

describe('a key with hours', () => {
  it('is refused outside of them with when it may be used next, and admitted in them', async () => {
    const validHours = never()
    const { apiKey: token, apiKeyId } = await call('create_api_key', { name: 'Night run', roles: ['DataView'], validHours })
    await expect(callBy({ kind: 'bearer', token })).rejects.toMatchObject(
      refused('unauthenticated', /validHours alone, next from \d{4}-\d\d-\d\dT10:00:00Z \(UTC\)/),
    )
    await expect(callBy({ kind: 'bearer', token })).rejects.toMatchObject({ status: 401 })
    expect(await call('update_api_key', { apiKeyId, validHours: always })).toMatchObject({ validHours: always })
    expect(await callBy({ kind: 'bearer', token })).toBeTruthy()
    await call('update_api_key', { apiKeyId, validHours })
    await expect(callBy({ kind: 'bearer', token })).rejects.toMatchObject(refused('unauthenticated'))
    expect(await call('update_api_key', { apiKeyId, validHours: null })).toMatchObject({ validHours: null })
    expect(await callBy({ kind: 'bearer', token })).toBeTruthy()
  })

  it('shows them, keeps them where they are not named, and where its secret is replaced', async () => {
    const said = { ...office, days: ['friday', 'monday', 'friday'], timeZoneIana: 'europe/madrid' }
    const validHours = { ...office, days: ['monday', 'friday'] }
    const made = await call('create_api_key', { name: 'Office', roles: [], validHours: said })
    expect(made).toMatchObject({ validHours })
    const { apiKeyId } = made
    expect(await call('update_api_key', { apiKeyId, name: 'The office' })).toMatchObject({ validHours })
    expect(await call('rotate_api_key', { apiKeyId })).toMatchObject({ validHours })
    const listed = (await call('list_api_keys')).find((key: { apiKeyId: number }) => key.apiKeyId === apiKeyId)
    expect(listed).toMatchObject({ name: 'The office', validHours })
    const [without] = (await call('list_api_keys')) as { validHours: unknown }[]
    expect(without?.validHours).toBeNull()
  })

  it.for<[object, string]>([
    [{ ...office, from: '8:00' }, '$.validHours.from'],
    [{ ...office, to: '24:00' }, '$.validHours.to'],
    [{ ...office, days: [] }, '$.validHours.days'],
    [{ ...office, days: ['Monday'] }, '$.validHours.days[0]'],
    [{ ...office, timeZoneIana: 'Europe/Madird' }, '$.validHours.timeZoneIana'],
    [{ ...office, timeZoneIana: '+02:00' }, '$.validHours.timeZoneIana'],
    [{ ...office, zone: 'UTC' }, '$.validHours.zone'],
  ])('is not made with %o', async ([validHours, path]) => {
    await expect(call('create_api_key', { name: 'x', roles: [], validHours })).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path }],
    })
  })

  it('gives the calls that wait no longer than its hours', async () => {
    const { services, pipeline } = world.platform
    const { apiKey: token, apiKeyId } = await call('create_api_key', { name: 'Waiting', roles: ['DataView'], validHours: always })
    const holding = holdingOf(services, await pipeline.identify({ kind: 'bearer', token }))
    expect(await holding.roles()).toBe(2)
    await call('update_api_key', { apiKeyId, validHours: never() })
    await expect.poll(() => holding.roles().catch((error: { code: string }) => error.code)).toBe('unauthenticated')
  })

  it('opens URLs that it signed in its hours alone', async () => {
    const { assetKey } = await call('upload_asset', { fileName: 'a.txt', contentBase64: 'YQ==' }, { transport: 'mcp' })
    const made = await call('create_api_key', { name: 'Signs', roles: ['DataView'], validHours: always })
    const { url } = (await call('sign_asset_url', { assetKey }, { key: made.apiKey })) as { url: string }
    const { pathname, searchParams } = new URL(url)
    const [sig, exp, u] = ['sig', 'exp', 'u'].map((name) => searchParams.get(name) ?? '') as [string, string, string]
    const credential: Credential = { kind: 'signed', method: 'GET', path: pathname, sig, exp, u }
    expect(await world.platform.pipeline.identify(credential)).toMatchObject({ kind: 'signed' })
    await call('update_api_key', { apiKeyId: made.apiKeyId, validHours: never() })
    await expect(world.platform.pipeline.identify(credential)).rejects.toMatchObject(refused('unauthenticated', /validHours/))
  })
})

it('tells a key that comes from elsewhere which address was seen', async () => {
  const { apiKey: token } = await call('create_api_key', { name: 'Hall', roles: [], allowedAddresses: ['198.51.100.0/24'] })
  await expect(callBy({ kind: 'bearer', token })).rejects.toMatchObject(
    refused('unauthenticated', /came from 203\.0\.113\.9, and .*allowedAddresses/),
  )
})

it('asks a session for a fresh proof where it gives a key other hours, and for none where it takes hours away', async () => {
  const person = await newPerson(world, world.tenant, ['AdminIntegration', 'DataView'])
  const stale = await newSession(world, person, 11)
  const { apiKeyId } = await call('create_api_key', { name: 'Narrowed', roles: ['DataView'] })
  expect(await call('update_api_key', { apiKeyId, validHours: office }, { key: stale })).toMatchObject({ validHours: office })
  expect(await call('update_api_key', { apiKeyId, validHours: office }, { key: stale })).toMatchObject({ validHours: office })
  for (const validHours of [{ ...office, to: '18:00' }, null])
    await expect(call('update_api_key', { apiKeyId, validHours }, { key: stale })).rejects.toMatchObject(refused('fresh_proof_required'))
})
