/** Access rules: what they take, and what of an entity's records is shown under them. */
import { beforeAll, describe, expect, it } from 'vitest'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world
/** Of a technician of the northern site, of one without a record, and of an administrator whom a rule lets see everything. */
let north: string
let stranger: string
let northId: number

const builders = { role: 'BuilderAdmin', read: true, create: true, edit: true, delete: true, seesSensitive: true }
const ofMySite = { rules: [{ property: 'Site', op: 'eq', value: '[[$user.Technician.Site]]' }] }

beforeAll(async () => {
  const { call } = world
  await call('create_property', { internalName: 'Email', dataType: 'Text', isIdentityEmail: true })
  await call('create_property', { internalName: 'Salary', dataType: 'Number', isSensitive: true })
  for (const internalName of ['Site', 'Title', 'Cost', 'Secret']) await call('create_property', { internalName, dataType: 'Text' })
  await call('create_entity', { internalName: 'Technician', properties: [{ property: 'Email' }, { property: 'Site' }] })
  await call('set_entity_identity_bridge', { entity: 'Technician', isTenantUserRole: true, identityEmailProperty: 'Email' })
  await call('create_entity', {
    internalName: 'Order',
    properties: ['Site', 'Title', 'Cost', 'Secret', 'Salary'].map((property) => ({ property })),
  })
  const user = await call('create_user', { userName: 'nora', email: 'nora@site.test', roles: ['DataView', 'DataEdit'] })
  northId = user.tenantUserId
  const roles = ['DataView', 'DataEdit', 'DataImport', 'DataDelete']
  ;({ apiKey: north } = await call('create_api_key', { name: 'nora', roles: ['DataView', 'DataEdit'], tenantUserId: northId }))
  ;({ apiKey: stranger } = await call('create_api_key', { name: 'stranger', roles }))
  await call('save_instance', { entity: 'Technician', key1: 'T1', data: { Email: 'nora@site.test', Site: 'north' } })
  for (const [key1, Site] of [
    ['n1', 'north'],
    ['n2', 'north'],
    ['s1', 'south'],
  ] as const) {
    await call('save_instance', { entity: 'Order', key1, data: { Site, Title: `At ${Site}`, Cost: '10', Secret: key1, Salary: 5 } })
  }
})

const setRules = (rules: object[], entity = 'Order') => world.call('set_entity_access', { entity, rules })
const list = async (key: string, more: object = {}) =>
  (await world.call('list_instances', { entity: 'Order', ...more }, { key })) as {
    key1: string
    data: Record<string, unknown>
    withheld?: string[]
    rowHash: string
  }[]
const keysSeen = async (key: string, more: object = {}) => (await list(key, more)).map((row) => row.key1).toSorted()

describe('set_entity_access', () => {
  it('keeps the rules whole and shows them again', async () => {
    const rules = [builders, { role: 'DataView', read: true, filter: ofMySite, hidden: ['Secret'], readOnly: ['Title'] }]
    const { entityId, rules: answered } = await setRules(rules)
    expect(answered).toEqual(rules)
    expect(await world.call('get_entity_access', { entity: 'Order' })).toEqual({ entityId, rules })
    await setRules([])
    expect(await world.call('get_entity_access', { entity: 'Order' })).toEqual({ entityId, rules: [] })
  })

  it('refuses what is not there, with the nearest right name', async () => {
    const faults: [object, string, string?, string?][] = [
      [{ role: 'DataView', hidden: ['Secrt'] }, '$.rules[0].hidden[0]', 'Secret', 'unknown_property'],
      [{ role: 'DataView', readOnly: ['Titel'] }, '$.rules[0].readOnly[0]', 'Title', 'unknown_property'],
      [{ role: 'DataView', filter: { rules: [{ property: 'Sit', op: 'eq', value: 'x' }] } }, '$.rules[0].filter.rules[0].property', 'Site'],
      [
        { role: 'DataView', filter: { rules: [{ property: 'Site', op: 'eq', value: '[[$user.Techncian.Site]]' }] } },
        '$.rules[0].filter.rules[0].value',
        'Technician',
      ],
      [
        { role: 'DataView', filter: { rules: [{ property: 'Site', op: 'eq', value: '[[$user.Technician.Sit]]' }] } },
        '$.rules[0].filter.rules[0].value',
        'Site',
      ],
      [
        { role: 'DataView', filter: { rules: [{ property: 'Site', op: 'eq', value: '[[$user.mail]]' }] } },
        '$.rules[0].filter.rules[0].value',
        'email',
      ],
      [{ people: { entity: 'Technican' } }, '$.rules[0].people.entity', 'Technician', 'unknown_entity'],
      [{ people: { entity: 'Order' } }, '$.rules[0].people.entity'],
      [{ tenantUserId: 999_999 }, '$.rules[0].tenantUserId'],
      [{ read: true }, '$.rules[0]'],
      [{ role: 'DataView', tenantUserId: northId }, '$.rules[0]'],
    ]
    for (const [rule, path, suggestion, code] of faults) {
      const error = await refusal('set_entity_access', { entity: 'Order', rules: [rule] })
      expect([error.status, error.issues?.[0]?.path, error.issues?.[0]?.suggestion]).toEqual([400, path, suggestion])
      expect(error.code).toBe(code ?? error.code)
    }
    expect(faults).toHaveLength(11)
  })

  it('keeps a rename working, shows it, and stands in the way of a deletion', async () => {
    await setRules([builders, { role: 'DataView', read: true, filter: ofMySite, hidden: ['Secret'] }])
    const { properties } = await world.call('describe_entity', { entity: 'Order' })
    const { propertyId } = properties.find((one: { propertyInternalName: string }) => one.propertyInternalName === 'Site')
    await world.call('update_property', { property: propertyId, internalName: 'Place' })
    const { rules } = await world.call('get_entity_access', { entity: 'Order' })
    expect(rules[1].filter).toEqual({ rules: [{ property: 'Place', op: 'eq', value: '[[$user.Technician.Place]]' }] })
    expect(await keysSeen(north)).toEqual(['n1', 'n2'])
    await world.call('update_property', { property: propertyId, internalName: 'Site' })
    const detached = await refusal('detach_property', { entity: 'Order', entityPropertyId: 'Secret', discardsValues: true })
    expect([detached.status, detached.message]).toEqual([409, expect.stringContaining('the access rules of Order')])
  })
})

describe('reading under access rules', () => {
  it('shows the rows of a rule whose tokens have a value, and no row to whom no rule reaches', async () => {
    await setRules([builders, { role: 'DataEdit', read: true, filter: ofMySite }])
    expect(await keysSeen(north)).toEqual(['n1', 'n2'])
    expect(await keysSeen(stranger)).toEqual([])
    expect(await keysSeen(world.tenant.key)).toEqual(['n1', 'n2', 's1'])
    expect(await world.call('count_instances', { entity: 'Order' }, { key: north })).toEqual({ count: 2 })
    await setRules([builders, { role: 'DataEdit', read: true, filter: { rules: [{ ...ofMySite.rules[0], op: 'ne' }] } }])
    expect(await keysSeen(stranger)).toEqual([])
    expect(await keysSeen(north)).toEqual(['s1'])
  })

  it('reaches people by their linked records', async () => {
    await setRules([builders, { people: { entity: 'Technician', filter: [{ property: 'Site', op: 'eq', value: 'north' }] }, read: true }])
    expect([(await keysSeen(north)).length, (await keysSeen(stranger)).length]).toEqual([3, 0])
    await setRules([builders, { people: { entity: 'Technician', filter: [{ property: 'Site', op: 'eq', value: 'west' }] }, read: true }])
    expect(await keysSeen(north)).toEqual([])
  })

  it('counts the oldest thousand records that are one user', async () => {
    const call = (name: string, input: object) => world.call(name, input)
    await call('create_property', { internalName: 'Mail', dataType: 'Text', isIdentityEmail: true })
    await call('create_property', { internalName: 'Beat', dataType: 'Text' })
    for (const internalName of ['Guard', 'Round'])
      await call('create_entity', { internalName, properties: [{ property: 'Mail' }, { property: 'Beat' }] })
    await call('set_entity_identity_bridge', { entity: 'Guard', isTenantUserRole: true, identityEmailProperty: 'Mail' })
    const Mail = 'guard@many.test'
    const user = await call('create_user', { userName: 'guard', email: Mail, roles: ['DataView'] })
    const { apiKey: key } = await call('create_api_key', { name: 'guard', roles: ['DataView'], tenantUserId: user.tenantUserId })
    const rows = Array.from({ length: 1_001 }, (_, n) => ({ data: { Mail, Beat: n === 0 ? 'first' : n === 1_000 ? 'last' : 'between' } }))
    expect((await call('save_instances_bulk', { entity: 'Guard', rows })).inserted).toBe(1_001)
    for (const Beat of ['first', 'between', 'last']) await call('save_instance', { entity: 'Round', key1: Beat, data: { Beat } })
    const filter = { rules: [{ property: 'Beat', op: 'eq', value: '[[$user.Guard.Beat]]' }] }
    await call('set_entity_access', { entity: 'Round', rules: [{ tenantUserId: user.tenantUserId, read: true, filter }] })
    const seen = await world.call('list_instances', { entity: 'Round' }, { key })
    expect(seen.map((one: { key1: string }) => one.key1)).toEqual(['first', 'between'])
  })

  it('takes a record for the user of its e-mail, else of its phone', async () => {
    const call = (name: string, input: object) => world.call(name, input)
    await call('create_property', { internalName: 'WhoMail', dataType: 'Text', isIdentityEmail: true })
    await call('create_property', { internalName: 'WhoPhone', dataType: 'Text', isIdentityPhone: true })
    await call('create_property', { internalName: 'Shift', dataType: 'Text' })
    const properties = ['WhoMail', 'WhoPhone', 'Shift'].map((property) => ({ property }))
    await call('create_entity', { internalName: 'Nurse', properties })
    await call('create_entity', { internalName: 'Ward', properties: [{ property: 'Shift' }] })
    await call('set_entity_identity_bridge', { entity: 'Nurse', isTenantUserRole: true })
    const userOf = async (name: string, phone: string) => {
      const { tenantUserId } = await call('create_user', { userName: name, email: `${name}@ward.test`, roles: ['DataView'] })
      await call('add_user_contact', { tenantUserId, kind: 'phone', value: phone })
      const { apiKey } = await call('create_api_key', { name, roles: ['DataView'], tenantUserId })
      return { tenantUserId, key: apiKey as string }
    }
    const [ida, oto] = [await userOf('ida', '+34600000001'), await userOf('oto', '+34600000002')]
    const nurses: [string | null, string, string][] = [
      ['ida@ward.test', '+34600000002', 'mail'],
      [null, '+34600000002', 'phone'],
      ['nobody@ward.test', '+34600000001', 'unknown'],
    ]
    for (const [WhoMail, WhoPhone, Shift] of nurses) {
      await call('save_instance', { entity: 'Nurse', data: { WhoMail, WhoPhone, Shift } })
      await call('save_instance', { entity: 'Ward', key1: Shift, data: { Shift } })
    }
    const filter = { rules: [{ property: 'Shift', op: 'eq', value: '[[$user.Nurse.Shift]]' }] }
    await call('set_entity_access', { entity: 'Ward', rules: [{ people: { entity: 'Nurse' }, read: true, filter }] })
    const seen = async (key: string) =>
      (await world.call('list_instances', { entity: 'Ward' }, { key })).map((one: { key1: string }) => one.key1)
    expect(await seen(ida.key)).toEqual(['mail', 'unknown'])
    expect(await seen(oto.key)).toEqual(['phone'])
    const hydrated = { internalName: 'NurseAtWork', entity: 'Nurse', includes: [] }
    await call('create_context', hydrated)
    const own = await call('hydrate_context', { context: 'NurseAtWork', tenantUserId: oto.tenantUserId })
    expect(own.data.Nurse.Shift).toBe('phone')
  })

  it('adds rules up by row: a property shows where one of the rules that hold for the row shows it', async () => {
    await setRules([
      builders,
      { role: 'DataEdit', read: true, hidden: ['Secret', 'Cost'] },
      { tenantUserId: northId, read: true, filter: ofMySite, hidden: ['Cost'] },
    ])
    const rows = new Map((await list(north)).map((row) => [row.key1, row]))
    expect(rows.size).toBe(3)
    expect(rows.get('n1')).toMatchObject({ data: { Secret: 'n1', Cost: null, Title: 'At north' }, withheld: ['Cost', 'Salary'] })
    expect(rows.get('s1')).toMatchObject({ data: { Secret: null, Cost: null }, withheld: ['Cost', 'Secret', 'Salary'] })
    // What only some rows withhold counts as empty there; what all do cannot be asked by.
    expect(await keysSeen(north, { filterRules: [{ property: 'Secret', op: 'isEmpty' }] })).toEqual(['s1'])
    expect(await keysSeen(north, { filterRules: [{ property: 'Secret', op: 'eq', value: 's1' }] })).toEqual([])
    const sorted = await list(north, { sort: [{ property: 'Secret', direction: 'desc' }] })
    expect(sorted.map((row) => row.key1)).toEqual(['n2', 'n1', 's1'])
    for (const input of [{ filterRules: [{ property: 'Cost', op: 'eq', value: '10' }] }, { sort: [{ property: 'Cost' }] }]) {
      const error = await refusal('list_instances', { entity: 'Order', ...input }, north)
      expect([error.status, error.message]).toEqual([400, expect.stringContaining('withheld from you')])
    }
  })

  it('shows a sensitive property under seesSensitive alone', async () => {
    await setRules([builders, { role: 'DataEdit', read: true }])
    expect((await list(north))[0]).toMatchObject({ data: { Salary: null }, withheld: ['Salary'] })
    expect((await list(world.tenant.key))[0]).toMatchObject({ data: { Salary: 5 } })
    expect((await list(world.tenant.key))[0]).not.toHaveProperty('withheld')
  })

  it('tells who may not see all of a record another row hash, which changes with it', async () => {
    await setRules([builders, { role: 'DataEdit', read: true, hidden: ['Secret'] }])
    const of = async (key: string) => (await list(key)).find((row) => row.key1 === 'n1')?.rowHash
    const [whole, sealed] = [await of(world.tenant.key), await of(north)]
    expect(sealed).toMatch(/^[0-9A-F]{40}$/)
    expect(sealed).not.toBe(whole)
    expect((await world.call('get_instance', { entity: 'Order', record: 'n1' }, { key: north })).rowHash).toBe(sealed)
    await world.call('save_instance', { entity: 'Order', key1: 'n1', data: { Secret: 'other' } })
    expect(await of(north)).not.toBe(sealed)
    await world.call('save_instance', { entity: 'Order', key1: 'n1', data: { Secret: 'n1' } })
  })

  it('describes every property, and the rights of the caller', async () => {
    await setRules([builders, { role: 'DataEdit', read: true, edit: true, filter: ofMySite, hidden: ['Secret'], readOnly: ['Title'] }])
    const described = await world.call('describe_entity', { entity: 'Order' }, { key: north })
    expect(described.properties).toHaveLength(5)
    expect(described.access).toEqual({
      read: true,
      create: false,
      edit: true,
      delete: false,
      isPartial: true,
      hidden: ['Secret', 'Salary'],
      readOnly: ['Title'],
    })
    await setRules([])
    const open = await world.call('describe_entity', { entity: 'Order' }, { key: north })
    expect(open.access).toEqual({ read: true, create: true, edit: true, delete: false, isPartial: false, hidden: [], readOnly: [] })
  })

  it('sorts by a parent as far as the caller sees it: an unseen one and a withheld value count as empty', async () => {
    await world.call('create_entity', { internalName: 'Task', properties: [{ property: 'Title' }] })
    await world.call('attach_child_entity', { entity: 'Order', childEntity: 'Task', isList: true })
    for (const [key1, parentKey] of [
      ['t1', 's1'],
      ['t2', 'n1'],
      ['t3', 'n2'],
    ] as const) {
      const [parent] = (await list(world.tenant.key, { filterRules: [{ property: 'key1', op: 'eq', value: parentKey }] })) as unknown as {
        eiRecordId: number
      }[]
      await world.call('save_instance', { entity: 'Task', key1, parentEIRecordId: parent?.eiRecordId, data: { Title: key1 } })
    }
    const sort = [{ entity: 'Order', property: 'Secret', direction: 'desc' }]
    const tasks = async (key: string, name = 'list_instances', more: object = {}) =>
      ((await world.call(name, { entity: 'Task', sort, ...more }, { key })) as { key1: string }[]).map((row) => row.key1)
    const asOf = { asOfDate: '2999-01-01T00:00:00Z' }
    await setRules([])
    expect(await tasks(north)).toEqual(['t1', 't3', 't2'])
    const readings: object[][] = [
      [builders, { role: 'DataView', read: true, filter: ofMySite }],
      [
        builders,
        { role: 'DataEdit', read: true, hidden: ['Secret', 'Cost'] },
        { tenantUserId: northId, read: true, filter: ofMySite, hidden: ['Cost'] },
      ],
    ]
    for (const rules of readings) {
      await setRules(rules)
      expect(await tasks(north)).toEqual(['t3', 't2', 't1'])
      expect(await tasks(north, 'list_instances_as_of', asOf)).toEqual(['t3', 't2', 't1'])
      expect(await tasks(world.tenant.key)).toEqual(['t1', 't3', 't2'])
    }
    const withheld = { entity: 'Task', sort: [{ entity: 'Order', property: 'Cost' }] }
    const error = await refusal('list_instances', withheld, north)
    expect([error.status, error.message]).toEqual([400, expect.stringContaining('Cost is withheld from you')])
    // To whom no rule shows a single parent, all of them are empty: the order is that of the ids.
    await setRules([builders])
    expect(await tasks(stranger, 'list_instances', { sort: [{ entity: 'Order', property: 'eiRecordId', direction: 'desc' }] })).toEqual([
      't1',
      't2',
      't3',
    ])
  })
})
