import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { isListing } from '#platform/answer.ts'
import { AppError } from '#platform/errors.ts'

import './support/seed.ts'
import { openWorld, type World } from './support/world.ts'

let world: World

type EntityName = 'Region' | 'Site' | 'Asset' | 'Visit' | 'Person' | 'Empty'

interface Thing {
  readonly entity: EntityName
  readonly key: string
  readonly parent: Thing | undefined
  readonly size: number | undefined
  readonly name: string | undefined
  readonly kind: string | undefined
  id: number
  isDeleted: boolean
}

interface Rule {
  readonly entity?: EntityName
  readonly property: 'Size' | 'Name' | 'Kind'
  readonly op: string
  readonly value?: unknown
}

interface Group {
  readonly logic?: 'AND' | 'OR'
  readonly entity?: EntityName
  readonly via?: 'parent' | 'child' | 'peer'
  readonly has?: 'some' | 'none' | 'every'
  readonly rules?: readonly Rule[]
  readonly groups?: readonly Group[]
}

const kinds: Readonly<Record<string, string | undefined>> = {
  Pump: undefined,
  Diesel: 'Pump',
  Turbo: 'Diesel',
  Electric: 'Pump',
  Valve: undefined,
}
const things: Thing[] = []
const peers: [Thing, Thing][] = []

/** Who is reached from whom, as the definitions below say. */
const parentsOf: Record<EntityName, readonly EntityName[]> = {
  Region: [],
  Site: ['Region'],
  Asset: ['Site', 'Region'],
  Visit: ['Asset'],
  Person: [],
  Empty: ['Asset'],
}
const peersOf: Record<EntityName, readonly EntityName[]> = {
  Region: [],
  Site: [],
  Asset: ['Person', 'Visit'],
  Visit: ['Asset'],
  Person: ['Asset'],
  Empty: [],
}

const at = <T>(list: readonly T[], index: number): T | undefined => list[index % (list.length + 1)]

beforeAll(async () => {
  world = await openWorld()
  const propertyOptions = Object.entries(kinds).map(([internalName, parent]) => ({ internalName, ...(parent ? { parent } : {}) }))
  await world.call('create_property', { internalName: 'Size', dataType: 'Number' })
  await world.call('create_property', { internalName: 'Name', dataType: 'Text' })
  await world.call('create_property', { internalName: 'Kind', dataType: 'Hierarchy', propertyOptions })
  const properties = ['Size', 'Name', 'Kind'].map((property) => ({ property }))
  const names: EntityName[] = ['Region', 'Site', 'Asset', 'Visit', 'Person', 'Empty']
  for (const internalName of names) await world.call('create_entity', { internalName, properties })
  for (const entity of names)
    for (const parent of parentsOf[entity]) await world.call('attach_child_entity', { entity: parent, childEntity: entity, isList: true })
  for (const peerEntity of peersOf.Asset) await world.call('attach_peer_entity', { entity: 'Asset', peerEntity, isList: true })

  const of = (entity: EntityName) => things.filter((thing) => thing.entity === entity)
  const make = (entity: EntityName, count: number, parents: readonly Thing[]) => {
    for (let index = 0; index < count; index++) {
      const parent = at(parents, index * 7 + (index >> 2))
      const size = at([1, 2, 3], index * 5)
      const name = at(['north', 'south', ''], index * 3 + (index >> 3))
      const kind = at(Object.keys(kinds), index * 11)
      things.push({ entity, key: `${entity}${index}`, parent, size, name, kind, id: 0, isDeleted: false })
    }
  }
  make('Region', 4, [])
  make('Site', 8, of('Region'))
  make('Asset', 120, [...of('Site'), ...of('Region')])
  make('Visit', 200, of('Asset'))
  make('Person', 20, [])
  for (const entity of names.filter((name) => name !== 'Empty')) {
    const rows = of(entity).map(({ key, parent, size, name, kind }) => ({
      key1: key,
      ...(parent ? { parentEIRecordId: parent.id } : {}),
      data: { Size: size ?? null, Name: name ?? null, Kind: kind ?? null },
    }))
    const { results } = await world.call('save_instances_bulk', { entity, rows })
    of(entity).forEach((thing, index) => void (thing.id = results[index].eiRecordId))
  }
  // Some are deleted, childless ones, and some links are no more.
  const gone = [...of('Visit').filter((_, index) => index % 9 === 0), ...of('Person').slice(0, 3)]
  for (const thing of gone) {
    await world.call('delete_instance', { entity: thing.entity, record: thing.id })
    thing.isDeleted = true
  }
  const idOf = new Map(
    (await world.call('list_entities')).map((one: { internalName: string; entityId: number }) => [one.internalName, one.entityId]),
  )
  const link = `"t_${world.tenant.tenantId}".link`
  for (const [index, asset] of of('Asset').entries()) {
    for (const [other, isLinked] of [
      [at(of('Person'), index * 3), true],
      [at(of('Person'), index * 5 + 1), index % 2 === 0],
      [at(of('Visit'), index * 13), true],
    ] as const) {
      if (!other || index % 4 === 3) continue
      const [one, two] = index % 2 === 0 ? [asset, other] : [other, asset]
      await world.sql.unsafe(
        `insert into ${link} (entity_a, record_a, entity_b, record_b, linked_at, unlinked_at, change_no)
         values ($1, $2, $3, $4, now() - interval '1 hour', ${isLinked ? 'null' : `now() - interval '1 minute'`}, 1) on conflict do nothing`,
        [Number(idOf.get(one.entity)), one.id, Number(idOf.get(two.entity)), two.id],
      )
      if (isLinked) peers.push([asset, other])
    }
  }
  expect(peers.length).toBeGreaterThan(50)
})

afterAll(() => world.close())

const waysOf = (from: EntityName, to: EntityName): ('parent' | 'child' | 'peer')[] => {
  const up = (entity: EntityName): boolean => parentsOf[entity].some((parent) => parent === to || up(parent))
  return [
    ...(up(from) ? (['parent'] as const) : []),
    ...(parentsOf[to].includes(from) ? (['child'] as const) : []),
    ...(peersOf[from].includes(to) ? (['peer'] as const) : []),
  ]
}

function relatedTo(thing: Thing, to: EntityName, link: string): Thing[] {
  if (link === 'child') return things.filter((other) => other.entity === to && other.parent === thing && !other.isDeleted)
  if (link === 'peer') {
    const all = peers.flatMap(([one, other]) => (one === thing ? [other] : other === thing ? [one] : []))
    return [...new Set(all)].filter((other) => other.entity === to && !other.isDeleted)
  }
  let above = thing.parent
  while (above && above.entity !== to) above = above.parent
  return above ? [above] : []
}

const pathOf = (kind: string | undefined): string[] => (kind === undefined ? [] : [kind, ...pathOf(kinds[kind])])

function compares(thing: Thing | undefined, { property, op, value }: Rule): boolean {
  const mine = { Size: thing?.size, Name: thing?.name, Kind: thing?.kind }[property]
  const isEmpty = mine === undefined || mine === ''
  const list = Array.isArray(value) ? value : [value]
  switch (op) {
    case 'isEmpty':
      return isEmpty
    case 'isNotEmpty':
      return !isEmpty
    case 'eq':
    case 'in':
      return list.includes(mine)
    case 'ne':
    case 'notIn':
      return !list.includes(mine)
    case 'gt':
      return typeof mine === 'number' && mine > Number(value)
    case 'contains':
      return String(mine ?? '\0').includes(String(value))
    case 'notContains':
      return !String(mine ?? '\0').includes(String(value))
    case 'under':
      return pathOf(thing?.kind).includes(String(value))
    default:
      throw new Error(op)
  }
}

function fulfils(thing: Thing, group: Group): boolean {
  const { entity, has = 'some' } = group
  if (entity === undefined) return fulfilsNodes(thing, group)
  const related = relatedTo(thing, entity, group.via ?? waysOf(thing.entity, entity)[0] ?? '')
  const fulfilling = related.filter((one) => fulfilsNodes(one, group))
  return has === 'some' ? fulfilling.length > 0 : has === 'none' ? fulfilling.length === 0 : fulfilling.length === related.length
}

function fulfilsNodes(thing: Thing, { logic = 'AND', rules = [], groups = [] }: Group): boolean {
  const all = [
    ...rules.map((rule) => {
      if (rule.entity === undefined || rule.entity === thing.entity) return compares(thing, rule)
      const [link] = waysOf(thing.entity, rule.entity)
      const related = relatedTo(thing, rule.entity, link ?? '')
      return link === 'parent' ? compares(related[0], rule) : related.some((one) => compares(one, rule))
    }),
    ...groups.map((group) => fulfils(thing, group)),
  ]
  return all.length === 0 || (logic === 'AND' ? all.every(Boolean) : all.some(Boolean))
}

async function keysOf(name: string, input: object): Promise<string[]> {
  const found = await world.run(name, { pageSize: 1000, properties: [], ...input })
  if (!isListing(found)) throw new Error('no listing')
  const rows: { key1: string }[] = JSON.parse('text' in found.items ? found.items.text : JSON.stringify(found.items))
  return rows.map((row) => row.key1).sort()
}

const expected = (entity: EntityName, filter: Group) =>
  things
    .filter((thing) => thing.entity === entity && !thing.isDeleted && fulfils(thing, filter))
    .map((thing) => thing.key)
    .sort()

async function refusal(filterRules: unknown, entity = 'Asset'): Promise<AppError> {
  const error: unknown = await world.run('list_instances', { entity, filterRules }).catch((thrown: unknown) => thrown)
  if (!(error instanceof AppError)) throw new Error(`It was not refused: ${String(error)}`)
  return error
}

const reachable = (from: EntityName): EntityName[] =>
  (['Region', 'Site', 'Asset', 'Visit', 'Person'] as const).filter((to) => waysOf(from, to).length > 0)

const comparison: fc.Arbitrary<Rule> = fc.oneof(
  fc.record({ property: fc.constant('Size' as const), op: fc.constantFrom('eq', 'ne', 'gt'), value: fc.constantFrom(1, 2, 3) }),
  fc.record({ property: fc.constant('Size' as const), op: fc.constantFrom('in', 'notIn'), value: fc.constant([1, 3]) }),
  fc.record({ property: fc.constantFrom('Size' as const, 'Name' as const, 'Kind' as const), op: fc.constantFrom('isEmpty', 'isNotEmpty') }),
  fc.record({
    property: fc.constant('Name' as const),
    op: fc.constantFrom('contains', 'notContains'),
    value: fc.constantFrom('or', 'out'),
  }),
  fc.record({ property: fc.constant('Kind' as const), op: fc.constantFrom('under', 'eq'), value: fc.constantFrom(...Object.keys(kinds)) }),
)

function ruleOf(from: EntityName): fc.Arbitrary<Rule> {
  const others = reachable(from).filter((to) => waysOf(from, to).length === 1)
  const related =
    others.length === 0 ? [] : [fc.tuple(comparison, fc.constantFrom(...others)).map(([rule, entity]) => ({ ...rule, entity }))]
  return fc.oneof(comparison, ...related)
}

function nodesOf(from: EntityName, depth: number): fc.Arbitrary<Group> {
  const inner = depth === 0 ? fc.constant([]) : fc.array(groupOf(from, depth - 1), { maxLength: 2 })
  return fc.record({
    logic: fc.constantFrom('AND' as const, 'OR' as const),
    rules: fc.array(ruleOf(from), { maxLength: 2 }),
    groups: inner,
  })
}

function groupOf(from: EntityName, depth: number): fc.Arbitrary<Group> {
  const related = reachable(from).flatMap((entity) =>
    waysOf(from, entity).map((via) =>
      fc
        .tuple(nodesOf(entity, Math.min(depth, 1)), fc.constantFrom('some' as const, 'none' as const, 'every' as const))
        .map(([nodes, has]): Group => ({ ...nodes, entity, via, has })),
    ),
  )
  return fc.oneof(nodesOf(from, depth), ...related)
}

describe('a filter over relations', () => {
  it.each(['Asset', 'Visit', 'Site', 'Person'] as const)(
    'of %s means what it says, now and as of a time, and counts the same',
    async (entity) => {
      let selective = 0
      await fc.assert(
        fc.asyncProperty(nodesOf(entity, 2), async (filterRules) => {
          const wanted = expected(entity, filterRules)
          if (wanted.length > 0 && wanted.length < expected(entity, {}).length) selective++
          expect(await keysOf('list_instances', { entity, filterRules })).toEqual(wanted)
          const asOfDate = new Date(Date.now() + 60_000).toISOString()
          expect(await keysOf('list_instances_as_of', { entity, filterRules, asOfDate })).toEqual(wanted)
          expect((await world.call('count_instances', { entity, filterRules })).count).toBe(wanted.length)
        }),
        { numRuns: 40 },
      )
      expect(selective).toBeGreaterThan(5)
    },
  )

  it('asks with a group without rules whether there is such a record', async () => {
    for (const has of ['some', 'none', 'every'] as const) {
      const filterRules = { groups: [{ entity: 'Person' as const, has }] }
      const keys = await keysOf('list_instances', { entity: 'Asset', filterRules })
      expect(keys).toEqual(expected('Asset', filterRules))
      expect(keys.length).toBeGreaterThan(10)
    }
  })

  it('reaches a parent of a parent, and counts the values of a parent that is not there as empty', async () => {
    const without = await keysOf('list_instances', {
      entity: 'Visit',
      filterRules: [{ entity: 'Region', property: 'Size', op: 'isEmpty' }],
    })
    const orphans = things.filter(
      (thing) => thing.entity === 'Visit' && !thing.isDeleted && relatedTo(thing, 'Region', 'parent').length === 0,
    )
    expect(orphans.length).toBeGreaterThan(0)
    expect(without).toEqual(expect.arrayContaining(orphans.map((thing) => thing.key)))
    const some = { groups: [{ entity: 'Region' as const, rules: [{ property: 'Size' as const, op: 'isEmpty' }] }] }
    const keys = await keysOf('list_instances', { entity: 'Visit', filterRules: some })
    expect(keys).toEqual(expected('Visit', some))
    expect(keys.filter((key) => orphans.some((thing) => thing.key === key))).toEqual([])
  })

  it('finds none of an entity that never had a record', async () => {
    const all = expected('Asset', {})
    const by = (group: object) => keysOf('list_instances', { entity: 'Asset', filterRules: { groups: [{ entity: 'Empty', ...group }] } })
    const rules = [{ property: 'Size', op: 'eq', value: 1 }]
    expect(await by({ rules })).toEqual([])
    expect(await by({ rules, has: 'none' })).toEqual(all)
    expect(await by({ rules, has: 'every' })).toEqual(all)
  })

  it('sees the peers that a record had at a time', async () => {
    const filterRules = { groups: [{ entity: 'Person' }] }
    const then = await keysOf('list_instances_as_of', { entity: 'Asset', filterRules, asOfDate: new Date().toISOString() })
    expect(then).toEqual(expected('Asset', { groups: [{ entity: 'Person' }] }))
    await world.sql.unsafe(`update "t_${world.tenant.tenantId}".link set unlinked_at = now() + interval '1 day' where unlinked_at is null`)
    const later = { entity: 'Asset', filterRules, asOfDate: new Date(Date.now() + 2 * 86_400_000).toISOString() }
    expect(await keysOf('list_instances_as_of', later)).toEqual([])
    await world.sql.unsafe(`update "t_${world.tenant.tenantId}".link set unlinked_at = null where unlinked_at > now()`)
  })

  it('finds an option and all below it, deleted ones too', async () => {
    const under = (value: string) => keysOf('list_instances', { entity: 'Person', filterRules: [{ property: 'Kind', op: 'under', value }] })
    const pumps = await under('Pump')
    expect(pumps).toEqual(expected('Person', { rules: [{ property: 'Kind', op: 'under', value: 'Pump' }] }))
    expect(pumps.length).toBeGreaterThan((await under('Diesel')).length)
    expect((await refusal([{ property: 'Size', op: 'under', value: 1 }])).issues?.[0]?.message).toContain('cannot be used on a Number')
  })

  it.each([
    [
      'an entity reached in several ways',
      [{ entity: 'Visit', property: 'Size', op: 'eq', value: 1 }],
      '$.filterRules[0].entity',
      'by child and peer',
    ],
    ['such an entity in a group', { groups: [{ entity: 'Visit' }] }, '$.filterRules.groups[0].entity', '"via": "child"'],
    [
      'a way that does not lead there',
      { groups: [{ entity: 'Site', via: 'peer' }] },
      '$.filterRules.groups[0].via',
      'reached from Asset by parent',
    ],
    ['a word for no way', { groups: [{ entity: 'Site', via: 'father' }] }, '$.filterRules.groups[0].via', 'Expected parent, child or peer'],
    ['a word for no number', { groups: [{ entity: 'Site', has: 'all' }] }, '$.filterRules.groups[0].has', 'Expected some, none or every'],
    ['has without an entity', { groups: [{ has: 'none' }] }, '$.filterRules.groups[0].entity', 'Required beside via and has'],
    ['via in a rule', [{ entity: 'Site', via: 'parent', property: 'Size', op: 'eq', value: 1 }], '$.filterRules[0].via', 'Allowed: entity'],
  ])('refuses %s and says what to do', async (_what, filterRules, path, message) => {
    const error = await refusal(filterRules)
    expect(error).toMatchObject({ code: 'invalid_input', issues: [{ path }] })
    expect(error.issues?.[0]?.message).toContain(message)
  })

  it('refuses an entity that is not related with those that are, and an unknown one with the nearest name', async () => {
    const apart = await refusal([{ entity: 'Person', property: 'Size', op: 'eq', value: 1 }], 'Region')
    expect(apart.issues).toMatchObject([{ message: 'Person is not related to Region. Related to it: Site (child), Asset (child).' }])
    const unknown = await refusal({ groups: [{ entity: 'Sit' }] })
    expect(unknown).toMatchObject({ code: 'unknown_entity', issues: [{ path: '$.filterRules.groups[0].entity', suggestion: 'Site' }] })
    const property = await refusal([{ entity: 'Site', property: 'Sise', op: 'eq', value: 1 }])
    expect(property).toMatchObject({ code: 'unknown_property', issues: [{ suggestion: 'Size' }] })
  })

  it('stands in a saved view like any filter, and follows the names of what it reaches', async () => {
    const propertyFilters = { groups: [{ entity: 'Site', rules: [{ entity: 'Region', property: 'Size', op: 'gt', value: 1 }] }] }
    const saved = await world.call('save_view', {
      entity: 'Asset',
      internalName: 'OfLargeRegions',
      viewJson: { filters: { propertyFilters } },
    })
    expect(saved.validation).toBeNull()
    const wanted = expected('Asset', { groups: [{ entity: 'Site', rules: [{ entity: 'Region', property: 'Size', op: 'gt', value: 1 }] }] })
    const run = async () =>
      (await world.call('execute_view', { entity: 'Asset', view: 'OfLargeRegions', pageSize: 1000 }))
        .map((row: { key1: string }) => row.key1)
        .sort()
    expect(wanted.length).toBeGreaterThan(5)
    expect(await run()).toEqual(wanted)
    await world.call('update_entity', { entity: 'Region', internalName: 'Area' })
    expect(await run()).toEqual(wanted)
    await world.call('update_entity', { entity: 'Area', internalName: 'Region' })
    const wrong = { filters: { propertyFilters: [{ entity: 'Sit', property: 'Size', op: 'gt', value: 1 }] } }
    expect((await world.call('validate_view', { entity: 'Asset', viewJson: wrong })).issues).toMatchObject([
      { path: '$.viewJson.filters.propertyFilters[0].entity', suggestion: 'Site' },
    ])
  })

  it('counts of related records those that the caller sees, while an access rule looks at them as they stand', async () => {
    const rules = (filter: object, more: object = {}) => ({ rules: [{ role: 'DataView', read: true, filter, ...more }] })
    const ofSize = (value: number) => ({ rules: [{ property: 'Size', op: 'eq', value }] })
    const bySite = (group: object) => keysOf('list_instances', { entity: 'Asset', filterRules: { groups: [{ entity: 'Site', ...group }] } })
    const withSite = (size: number) =>
      expected('Asset', { groups: [{ entity: 'Site', rules: [{ property: 'Size', op: 'eq', value: size }] }] })
    expect(withSite(1).length).toBeGreaterThan(0)
    expect(withSite(2).length).toBeGreaterThan(0)
    await world.call('set_entity_access', { entity: 'Site', ...rules(ofSize(1), { hidden: ['Name'] }) })
    expect(await bySite({})).toEqual(withSite(1))
    expect(await bySite({ has: 'none' })).toEqual(expected('Asset', {}).filter((key) => !withSite(1).includes(key)))
    const withheld = await refusal([{ entity: 'Site', property: 'Name', op: 'eq', value: 'north' }])
    expect(withheld.issues?.[0]?.message).toContain('Name is withheld from you')
    await world.call('set_entity_access', {
      entity: 'Asset',
      ...rules({ rules: [{ entity: 'Site', property: 'Size', op: 'eq', value: 2 }] }),
    })
    expect(await keysOf('list_instances', { entity: 'Asset' })).toEqual(withSite(2))
    expect(await bySite({})).toEqual([])
    for (const entity of ['Asset', 'Site']) await world.call('set_entity_access', { entity, rules: [] })
    expect(await keysOf('list_instances', { entity: 'Asset' })).toEqual(expected('Asset', {}))
  })

  it('holds as many rules over relations as any rules, and groups on related records count among them', async () => {
    const rule = (index: number) => ({ entity: 'Site', property: 'Size', op: 'ne', value: index + 10 })
    const rules = Array.from({ length: 200 }, (_, index) => rule(index))
    expect(await keysOf('list_instances', { entity: 'Asset', filterRules: rules })).toEqual(expected('Asset', {}))
    const groups = Array.from({ length: 201 }, () => ({ entity: 'Person', has: 'every' }))
    expect((await refusal({ groups })).issues).toMatchObject([{ message: 'At most 200 rules in a filter.' }])
  })
})
