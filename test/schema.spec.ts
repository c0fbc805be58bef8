/** Who calls, the reference records and the vocabulary. */
import { readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'
import { newName } from '#platform/names.ts'
import { tenantAdminRoles } from '#platform/roles.ts'
import { zoneOf } from '#tools/schema/time-zones.ts'
import { findTimeZone } from '#tools/users/users.rules.ts'

import { renderReservedNames, reservedNamesOf, tablePath, writtenPath } from './contract/reserved-names.ts'
import { workCatalog } from './support/work-catalog.ts'
import { type TestTenant, useWorld, type World } from './support/world.ts'

const world = useWorld()
const { refusal } = world

/** Calls of a tenant that has nothing yet. */
async function fresh(roleFlag?: number): Promise<{ tenant: TestTenant; call: World['call'] }> {
  const tenant = await world.newTenant(roleFlag)
  return { tenant, call: (name, input, options) => world.call(name, input, { key: tenant.key, ...options }) }
}

describe('names that the paths keep for themselves', () => {
  const table = readFileSync(tablePath, 'utf8')

  it('are written as the table of operations has them now', () => {
    expect(readFileSync(writtenPath, 'utf8')).toBe(renderReservedNames(reservedNamesOf(table)))
  })

  it('are the static words in the place of a name, of every operation that will ever be built', () => {
    const reserved = reservedNamesOf(table)
    expect(reserved['entity']).toEqual(['list', 'validate'])
    expect(reserved['workflow']).toEqual(['import', 'list', 'webhooks'])
    expect(Object.keys(reserved)).toContain('menuItem')
    expect(() => reservedNamesOf('# nothing')).toThrow('no paths')
    expect(newName('workflow').safeParse('Webhooks').success).toBe(false)
    expect(newName('entity').safeParse('Webhooks').success).toBe(true)
  })
})

describe('whoami', () => {
  it("tells the caller, the tenant and the time in the caller's zone", async () => {
    const { tenant, call } = await fresh()
    await world.sql`update platform.tenant_user set time_zone_iana = 'Asia/Calcutta', language_region_id = 3 where tenant_user_id = ${tenant.tenantUserId}`
    const me = await call('whoami')
    expect(me).toMatchObject({
      tenantId: tenant.tenantId,
      tenantUserId: tenant.tenantUserId,
      userName: 'admin',
      roleFlag: tenantAdminRoles,
      languageRegionId: 3,
      timeZoneIana: 'Asia/Kolkata',
      timeZoneAbbrev: 'IST',
      standardOffsetMinutes: 330,
      currentOffsetMinutes: 330,
    })
    expect(Math.abs(Date.parse(me.serverTimeUtc) - Date.now())).toBeLessThan(60_000)
    expect(Date.parse(`${me.serverTimeLocal}Z`) - Date.parse(me.serverTimeUtc)).toBe(330 * 60_000)
    const narrow = await tenant.keyWith(['DataView'])
    expect((await call('whoami', {}, { key: narrow })).roleFlag).toBe(2)
  })
})

describe('reference records', () => {
  it('has every zone with the offset that the runtime gives it today, daylight saving apart', async () => {
    const zones: {
      timeZoneId: number
      timeZoneIana: string
      timeZoneAbbrev: string
      currentOffsetMinutes: number
      standardOffsetMinutes: number
    }[] = await world.call('list_time_zones')
    expect(zones.length).toBeGreaterThan(400)
    expect(zones[0]).toEqual({
      timeZoneId: 1,
      timeZoneIana: 'UTC',
      timeZoneAbbrev: 'UTC',
      standardOffsetMinutes: 0,
      currentOffsetMinutes: 0,
    })
    expect(new Set(zones.map((zone) => zone.timeZoneId)).size).toBe(zones.length)
    const now = new Date()
    const offsetOf = (timeZone: string) => {
      const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(now)
      const [, sign, hours, minutes] =
        /GMT(?:([+-])(\d\d):(\d\d))?/.exec(parts.find((part) => part.type === 'timeZoneName')?.value ?? '') ?? []
      return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0))
    }
    const differing = zones.filter((zone) => zone.currentOffsetMinutes !== offsetOf(zone.timeZoneIana))
    // The runtime and the database may have different years of the zone data: a handful of zones, never many.
    expect(differing.length).toBeLessThan(5)
    expect(zones.filter((zone) => zone.timeZoneIana === 'Europe/Madrid')[0]).toMatchObject({ standardOffsetMinutes: 60 })
  })

  it('knows every zone that a user may have, those of a fixed offset too', async () => {
    const { call } = await fresh()
    const names = (await world.sql<{ name: string }[]>`select name from pg_timezone_names where name ~ '^[A-Z]'`).map((row) => row.name)
    const lost: string[] = []
    let looked = 0
    for (const name of names) {
      const found = findTimeZone(name)
      if (!found.isOk) continue
      looked++
      const isUtc = /^(Etc\/)?(UTC|UCT|GMT[+-]?0?|Greenwich|Universal|Zulu)$/.test(found.value)
      if (zoneOf(found.value).timeZoneId === 1 && !isUtc) lost.push(found.value)
    }
    expect(looked).toBeGreaterThan(500)
    expect(lost).toEqual([])
    const { tenantUserId } = await call('create_user', { email: 'fixed@example.com', timezone: 'Etc/GMT+8', roles: ['DataView'] })
    const { apiKey } = await call('create_api_key', { name: 'fixed', roles: ['DataView'], tenantUserId })
    expect(await call('whoami', {}, { key: apiKey })).toMatchObject({
      timeZoneIana: 'Etc/GMT+8',
      standardOffsetMinutes: -480,
      currentOffsetMinutes: -480,
    })
  })

  it('has languages and verticals', async () => {
    expect(await world.call('list_languages')).toContainEqual({
      languageRegionId: 1,
      languageCode: 'en-US',
      displayName: 'English (United States)',
    })
    expect(await world.call('list_verticals')).toContainEqual({ verticalId: 3, internalName: 'Aviation' })
  })

  it("lets a tenant have categories beside the product's", async () => {
    const { call, tenant } = await fresh()
    const other = await fresh()
    const made = await call('save_category', { internalName: 'Safety' })
    expect(await call('list_categories')).toContainEqual(made)
    expect(await other.call('list_categories')).not.toContainEqual(made)
    const { key } = tenant
    expect((await refusal('save_category', { internalName: 'sAFETY' }, key)).code).toBe('already_exists')
    expect((await refusal('save_category', { internalName: 'General' }, key)).code).toBe('already_exists')
    expect((await refusal('save_category', { categoryId: 1, internalName: 'Mine' }, key)).code).toBe('conflict')
    expect((await refusal('delete_category', { categoryId: 1 }, key)).code).toBe('conflict')
    expect((await refusal('delete_category', { categoryId: made.categoryId }, other.tenant.key)).code).toBe('not_found')
    expect((await refusal('save_category', { categoryId: made.categoryId, internalName: 'Theirs' }, other.tenant.key)).status).toBe(400)
    expect(await call('save_category', { ...made, internalName: 'safety' })).toEqual({ ...made, internalName: 'safety' })
    await call('create_property', { internalName: 'P', dataType: 'Text', categoryId: made.categoryId })
    expect((await refusal('delete_category', { categoryId: made.categoryId }, key)).code).toBe('conflict')
    await call('update_property', { property: 'P', categoryId: null })
    expect(await call('delete_category', { categoryId: made.categoryId })).toEqual({ categoryId: made.categoryId, deleted: true })
  })
})

describe('the vocabulary', () => {
  it('has the data types by their ids, and empty lists for what is not built', async () => {
    const all = await world.call('get_schema')
    expect(all.dataTypes.map((type: { dataTypeId: number; internalName: string }) => [type.dataTypeId, type.internalName])).toEqual(
      [
        'Number',
        'DateTime',
        'DateOnly',
        'TimeOnly',
        'Text',
        'Choice',
        'Attachment',
        'Signature',
        'Boolean',
        'Currency',
        'Hierarchy',
        'Binary',
      ].map((name, index) => [index + 1, name]),
    )
    expect(all.sectionKinds).toEqual([])
    expect(all.stepTypes.map((type: { stepTypeId: number }) => type.stepTypeId)).toEqual(
      Array.from({ length: 20 }, (_none, index) => index + 1),
    )
    expect(all.triggerTypes).toHaveLength(10)
    expect(all.cardinalities).toHaveLength(4)
    expect(all.channels.map((channel: { internalName: string }) => channel.internalName)).toContain('inbox')
    expect(Object.keys(await world.call('get_schema', { part: 'channels' }))).toEqual(['channels'])
    expect((await refusal('get_schema', { part: 'channel' })).issues?.[0]?.suggestion).toBe('channels')
  })

  it('names operators that list_instances takes for the type, and only those', async () => {
    const { call, tenant } = await fresh()
    const { dataTypes, operators } = await call('get_schema')
    expect(dataTypes).toHaveLength(12)
    await call('import_catalog', {
      properties: dataTypes.map(({ internalName }: { internalName: string }) => ({
        internalName: `P${internalName}`,
        dataType: internalName,
        propertyOptions: /Choice|Hierarchy/.test(internalName) ? [{ internalName: 'a' }] : [],
      })),
      entities: [
        {
          internalName: 'All',
          properties: dataTypes.map(({ internalName }: { internalName: string }) => ({ property: `P${internalName}` })),
        },
      ],
    })
    const uuid = '00000000-0000-4000-8000-000000000000'
    const samples: Record<string, unknown> = {
      Number: 1,
      Currency: 1,
      DateTime: '2026-01-01T00:00:00Z',
      DateOnly: '2026-01-01',
      TimeOnly: '10:00',
      Text: 'a',
      Choice: 'a',
      Hierarchy: 'a',
      Boolean: true,
      Attachment: uuid,
      Signature: uuid,
      Binary: uuid,
    }
    let tried = 0
    for (const type of dataTypes as { internalName: string; operators: string[] }[]) {
      for (const { internalName: op, value } of operators as { internalName: string; value: string }[]) {
        const sample = samples[type.internalName]
        const given = value === 'none' ? {} : { value: value === 'one' ? sample : value === 'pair' ? [sample, sample] : [sample] }
        const filterRules = [{ property: `P${type.internalName}`, op, ...given }]
        const outcome = await world.run('list_instances', { entity: 'All', filterRules }, { key: tenant.key }).then(
          () => 'taken',
          (error: unknown) => (error instanceof AppError && error.status === 400 ? 'refused' : error),
        )
        expect([type.internalName, op, outcome]).toEqual([type.internalName, op, type.operators.includes(op) ? 'taken' : 'refused'])
        tried++
      }
    }
    expect(tried).toBe(12 * 16)
  })

  it('tells everything that the tenant has a name for in one call', async () => {
    const { call } = await fresh()
    await call('import_catalog', workCatalog)
    const { entities, properties } = await call('get_dictionary')
    expect(entities).toMatchObject([
      {
        internalName: 'Site',
        properties: [{ internalName: 'Code', isRequired: true, keyPart: 1 }, { internalName: 'Kind' }],
        children: ['Visit'],
        peers: ['Visit'],
      },
      { internalName: 'Visit', properties: [{ internalName: 'Photos', isList: true }], children: [], peers: ['Site'] },
    ])
    expect(properties).toMatchObject([
      { internalName: 'Code', dataType: 'Text', options: [] },
      { internalName: 'Kind', dataType: 'Hierarchy', options: ['Indoor', 'Hall'] },
      { internalName: 'Photos', dataType: 'Attachment' },
    ])
  })
})
