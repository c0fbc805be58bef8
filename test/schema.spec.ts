import { readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'
import { newName } from '#platform/names.ts'
import { tenantAdminRoles } from '#platform/roles.ts'
import { zoneOf } from '#tools/schema/time-zones.ts'
import { findTimeZone } from '#tools/users/users.rules.ts'

import { renderReservedNames, reservedNamesOf, tablePath, writtenPath } from './contract/reserved-names.ts'
import { pathsOf } from './support/refused.ts'
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
    expect([all.stepTypes, all.triggerTypes, all.sectionKinds]).toEqual([[], [], []])
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

const workCatalog = {
  categories: [{ internalName: 'Fieldwork' }],
  entities: [
    {
      internalName: 'Site',
      displays: [{ languageCode: 'en-US', name: 'Site', description: 'A place' }],
      category: 'Location',
      vertical: 'FieldService',
      properties: [
        { property: 'Code', isRequired: true, keyPart: 1 },
        { property: 'Kind', optionFilter: 'Halls' },
      ],
      children: [{ childEntity: 'Visit', isRequired: true }],
      peers: [{ peerEntity: 'Visit', isList: false }],
    },
    { internalName: 'Visit', category: 'Fieldwork', properties: [{ property: 'Photos', isList: true }] },
  ],
  properties: [
    {
      internalName: 'Code',
      dataType: 'Text',
      displays: [
        { languageCode: 'en-US', name: 'Code', regEx: '^[A-Z]', isTranslationLocked: true },
        { languageCode: 'es-ES', name: 'Código' },
      ],
      regEx: '^[A-Z0-9]+$',
      minValueOrLength: 0,
      maxValueOrLength: 10,
      isSensitive: true,
    },
    {
      internalName: 'Kind',
      dataType: 'Hierarchy',
      category: 'Fieldwork',
      propertyOptions: [
        { internalName: 'Indoor', displays: [{ languageCode: 'en-US', name: 'Indoors' }] },
        { internalName: 'Hall', parent: 'Indoor' },
      ],
      optionFilters: [{ internalName: 'Halls', options: ['Hall'] }],
    },
    { internalName: 'Photos', dataType: 'Attachment', allowedFileTypes: ['jpg'] },
  ],
}

/** A document without regard to the order of definitions. */
const sorted = (document: Record<string, { internalName: string }[]>) =>
  Object.fromEntries(
    Object.entries(document).map(([field, list]) => [field, list.toSorted((a, b) => (a.internalName < b.internalName ? -1 : 1))]),
  )

describe('catalog documents', () => {
  it('go in and come out the same, and in again elsewhere', async () => {
    const first = await fresh()
    const result = await first.call('import_catalog', workCatalog)
    expect(result).toMatchObject({ created: 5, skipped: 0, issues: [] })
    const exported = await first.call('export_catalog')
    expect(sorted(exported)).toEqual(sorted(workCatalog))
    const second = await fresh()
    await second.call('import_catalog', exported)
    expect(sorted(await second.call('export_catalog'))).toEqual(sorted(workCatalog))
    const detail = await second.call('describe_entity', { entity: 'Site' })
    expect(detail.properties).toMatchObject([
      { propertyInternalName: 'Code', keyPart: 1, isRequired: true },
      { propertyInternalName: 'Kind', propertyOptionFilterId: expect.any(Number) },
      { childEntityInternalName: 'Visit', isRequired: true, isList: true },
    ])
    expect(await second.call('list_categories')).toContainEqual({ categoryId: expect.any(Number), internalName: 'Fieldwork' })
    await second.call('save_instance', { entity: 'Site', data: { Code: 'A1', Kind: 'Hall' } })
    expect((await refusal('save_instance', { entity: 'Site', data: { Code: 'A2', Kind: 'Indoor' } }, second.tenant.key)).status).toBe(400)
  })

  it('are exported in part, with what the part needs and without what it leaves out', async () => {
    const { call, tenant } = await fresh()
    await call('import_catalog', workCatalog)
    const part = await call('export_catalog', { entities: ['site'] })
    expect(part.entities).toMatchObject([{ internalName: 'Site' }])
    expect(part.entities[0]).not.toHaveProperty('children')
    expect(part.entities[0]).not.toHaveProperty('peers')
    expect(part.properties.map((property: { internalName: string }) => property.internalName)).toEqual(['Code', 'Kind'])
    const one = await call('export_catalog', { properties: ['Photos'] })
    expect([one.properties.length, one.entities.length]).toEqual([1, 0])
    const unknown = await refusal('export_catalog', { entities: ['Sites'] }, tenant.key)
    expect([unknown.code, unknown.issues?.[0]?.suggestion]).toEqual(['unknown_entity', 'Site'])
    const other = await fresh()
    await other.call('import_catalog', part)
  })

  it('are checked up to a thousand findings', async () => {
    const entities = Array.from({ length: 60 }, (_, index) => ({
      internalName: `Endless${index}`,
      properties: Array.from({ length: 20 }, (_wrong, at) => ({ property: `NoSuchProperty${at}` })),
    }))
    const { ok, issues } = await world.call('validate_catalog', { entities })
    expect([ok, issues.length]).toEqual([false, 1_000])
  })

  it('are refused whole, with every mistake of every definition in one list', async () => {
    const { call, tenant } = await fresh()
    const bad = {
      properties: [
        { internalName: 'Good', dataType: 'Text' },
        { internalName: 'Bad', dataType: 'Number', regEx: 'x' },
        { internalName: 'Lost', dataType: 'Text', category: 'Fieldwrk' },
      ],
      entities: [
        { internalName: 'Thing', properties: [{ property: 'Goood' }, { property: 'Bad' }], children: [{ childEntity: 'Thingy' }] },
        { internalName: 'Fine', properties: [{ property: 'Good' }] },
      ],
    }
    const error = await refusal('import_catalog', bad, tenant.key)
    expect(error.status).toBe(400)
    const paths = [
      '$.properties[1].regEx',
      '$.properties[2].category',
      '$.entities[0].properties[0].property',
      '$.entities[0].children[0].childEntity',
    ]
    expect(pathsOf(error)).toEqual(paths)
    expect(error.issues?.map((issue) => issue.suggestion)).toEqual([undefined, undefined, 'Good', 'Thing'])
    const checked = await call('validate_catalog', bad)
    expect(checked).toMatchObject({ ok: false, valid: false })
    expect(checked.issues).toEqual(error.issues)
    expect([await call('list_properties'), await call('list_entities')]).toEqual([[], []])
  })

  it('are told what is wrong in their fields and in what these mean, each mistake once', async () => {
    const { call } = await fresh()
    const { issues } = await call('validate_catalog', {
      properties: [
        { internalName: 'Kind', dataType: 'Choise' },
        { internalName: 'Code', dataType: 'Text', regEx: '(', isSensitiv: true },
      ],
      entities: [
        {
          internalName: 'Thing',
          properties: [{ property: 'Kind', keyPart: 4 }, { property: 'Cod' }],
          children: [{ childEntity: 'Thingy' }],
        },
      ],
    })
    expect(issues.map((one: { path: string; suggestion?: string }) => [one.path, one.suggestion])).toEqual([
      ['$.properties[0].dataType', 'Choice'],
      ['$.properties[1].isSensitiv', 'isSensitive'],
      ['$.entities[0].properties[0].keyPart', undefined],
      ['$.properties[1].regEx', undefined],
      ['$.entities[0].properties[1].property', 'Code'],
      ['$.entities[0].children[0].childEntity', 'Thing'],
    ])
  })

  it('are 422 where their parts contradict each other, and 409 where a name is taken', async () => {
    const { call, tenant } = await fresh()
    const twice = await refusal(
      'import_catalog',
      {
        properties: [
          { internalName: 'A', dataType: 'Text' },
          { internalName: 'a', dataType: 'Number' },
        ],
      },
      tenant.key,
    )
    expect([twice.code, twice.status, pathsOf(twice)]).toEqual(['unprocessable', 422, ['$.properties[1].internalName']])
    const peers = await refusal(
      'import_catalog',
      {
        entities: [
          { internalName: 'A', peers: [{ peerEntity: 'B' }] },
          { internalName: 'B', peers: [{ peerEntity: 'A' }] },
        ],
      },
      tenant.key,
    )
    expect([peers.status, pathsOf(peers)]).toEqual([422, ['$.entities[1].peers']])
    await call('import_catalog', workCatalog)
    const again = await refusal('import_catalog', workCatalog, tenant.key)
    expect([again.code, again.issues?.length]).toEqual(['already_exists', 5])
    expect(
      (await call('list_categories')).filter((category: { internalName: string }) => category.internalName === 'Fieldwork'),
    ).toHaveLength(1)
  })

  it('may be repeated when what exists is to be skipped, but not with another type', async () => {
    const { call, tenant } = await fresh()
    await call('import_catalog', workCatalog)
    const more = {
      ...workCatalog,
      whenExists: 'skip',
      entities: [
        ...workCatalog.entities,
        { internalName: 'Room', properties: [{ property: 'code' }], children: [{ childEntity: 'Visit' }] },
      ],
    }
    const result = await call('import_catalog', more)
    expect(result).toMatchObject({ created: 1, skipped: 5 })
    expect(result.entities.map((entity: { internalName: string; outcome: string }) => [entity.internalName, entity.outcome])).toEqual([
      ['Room', 'created'],
      ['Site', 'skipped'],
      ['Visit', 'skipped'],
    ])
    expect((await call('list_entity_relationships', { entity: 'Visit' })).parents).toHaveLength(2)
    const clash = await refusal(
      'import_catalog',
      { whenExists: 'skip', properties: [{ internalName: 'Code', dataType: 'Number' }] },
      tenant.key,
    )
    expect([clash.status, pathsOf(clash)]).toEqual([409, ['$.properties[0].dataType']])
  })

  it('cannot take a parent from records that exist', async () => {
    const { call, tenant } = await fresh()
    await call('create_entity', { internalName: 'Visit' })
    await call('save_instance', { entity: 'Visit', key1: 'a', data: {} })
    const site = { entities: [{ internalName: 'Site', children: [{ childEntity: 'Visit', isRequired: true }] }] }
    expect((await refusal('import_catalog', site, tenant.key)).code).toBe('conflict')
    expect((await refusal('describe_entity', { entity: 'Site' }, tenant.key)).code).toBe('not_found')
  })
})

describe('entities that need each other', () => {
  it('are refused as parents of each other, and taken where one of them may begin', async () => {
    const { call, tenant } = await fresh()
    const document = (isRequired: boolean) => ({
      entities: [
        { internalName: 'Hen', children: [{ childEntity: 'Egg', isRequired: true }] },
        { internalName: 'Egg', children: [{ childEntity: 'Hen', isRequired }] },
        { internalName: 'Shell' },
      ],
    })
    const validated = await call('validate_catalog', document(true))
    expect(validated.issues.map((issue: { path: string }) => issue.path)).toEqual(['$.entities[0]', '$.entities[1]'])
    expect(pathsOf(await refusal('import_catalog', document(true), tenant.key))).toEqual(['$.entities[0]', '$.entities[1]'])
    expect(await call('import_catalog', document(false))).toMatchObject({ created: 3 })
  })
})

describe('a document that gives parents to records that exist', () => {
  it('is found wanting by validate_catalog as by the import, with the entity that names the child', async () => {
    const { call, tenant } = await fresh()
    await call('import_catalog', { entities: [{ internalName: 'Leaf' }] })
    const { eiRecordId } = await call('save_instance', { entity: 'Leaf', key1: 'a', data: {} })
    const document = (isRequired: boolean) => ({
      entities: [{ internalName: 'Twig' }, { internalName: 'Branch', children: [{ childEntity: 'Leaf', isRequired }] }],
    })
    const found = await call('validate_catalog', document(true))
    expect(found).toMatchObject({
      ok: false,
      issues: [{ path: '$.entities[1].children[0].childEntity', message: expect.stringMatching(/have no parent/) }],
    })
    const error = await refusal('import_catalog', document(true), tenant.key)
    expect([error.code, pathsOf(error)]).toEqual(['conflict', ['$.entities[1].children[0].childEntity']])
    expect(await call('validate_catalog', document(false))).toMatchObject({ ok: true })
    // Another parent that a leaf may do without lets it stay as it is.
    const either = document(true)
    expect(
      await call('validate_catalog', { entities: [...either.entities, { internalName: 'Ground', children: [{ childEntity: 'Leaf' }] }] }),
    ).toMatchObject({ ok: true })
    await call('delete_instance', { entity: 'Leaf', record: String(eiRecordId) })
    expect(await call('validate_catalog', document(true))).toMatchObject({ ok: true })
    expect(await call('import_catalog', document(true))).toMatchObject({ created: 2 })
  })
})

describe('the shared catalog', () => {
  it('ships definitions that all install together, and are skipped the second time', async () => {
    const { call } = await fresh()
    const offers = await call('browse_catalog')
    const ids = [...offers.properties, ...offers.entities].filter((item) => item.source === 'product').map((item) => item.globalSourceId)
    expect(ids.length).toBeGreaterThan(60)
    expect(new Set(ids).size).toBe(ids.length)
    expect(Math.max(...ids)).toBeLessThan(10_001)
    const installed = await call('install_catalog_items', { globalSourceIds: ids })
    expect(installed).toMatchObject({ created: ids.length, skipped: 0, issues: [] })
    expect((await call('browse_catalog')).entities.every((item: { isInstalled: boolean }) => item.isInstalled)).toBe(true)
    expect(await call('install_catalog_items', { globalSourceIds: ids })).toMatchObject({ created: 0, skipped: ids.length })
    const technician = (await call('describe_entity', { entity: 'Technician' })).entity
    expect(technician).toMatchObject({ isTenantUserRole: true, globalSourceId: 5_009, identityEmailPropertyId: expect.any(Number) })
    await call('save_instance', { entity: 'Airport', data: { IataCode: 'BCN', Name: 'Barcelona', Latitude: 41.297_1 } })
  })

  it('is narrowed by vertical, category and a word', async () => {
    const aviation = await world.call('browse_catalog', { vertical: 'aviation' })
    expect(aviation.entities.map((item: { internalName: string }) => item.internalName)).toEqual(['Airport'])
    expect((await world.call('browse_catalog', { category: 'Money', search: 'invoice' })).entities).toHaveLength(1)
    expect((await refusal('browse_catalog', { vertical: 'Aviaton' })).issues?.[0]).toMatchObject({
      path: '$.vertical',
      suggestion: 'Aviation',
    })
  })

  it('says which relationship an entity that stays as it is does not get', async () => {
    const { call } = await fresh()
    const document = (children: object[]) => ({ entities: [{ internalName: 'Yard', children }], whenExists: 'skip' })
    await call('import_catalog', document([]))
    const both = document([{ childEntity: 'Gate' }])
    const again = { ...both, entities: [...both.entities, { internalName: 'Gate' }] }
    const told = {
      path: '$.entities[0].children[0]',
      severity: 'warning',
      message: expect.stringContaining('attach_child_entity'),
    }
    expect(await call('validate_catalog', again)).toMatchObject({ ok: true, issues: [told] })
    expect(await call('import_catalog', again)).toMatchObject({ created: 1, skipped: 1, issues: [told] })
    expect((await call('list_entity_relationships', { entity: 'Yard' })).children).toEqual([])
    await call('attach_child_entity', { entity: 'Yard', childEntity: 'Gate' })
    expect(await call('import_catalog', again)).toMatchObject({ created: 0, skipped: 2, issues: [] })
  })

  it('brings with an entity what it needs, and says what it leaves out', async () => {
    const { call, tenant } = await fresh()
    await call('create_property', { internalName: 'Notes', dataType: 'Text' })
    const result = await call('install_catalog_items', { globalSourceIds: [5_004, 5_003] })
    expect(result.entities.map((entity: { internalName: string }) => entity.internalName).sort()).toEqual(['WorkLog', 'WorkOrder'])
    expect(result.properties).toContainEqual({ propertyId: expect.any(Number), internalName: 'Notes', outcome: 'skipped' })
    expect(result.issues.map((issue: { severity: string }) => issue.severity)).toEqual(['warning', 'warning'])
    expect((await call('list_entity_relationships', { entity: 'WorkOrder' })).children).toMatchObject([{ internalName: 'WorkLog' }])
    const unknown = await refusal('install_catalog_items', { globalSourceIds: [9_999] }, tenant.key)
    expect([unknown.status, pathsOf(unknown)]).toEqual([400, ['$.globalSourceIds[0]']])
  })

  it('shows to every tenant what a global administrator published, and nothing else of his', async () => {
    const publisher = await fresh(1023)
    const reader = await fresh()
    expect((await refusal('import_catalog', { scope: 'global', entities: [] }, reader.tenant.key)).code).toBe('forbidden')
    expect((await reader.call('validate_catalog', { scope: 'global' })).issues[0].path).toBe('$.scope')
    await publisher.call('create_property', { internalName: 'Secret', dataType: 'Text', displays: [{ name: 'Secret' }] })
    await publisher.call('create_entity', { internalName: 'Hidden', properties: [{ property: 'Secret' }] })
    expect(
      (
        await refusal(
          'import_catalog',
          { scope: 'global', entities: [{ internalName: 'Leaky', properties: [{ property: 'Secret' }] }] },
          publisher.tenant.key,
        )
      ).status,
    ).toBe(422)
    await publisher.call('import_catalog', { ...workCatalog, scope: 'global' })

    const { properties, entities } = await reader.call('browse_catalog')
    const published = [...properties, ...entities].filter((item) => item.source === 'published')
    expect(published.map((item) => item.internalName)).toEqual(['Code', 'Kind', 'Photos', 'Site', 'Visit'])
    const site = published.find((item) => item.internalName === 'Site')
    const visit = published.find((item) => item.internalName === 'Visit')
    expect(site).toMatchObject({ children: ['Visit'], isInstalled: false })
    expect((await refusal('describe_entity', { entity: site.globalSourceId }, reader.tenant.key)).code).toBe('not_found')
    expect(await reader.call('list_entities')).toEqual([])
    expect(await reader.call('get_dictionary')).toEqual({ entities: [], properties: [] })
    expect((await refusal('update_entity', { entity: site.globalSourceId, categoryId: 1 }, reader.tenant.key)).code).toBe('not_found')

    await reader.call('install_catalog_items', { globalSourceIds: [site.globalSourceId, visit.globalSourceId] })
    const own = (await reader.call('list_entities')).find((entity: { internalName: string }) => entity.internalName === 'Site')
    expect(own.globalSourceId).toBe(site.globalSourceId)
    expect(own.entityId).not.toBe(site.globalSourceId)
    const seenBy = (publishedOf: string) =>
      world.sql.begin(async (sql) => {
        await sql.unsafe('set local role fieldloop_app')
        await sql`select set_config('app.tenant_id', ${String(reader.tenant.tenantId)}, true), set_config('app.published_of', ${publishedOf}, true)`
        const rows = await sql<{ internalName: string; name: string | null }[]>`
          select p.internal_name, d.name from platform.property p left join platform.property_display d on d.property_id = p.property_id
          where p.tenant_id = ${publisher.tenant.tenantId} order by p.internal_name, d.name`
        return rows.map((row) => [row.internalName, row.name])
      })
    expect(await seenBy('')).toEqual([])
    expect(await seenBy(String(reader.tenant.tenantId))).toEqual([])
    expect(await seenBy(String(publisher.tenant.tenantId))).toEqual([
      ['Code', 'Code'],
      ['Code', 'Código'],
      ['Kind', null],
      ['Photos', null],
    ])
    // What a category of the publisher is called is not for others to know.
    const taken = sorted(await reader.call('export_catalog'))
    expect(taken['entities']).toMatchObject([
      { internalName: 'Site', children: [{ childEntity: 'Visit', isRequired: true }] },
      { internalName: 'Visit' },
    ])
    expect(JSON.stringify(taken)).not.toContain('Fieldwork')
  })
})
