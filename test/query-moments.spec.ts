/** Words for time and whole days in filters. */
import { describe, expect, it } from 'vitest'

import { isListing } from '#platform/answer.ts'
import { AppError } from '#platform/errors.ts'
import { isTimeWord, meaningOf, wholeDay } from '#tools/query/moments.rules.ts'

import { openWorld, type World } from './support/world.ts'

// A Thursday, a quarter to one in Berlin, and still Wednesday in New York.
const berlin = { nowMs: Date.parse('2026-05-13T22:45:00Z'), timeZone: 'Europe/Berlin' }
const newYork = { ...berlin, timeZone: 'America/New_York' }

describe('a word for time', () => {
  it.each([
    ['now', '2026-05-13T22:45:00.000Z', '2026-05-14'],
    ['today', { begin: '2026-05-13T22:00:00.000Z', end: '2026-05-14T21:59:59.999Z' }, '2026-05-14'],
    ['yesterday', { begin: '2026-05-12T22:00:00.000Z', end: '2026-05-13T21:59:59.999Z' }, '2026-05-13'],
    ['tomorrow', { begin: '2026-05-14T22:00:00.000Z', end: '2026-05-15T21:59:59.999Z' }, '2026-05-15'],
    ['startOfDay', '2026-05-13T22:00:00.000Z', '2026-05-14'],
    ['endOfDay', '2026-05-14T21:59:59.999Z', '2026-05-14'],
    ['startOfWeek', '2026-05-10T22:00:00.000Z', '2026-05-11'],
    ['endOfWeek', '2026-05-17T21:59:59.999Z', '2026-05-17'],
    ['startOfMonth', '2026-04-30T22:00:00.000Z', '2026-05-01'],
    ['endOfMonth', '2026-05-31T21:59:59.999Z', '2026-05-31'],
    ['startOfQuarter', '2026-03-31T22:00:00.000Z', '2026-04-01'],
    ['endOfQuarter', '2026-06-30T21:59:59.999Z', '2026-06-30'],
    ['startOfYear', '2025-12-31T23:00:00.000Z', '2026-01-01'],
    ['endOfYear', '2026-12-31T22:59:59.999Z', '2026-12-31'],
    ['-2h', '2026-05-13T20:45:00.000Z', '2026-05-13'],
    ['-7d', '2026-05-06T22:45:00.000Z', '2026-05-07'],
    ['+2w', '2026-05-27T22:45:00.000Z', '2026-05-28'],
    ['-3mo', '2026-02-13T23:45:00.000Z', '2026-02-14'],
    ['+1y', '2027-05-13T22:45:00.000Z', '2027-05-14'],
  ])('%s means a time, or a date, of the zone of the caller', (word, time, date) => {
    expect(isTimeWord(word)).toBe(true)
    expect(meaningOf(word, 'DateTime', berlin)).toEqual(time)
    expect(meaningOf(word, 'DateOnly', berlin)).toBe(date)
  })

  it('is of another day elsewhere', () => {
    expect(meaningOf('today', 'DateOnly', newYork)).toBe('2026-05-13')
    expect(meaningOf('today', 'DateTime', newYork)).toEqual({ begin: '2026-05-13T04:00:00.000Z', end: '2026-05-14T03:59:59.999Z' })
  })

  it('has days of 23 and 25 hours where clocks change, and no year beyond those that there are', () => {
    expect(wholeDay('2026-03-29', berlin)).toEqual({ begin: '2026-03-28T23:00:00.000Z', end: '2026-03-29T21:59:59.999Z' })
    expect(wholeDay('2026-10-25', berlin)).toEqual({ begin: '2026-10-24T22:00:00.000Z', end: '2026-10-25T22:59:59.999Z' })
    expect(meaningOf('+9999y', 'DateTime', berlin)).toBeUndefined()
    for (const text of ['Today', 'startOfHour', '7d', '+1.5d', '-7D', '+1234567d', 'startOf']) expect(isTimeWord(text)).toBe(false)
  })
})

describe('a filter by time', () => {
  const open = async (): Promise<{ world: World; keysBy: (rule: object) => Promise<string[]> }> => {
    const world = await openWorld()
    for (const [internalName, dataType] of Object.entries({ At: 'DateTime', On: 'DateOnly' }))
      await world.call('create_property', { internalName, dataType })
    await world.call('create_entity', { internalName: 'Shift', properties: [{ property: 'At' }, { property: 'On' }] })
    const keysBy = async (rule: object) => {
      const found = await world.run('list_instances', { entity: 'Shift', filterRules: [rule], sort: [{ property: 'key1' }] })
      if (!isListing(found)) throw new Error('no listing')
      const rows: { key1: string }[] = JSON.parse('text' in found.items ? found.items.text : '[]')
      return rows.map((row) => row.key1)
    }
    return { world, keysBy }
  }

  it('holds a day against a time as the whole of it, in the zone of the caller, and its ends where there is an order', async () => {
    const { world, keysBy } = await open()
    try {
      await world.call('set_user_timezone', { tenantUserId: world.tenant.tenantUserId, timezone: 'Europe/Berlin' })
      const times = {
        a: '2026-05-12T21:59:59.999Z',
        b: '2026-05-12T22:00:00Z',
        c: '2026-05-13T21:59:59.999Z',
        d: '2026-05-13T22:00:00Z',
        e: null,
      }
      const rows = Object.entries(times).map(([key1, At]) => ({ key1, data: { At } }))
      await world.call('save_instances_bulk', { entity: 'Shift', rows })
      const by = (op: string, value: unknown) => keysBy({ property: 'At', op, value })
      const day = '2026-05-13'
      expect(await by('eq', day)).toEqual(['b', 'c'])
      expect(await by('ne', day)).toEqual(['a', 'd', 'e'])
      expect(await by('in', [day, times.a])).toEqual(['a', 'b', 'c'])
      expect(await by('notIn', [day, times.a])).toEqual(['d', 'e'])
      expect(await by('between', ['2026-05-12', day])).toEqual(['a', 'b', 'c'])
      expect(await by('between', [day, times.d])).toEqual(['b', 'c', 'd'])
      expect(await by('gte', day)).toEqual(['b', 'c', 'd'])
      expect(await by('gt', day)).toEqual(['d'])
      expect(await by('lt', day)).toEqual(['a'])
      expect(await by('lte', day)).toEqual(['a', 'b', 'c'])
    } finally {
      await world.close()
    }
  })

  it('takes words in lists, counts and saved views, and says which there are', async () => {
    const { world, keysBy } = await open()
    try {
      const day = (apart: number) => new Date(Date.now() + apart * 86_400_000).toISOString()
      const rows = [-40, -3, 0, 3, 40].map((apart) => ({ key1: `${apart}`, data: { At: day(apart), On: day(apart).slice(0, 10) } }))
      await world.call('save_instances_bulk', { entity: 'Shift', rows })
      expect(await keysBy({ property: 'At', op: 'between', value: ['-7d', '+1w'] })).toEqual(['-3', '0', '3'])
      expect(await keysBy({ property: 'On', op: 'gt', value: '+1w' })).toEqual(['40'])
      expect(await keysBy({ property: 'modifiedDate', op: 'lte', value: 'now' })).toHaveLength(5)
      const filterRules = [{ property: 'At', op: 'lt', value: '-1mo' }]
      expect((await world.call('count_instances', { entity: 'Shift', filterRules })).count).toBe(1)
      await world.call('save_view', { entity: 'Shift', internalName: 'Old', viewJson: { filters: { propertyFilters: filterRules } } })
      expect(await world.call('execute_view', { entity: 'Shift', view: 'Old' })).toHaveLength(1)
      const refusal = async (value: unknown): Promise<AppError> => {
        const error: unknown = await world
          .call('count_instances', { entity: 'Shift', filterRules: [{ property: 'At', op: 'in', value }] })
          .catch((thrown: unknown) => thrown)
        if (!(error instanceof AppError)) throw new Error('not refused')
        return error
      }
      expect((await refusal(['todai'])).issues).toMatchObject([{ path: '$.filterRules[0].value[0]', suggestion: 'today' }])
      expect((await refusal(['-999999y'])).issues?.[0]?.message).toContain('leads out of the years')
      expect((await refusal(Array.from({ length: 501 }, () => '2026-01-01'))).issues?.[0]?.message).toContain('At most 500 days')
    } finally {
      await world.close()
    }
  })
})
