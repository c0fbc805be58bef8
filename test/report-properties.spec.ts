/** Random reports over random catalogs and rows, against an evaluation of the same rows in hand. */
import { describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'

import {
  type AccessRule,
  canonical,
  type Definition,
  evaluate,
  type Group,
  isInOrder,
  isWithheld,
  type Join,
  kinds,
  type PropertyName,
  propertyNames,
  propertyTypes,
  type Row,
  type Rule,
  type Sight,
  type Thing,
} from './support/report-model.ts'
import { seed } from './support/seed.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

/** A random choice that a seed repeats. */
function randomOf(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  const pick = <T>(list: readonly T[]): T => {
    const one = list[below(list.length)]
    if (one === undefined) throw new Error('Nothing to choose from')
    return one
  }
  const chance = (of: number) => next() < of
  const some = <T>(list: readonly T[], most: number): T[] => Array.from({ length: below(most + 1) }, () => pick(list))
  return { below, pick, chance, some }
}
type Random = ReturnType<typeof randomOf>

const entities = ['Alpha', 'Beta', 'Gamma', 'Delta'] as const
type Edge = { readonly from: string; readonly to: string; readonly joinType: Join['joinType'] }

interface Catalog {
  readonly key: string
  readonly bound: string
  readonly things: readonly Thing[]
  readonly edges: readonly Edge[]
  readonly rules: ReadonlyMap<string, readonly AccessRule[]>
  readonly timeZone: string
}

const days = ['2025-12-29', '2026-01-01', '2026-02-28', '2026-03-01', '2026-03-31', '2026-07-05']
const times = [
  '2025-12-31T23:30:00.000Z',
  '2026-03-29T00:59:00.000Z',
  '2026-03-29T01:01:00.000Z',
  '2026-06-30T22:15:00.000Z',
  '2026-11-01T05:30:00.000Z',
]

function valuesOf({ pick, chance, below, some }: Random): Thing['values'] {
  const maybe = <T>(value: T) => (chance(0.2) ? null : value)
  const nums = some([1, 2, 3], 3)
  return {
    Num: maybe(pick([-2.5, 0, 0.1, 0.2, 0.3, 1, 2, 7.25])),
    Cash: maybe(below(500) / 100),
    Txt: maybe(pick(['', 'ant', 'bee', 'beetle', 'cat'])),
    Kind: maybe(pick(kinds)),
    Day: maybe(pick(days)),
    At: maybe(pick(times)),
    Flag: maybe(chance(0.5)),
    Nums: nums.length === 0 ? null : nums,
  }
}

async function makeCatalog(random: Random): Promise<Catalog> {
  const { pick, chance, below } = random
  const tenant = await world.newTenant()
  const call = (name: string, input: object) => world.call(name, input, { key: tenant.key })
  for (const name of propertyNames)
    await call('create_property', {
      internalName: name,
      dataType: propertyTypes[name],
      ...(name === 'Kind' ? { propertyOptions: kinds.map((internalName) => ({ internalName })) } : {}),
    })
  for (const internalName of entities)
    await call('create_entity', { internalName, properties: propertyNames.map((property) => ({ property, isList: property === 'Nums' })) })
  const edges: Edge[] = []
  const parents = new Map<string, string[]>()
  for (const [index, entity] of entities.entries()) {
    const above = entities.slice(0, index).filter((_, at) => at === index - 1 || chance(0.4))
    for (const parent of above) {
      await call('attach_child_entity', { entity: parent, childEntity: entity, isList: true })
      edges.push({ from: parent, to: entity, joinType: 'child' }, { from: entity, to: parent, joinType: 'parent' })
    }
    parents.set(entity, above)
  }
  const [one, two] = pick([
    ['Alpha', 'Gamma'],
    ['Beta', 'Delta'],
    ['Alpha', 'Delta'],
  ] as const)
  await call('attach_peer_entity', { entity: one, peerEntity: two, isList: true })
  edges.push({ from: one, to: two, joinType: 'peer' }, { from: two, to: one, joinType: 'peer' })
  const things: Thing[] = []
  for (const entity of entities) {
    const above = things.filter((thing) => parents.get(entity)?.includes(thing.entity))
    const own = Array.from({ length: 6 + below(8) }, (_, index): Thing => {
      const parent = above.length > 0 && chance(0.8) ? pick(above) : undefined
      return { entity, key: `${entity}${index}`, parent, peers: new Set(), values: valuesOf(random), id: 0 }
    })
    const rows = own.map(({ key, parent, values }) => ({ key1: key, ...(parent ? { parentEIRecordId: parent.id } : {}), data: values }))
    const { results } = await call('save_instances_bulk', { entity, rows })
    own.forEach((thing, index) => void (thing.id = results[index].eiRecordId))
    things.push(...own)
  }
  const found = await world.sql<
    { entityId: number; internalName: string }[]
  >`select entity_id, internal_name from platform.entity where tenant_id = ${tenant.tenantId}`
  const ids = new Map(found.map((row) => [row.internalName, row.entityId]))
  for (const thing of things.filter((other) => other.entity === one))
    for (const other of things.filter((peer) => peer.entity === two && chance(0.2))) {
      thing.peers.add(other)
      other.peers.add(thing)
      await world.sql.unsafe(
        `insert into "t_${tenant.tenantId}".link (entity_a, record_a, entity_b, record_b, linked_at, change_no) values ($1, $2, $3, $4, now(), 1)`,
        [ids.get(one) ?? 0, thing.id, ids.get(two) ?? 0, other.id],
      )
    }
  const bound = await tenant.keyWith(['DataView'])
  const { tenantUserId } = await world.call('whoami', {}, { key: bound })
  const timeZone = pick(['UTC', 'Europe/Madrid', 'America/New_York'])
  await world.call('set_user_timezone', { tenantUserId, timezone: timeZone }, { key: tenant.key })
  const rules = new Map<string, readonly AccessRule[]>()
  for (const entity of entities.filter(() => chance(0.6))) {
    const own = Array.from({ length: 1 + below(2) }, (): AccessRule => ({
      least: chance(0.7) ? pick([0, 0.2, 1]) : undefined,
      hidden: propertyNames.filter((name) => name !== 'Num' && chance(0.2)),
    }))
    rules.set(entity, own)
    await call('set_entity_access', {
      entity,
      rules: [
        { tenantUserId: tenant.tenantUserId, read: true },
        ...own.map(({ least, hidden }) => ({
          tenantUserId,
          read: true,
          hidden,
          ...(least === undefined ? {} : { filter: [{ property: 'Num', op: 'gte', value: least }] }),
        })),
      ],
    })
  }
  return { key: tenant.key, bound, things, edges, rules, timeZone }
}

function comparisonOf({ pick }: Random, property: PropertyName): Rule {
  const op = pick(['eq', 'ne', 'isEmpty', 'isNotEmpty', 'other'])
  if (op === 'isEmpty' || op === 'isNotEmpty') return { property, op }
  const type = propertyTypes[property]
  if (type === 'Number' || type === 'Currency')
    return op === 'other'
      ? { property, op: 'between', value: [0.1, 2] }
      : { property, op: pick(['gt', 'lte', 'eq', 'ne']), value: pick([0.2, 1, 2]) }
  if (type === 'Text') return op === 'other' ? { property, op: 'contains', value: 'ee' } : { property, op, value: 'bee' }
  if (type === 'Choice') return { property, op: op === 'other' ? 'in' : op, value: op === 'other' ? ['zeta', 'mid'] : 'alpha' }
  if (type === 'DateOnly') return op === 'other' ? { property, op: 'gt', value: '2026-01-01' } : { property, op, value: '2026-03-01' }
  if (type === 'DateTime') return { property, op: op === 'other' ? 'lte' : op, value: '2026-03-29T01:01:00.000Z' }
  return { property, op: op === 'other' ? 'eq' : op, value: true }
}

function groupOf(random: Random, names: readonly string[], depth = 0): Group {
  const { pick, below, chance } = random
  const rule = (): Rule => ({ ...comparisonOf(random, pick(propertyNames)), entity: pick(names) })
  return {
    logic: pick(['AND', 'OR'] as const),
    rules: Array.from({ length: below(3) }, rule),
    groups: depth < 2 && chance(0.4) ? [groupOf(random, names, depth + 1)] : [],
  }
}

const dateParts = ['year', 'quarter', 'month', 'week', 'day', 'dayOfWeek', 'monthOfYear']

function definitionOf(random: Random, edges: readonly Edge[]): Definition {
  const { pick, below, chance } = random
  const primaryEntityId = pick(entities)
  const joins: Join[] = []
  const known: { name: string; entity: string }[] = [{ name: primaryEntityId, entity: primaryEntityId }]
  for (let number = below(4); number > 0; number--) {
    const from = pick(known)
    const possible = edges.filter((edge) => edge.from === from.entity)
    if (possible.length === 0) continue
    const { to, joinType } = pick(possible)
    const alias = `j${joins.length}`
    joins.push({ entityId: to, parentEntityId: from.name, joinType, joinMode: pick(['inner', 'left'] as const), alias })
    known.push({ name: alias, entity: to })
  }
  const names = known.map(({ name }) => name)
  const filters = chance(0.6) ? { filters: groupOf(random, names) } : {}
  const begin = { primaryEntityId, joins, ...filters }
  if (chance(0.3)) {
    const columns = Array.from({ length: 1 + below(4) }, (_, index) => ({
      entity: pick(names),
      property: pick([...propertyNames, 'key1']),
      alias: `c${index}`,
    }))
    const sort = columns
      .filter(({ property }) => property !== 'Nums' && chance(0.4))
      .map(({ alias }) => ({ property: alias, direction: pick(['asc', 'desc'] as const) }))
    return { ...begin, columns, groupBy: [], aggregates: [], sort }
  }
  const grouped = propertyNames.filter((name) => name !== 'Nums')
  const groupBy = Array.from({ length: below(3) }, (_, index) => {
    const property = pick(grouped)
    const parts = property === 'At' ? [...dateParts, 'hourOfDay'] : property === 'Day' ? dateParts : []
    const datePart = parts.length > 0 && chance(0.8) ? { datePart: pick(parts) } : {}
    return { entity: pick(names), property, ...datePart, alias: `g${index}` }
  })
  const aggregates = Array.from({ length: (groupBy.length === 0 ? 1 : 0) + below(4) }, (_, index) => {
    const filter = chance(0.3) ? { filter: groupOf(random, names) } : {}
    const end = { distinct: chance(0.25), alias: `a${index}`, ...filter }
    if (chance(0.25)) return { fn: 'COUNT', ...(chance(0.5) ? { entity: pick(names) } : {}), ...end }
    const property = pick(propertyNames)
    const isNumber = property === 'Num' || property === 'Cash'
    const isOrdered = isNumber || property === 'Txt' || property === 'Day' || property === 'At'
    const fn = pick(isNumber ? ['SUM', 'AVG', 'MIN', 'MAX', 'COUNT'] : isOrdered ? ['MIN', 'MAX', 'COUNT'] : ['COUNT'])
    return { fn, property, entity: pick(names), ...end, distinct: property === 'Nums' ? false : end.distinct }
  })
  const numbers = aggregates.filter(({ fn }) => fn === 'SUM' || fn === 'COUNT').map(({ alias }) => alias)
  const having =
    numbers.length > 0 && chance(0.4)
      ? {
          having: {
            logic: pick(['AND', 'OR'] as const),
            rules: [{ property: pick(numbers), op: pick(['gt', 'lte', 'ne', 'isEmpty']), value: 1 }],
            groups: [],
          },
        }
      : {}
  const sort = [...groupBy, ...aggregates]
    .filter(() => chance(0.4))
    .map(({ alias }) => ({ property: alias, direction: pick(['asc', 'desc'] as const) }))
  return { ...begin, columns: [], groupBy, aggregates, ...withoutValue(having), sort }
}

/** isEmpty takes no value. */
function withoutValue(having: { having?: Group }): { having?: Group } {
  if (!having.having) return having
  const rules = having.having.rules.map((rule) => (rule.op === 'isEmpty' ? { property: rule.property, op: rule.op } : rule))
  return { having: { ...having.having, rules } }
}

/** Whether the definition asks by something that its caller sees in no row: what is only shown is empty. */
function namesWithheld(sight: Sight, definition: Definition): boolean {
  const entityOf = (name: string) => definition.joins.find((join) => join.alias === name)?.entityId ?? definition.primaryEntityId
  const isGrouped = definition.groupBy.length + definition.aggregates.length > 0
  const fields: { entity?: string; property?: string }[] = [
    ...definition.columns.filter(({ alias }) => isGrouped || definition.sort.some((key) => key.property === alias)),
    ...definition.groupBy,
    ...definition.aggregates,
    ...rulesOf(definition.filters),
    ...definition.aggregates.flatMap(({ filter }) => rulesOf(filter)),
  ]
  return fields.some(
    ({ entity, property }) => property !== undefined && isWithheld(sight, entityOf(entity ?? definition.primaryEntityId), property),
  )
}

function rulesOf(group: Group | undefined): Rule[] {
  return group ? [...group.rules, ...group.groups.flatMap(rulesOf)] : []
}

interface Answer {
  readonly rows: readonly { readonly data: Row; readonly snapshotDate?: string }[]
  readonly totalCount: number
}

const catalogs = 3
const reportsOfEach = 90
const spoilt = 150
const atOnce = 5

describe('random reports', () => {
  it(
    'answer what an evaluation over the rows in hand does, for who sees everything and for who does not',
    { timeout: 120_000 },
    async () => {
      let [held, refused, rowsSeen] = [0, 0, 0]
      const check = async (catalog: Catalog, number: number) => {
        const random = randomOf(seed + number)
        const definition = definitionOf(random, catalog.edges)
        const isBound = random.chance(0.5)
        const sight: Sight = isBound ? catalog : { things: catalog.things, rules: new Map(), timeZone: 'UTC' }
        const key = isBound ? catalog.bound : catalog.key
        const run = (more: object, also: object = {}) =>
          world.call('execute_report_inline', { definitionJson: { ...definition, ...also }, ...more }, { key }) as Promise<Answer>
        const shown = `seed ${seed}, number ${number}, ${isBound ? 'bound' : 'free'}: ${JSON.stringify(definition)}`
        if (namesWithheld(sight, definition)) {
          const error: unknown = await run({}).catch((thrown: unknown) => thrown)
          expect(error instanceof AppError ? error.status : 'no refusal', shown).toBe(400)
          refused++
          return
        }
        const expected = evaluate(sight, definition)
        const { rows, totalCount } = await run({ pageSize: 1000 }).catch((error: unknown) => {
          throw new Error(shown, { cause: error })
        })
        const found = rows.map((row) => row.data)
        expect(totalCount, shown).toBe(expected.length)
        if (expected.length <= 1000) expect(canonical(found), shown).toEqual(canonical(expected))
        const isOrdered = found.every((row, index) => index === 0 || isInOrder(definition.sort, found[index - 1] ?? row, row))
        expect(isOrdered, shown).toBe(true)
        // What is read as of now, or is the last of several times, is the same out of the versions of each record.
        if (number % 4 === 1) {
          const then = await run({ pageSize: 1000 }, { asOfDate: 'now' })
          expect([then.totalCount, canonical(then.rows.map((row) => row.data))], shown).toEqual([totalCount, canonical(found)])
        }
        if (number % 4 === 2) {
          const varied = await run({ pageSize: 1000 }, { variance: { dateFrom: '-1h', cadence: 'hour' } })
          const last = varied.rows.at(-1)?.snapshotDate
          const now = varied.rows.filter((row) => row.snapshotDate === last)
          if (expected.length > 0 && varied.totalCount <= 1000)
            expect(canonical(now.map((row) => row.data)), shown).toEqual(canonical(found))
        }
        if (found.length > 2 && number % 5 === 0)
          expect(
            (await run({ page: 2, pageSize: 2 })).rows.map((row) => row.data),
            shown,
          ).toEqual(found.slice(2, 4))
        held++
        rowsSeen += found.length
      }
      for (let number = 0; number < catalogs; number++) {
        const catalog = await makeCatalog(randomOf(seed - number - 1))
        const first = number * 1_000_000
        for (let at = first; at < first + reportsOfEach; at += atOnce)
          await Promise.all(Array.from({ length: atOnce }, (_, index) => check(catalog, at + index)))
      }
      expect(held).toBeGreaterThan(200)
      expect(refused).toBeGreaterThan(5)
      expect(rowsSeen).toBeGreaterThan(500)
    },
  )

  it('are refused where anything in them is wrong, and never fail', async () => {
    const catalog = await makeCatalog(randomOf(seed))
    const statuses = new Map<number, number>()
    const check = async (number: number) => {
      const random = randomOf(seed + number)
      const more = {
        ...random.pick([
          { asOfDate: '2026-01-01' },
          { variance: { dateFrom: '-2h', cadence: 'hour' } },
          { variance: { dateFrom: '-1d', cadence: 'change' } },
        ]),
        parameters: [{ name: 'p', dataType: 'Number', isList: true }],
        computed: [{ alias: 'twice', $expr: ['*', '[[a0]]', 2] }],
      }
      const definition = definitionOf(random, catalog.edges)
      const whole: unknown = structuredClone(random.chance(0.5) ? definition : { ...definition, ...more })
      for (let times = 1 + random.below(2); times > 0; times--) spoil(random, whole)
      const shown = `seed ${seed}, number ${number}: ${JSON.stringify(whole)}`
      const call = (name: string, input: object) =>
        world.call(name, input, { key: random.chance(0.5) ? catalog.key : catalog.bound }).then(
          (answer: { ok?: boolean }) => ({ status: 200, isSound: answer.ok }),
          (error: unknown) => ({ status: error instanceof AppError ? error.status : 0, isSound: false }),
        )
      const validated = await call('validate_report', { definitionJson: whole })
      const { status } = await call('execute_report_inline', { definitionJson: whole, params: { p: [1, 2] } })
      expect([200, 400], shown).toContain(status)
      // What is sound may still be refused for the value of a token, and what is not sound is always refused.
      if (validated.isSound !== true) expect(status, shown).toBe(400)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    for (let at = 0; at < spoilt; at += atOnce) await Promise.all(Array.from({ length: atOnce }, (_, index) => check(at + index)))
    expect(statuses.get(400)).toBeGreaterThan(50)
    expect(statuses.get(200)).toBeGreaterThan(3)
  })
})

const hostileTexts = [
  '',
  'x'.repeat(5_000),
  '__proto__',
  'constructor',
  "'; drop table x; --",
  '[[$param.q]]',
  '[[$param.p]]',
  '[[',
  '\ud800',
  'a\u0000b',
]
const hostileTimes = ['9999-12-31', '0001-01-01T00:00:00Z', 'e.id']
const hostileNumbers = [0, -1, 1.5, 2 ** 53, 1e308]
const hostileParts = [null, true, {}, [], [[]], [null], { rules: [] }, { $expr: ['+'] }, ['a', 'b']]
const hostile: readonly unknown[] = [...hostileTexts, ...hostileTimes, ...hostileNumbers, ...hostileParts]

/** Puts something hostile in the place of a part, or of a name. */
function spoil(random: Random, whole: unknown): void {
  let holder = whole
  while (typeof holder === 'object' && holder !== null) {
    // Arrays and objects alike, by their keys.
    const own = holder as Record<string, unknown>
    const keys = Object.keys(own)
    if (keys.length === 0) return
    const key = random.pick(keys)
    const inner = own[key]
    if (typeof inner === 'object' && inner !== null && random.chance(0.7)) {
      holder = inner
      continue
    }
    if (random.chance(0.1)) delete own[key]
    else own[random.chance(0.1) ? `${key}x` : key] = structuredClone(hostile[random.below(hostile.length)])
    return
  }
}
