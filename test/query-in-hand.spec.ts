/** One query tree and two readers: what a condition says of a record in hand is what the database says of the row. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { inRecords } from '#platform/db/records.ts'
import { inSystemTransaction } from '#platform/system.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { readCanonical } from '#tools/instances/save/live.store.ts'
import { operatorsOf, type SystemField, systemFields } from '#tools/properties/operators.types.ts'
import { createParameters } from '#tools/query/columns.rules.ts'
import { filterSql } from '#tools/query/conditions.rules.ts'
import { systemTypes } from '#tools/query/field.rules.ts'
import { parseQuery } from '#tools/query/parse.rules.ts'
import { isFulfilled, readCondition, readFrameOf, type RecordInHand } from '#tools/query/service.ts'
import { fromSql, openSource, type Readable } from '#tools/query/source.rules.ts'
import type { QueryNode } from '#tools/query/tree.types.ts'

import './support/seed.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

/** Of several scripts, with what languages order, fold and write in two ways. */
const letters = Array.from('aAbBzZäÄéÉeEñnøØæÆßçşαΑσΣςЖжя日本あアا019 -_.%\\\'"İıiI😀𝔄Å')
const text = fc.array(fc.constantFrom(...letters), { maxLength: 4 }).map((some) => some.join('').normalize('NFC'))
/** Longer than texts are put in order by. */
const longText = fc.tuple(fc.constantFrom('x'.repeat(199), '😀'.repeat(199)), text).map(([begin, end]) => begin + end)
const number = fc.constantFrom(-3, 0, 0.1, 0.3, 2, 10, 1e21)
const day = fc.constantFrom('2025-12-31', '2026-03-01', '2026-03-09', '2026-03-10', '2026-03-11', '2026-04-01')
const time = fc.constantFrom(
  '2026-03-09T22:59:59.999Z',
  '2026-03-09T23:00:00Z',
  '2026-03-10T12:00:00Z',
  '2026-03-10T22:59:59.999Z',
  '2026-03-29T01:30:00.5Z',
  '2025-12-31T23:00:00Z',
)
const words = fc.constantFrom('now', 'today', 'yesterday', 'tomorrow', 'startOfWeek', 'endOfMonth', 'startOfQuarter', '-7d', '+1mo', '-3h')
const option = fc.constantFrom('Pump', 'Diesel', 'Turbo', 'Electric', 'Valve')
const parents: Readonly<Record<string, string>> = { Diesel: 'Pump', Turbo: 'Diesel', Electric: 'Pump' }

const types = {
  Text: fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: longText }),
  Number: number,
  Currency: fc.constantFrom(0, 0.1, 12.5, 999),
  DateTime: time,
  DateOnly: day,
  TimeOnly: fc.constantFrom('00:00', '08:30', '08:30:01', '23:59:59'),
  Choice: option,
  Hierarchy: option,
  Boolean: fc.boolean(),
} as const
type Type = keyof typeof types

const properties = Object.keys(types).flatMap((type) => [`${type}One`, `${type}Many`])
const typeOf = (property: string) => property.replace(/One$|Many$/, '') as Type

/** Everything is in few values, so that conditions hold for some and not for others. */
function data(seed: number): Record<string, unknown> {
  const sample = <T>(arbitrary: fc.Arbitrary<T>, more: number) => fc.sample(arbitrary, { numRuns: 1, seed: seed * 97 + more })[0]
  return Object.fromEntries(
    properties.map((property, index) => {
      const one = types[typeOf(property)] as fc.Arbitrary<unknown>
      const value = property.endsWith('Many') ? fc.array(one, { maxLength: 3 }) : one
      return [property, (seed + index) % 4 === 0 ? null : sample(value, index)]
    }),
  )
}

const entityNames = ['Site', 'Job', 'Line', 'Person'] as const
type EntityName = (typeof entityNames)[number]
const near: Readonly<Record<EntityName, readonly (readonly [EntityName, 'parent' | 'child' | 'peer'])[]>> = {
  Site: [['Job', 'child']],
  Job: [
    ['Site', 'parent'],
    ['Line', 'child'],
    ['Person', 'peer'],
  ],
  Line: [
    ['Job', 'parent'],
    ['Site', 'parent'],
  ],
  Person: [['Job', 'peer']],
}

interface Held extends RecordInHand {
  readonly id: number
  readonly parentId: number | null
  readonly entityId: number
}

const clock = { nowMs: Date.parse('2026-03-10T12:00:00Z'), timeZone: 'Europe/Berlin' }
let catalog: Catalog
const tables = new Map<number, Readable>()
const held = new Map<number, Held>()
const peersOf = new Map<number, number[]>()

const entityOf = (name: EntityName): CatalogEntity => {
  const entity = catalog.byIdOrName.get(name.toLowerCase())
  if (!entity) throw new Error(`There is no ${name}`)
  return entity
}

/** What is in hand leads on to what else is in hand. */
function related(from: Held): RecordInHand['related'] {
  return ({ link, through, entity }) => {
    if (link === 'child') return [...held.values()].filter((one) => one.entityId === entity.entityId && one.parentId === from.id)
    if (link === 'peer')
      return (peersOf.get(from.id) ?? []).flatMap((id) => (held.get(id)?.entityId === entity.entityId ? (held.get(id) ?? []) : []))
    let at: Held | undefined = from
    for (const step of [...through, entity]) {
      at = at.parentId === null ? undefined : held.get(at.parentId)
      if (at?.entityId !== step.entityId) return []
    }
    return [at]
  }
}

beforeAll(async () => {
  for (const type of Object.keys(types))
    for (const internalName of [`${type}One`, `${type}Many`]) {
      const names = ['Pump', 'Diesel', 'Turbo', 'Electric', 'Valve']
      const propertyOptions = names.map((name) => ({ internalName: name, ...(parents[name] ? { parent: parents[name] } : {}) }))
      const flat = names.map((name) => ({ internalName: name }))
      await world.call('create_property', {
        internalName,
        dataType: type,
        ...(type === 'Hierarchy' ? { propertyOptions } : type === 'Choice' ? { propertyOptions: flat } : {}),
      })
    }
  const attached = properties.map((property) => ({ property, ...(property.endsWith('Many') ? { isList: true } : {}) }))
  for (const internalName of entityNames) await world.call('create_entity', { internalName, properties: attached })
  await world.call('attach_child_entity', { entity: 'Site', childEntity: 'Job', isList: true })
  await world.call('attach_child_entity', { entity: 'Job', childEntity: 'Line', isList: true })
  await world.call('attach_peer_entity', { entity: 'Job', peerEntity: 'Person', isList: true })
  const ids: Record<EntityName, number[]> = { Site: [], Job: [], Line: [], Person: [] }
  const make = async (entity: EntityName, count: number, above: readonly number[], from: number) => {
    const rows = Array.from({ length: count }, (_, index) => ({
      ...(index % 5 === 0 ? {} : { key1: `${letters[(index * 7) % letters.length]}${index}`, ...(index % 3 === 0 ? { key2: 'b' } : {}) }),
      ...(above.length === 0 || index % 6 === 0 ? {} : { parentEIRecordId: above[index % above.length] }),
      data: data(from + index),
    }))
    const { results, failed } = await world.call('save_instances_bulk', { entity, rows })
    expect(failed, JSON.stringify(results)).toBe(0)
    ids[entity] = results.map((one: { eiRecordId: number }) => one.eiRecordId)
  }
  await make('Site', 5, [], 1000)
  await make('Job', 40, ids.Site, 2000)
  await make('Line', 60, ids.Job, 3000)
  await make('Person', 6, [], 4000)
  for (const [index, job] of ids.Job.entries()) {
    const person = ids.Person[index % 7]
    if (person === undefined) continue
    peersOf.set(job, [...(peersOf.get(job) ?? []), person])
    peersOf.set(person, [...(peersOf.get(person) ?? []), job])
  }
  const { services } = world.platform
  const { tenantId } = world.tenant
  await inSystemTransaction(services, tenantId, async (context) => {
    catalog = await cachedCatalog(context)
    for (const name of entityNames) {
      const entity = entityOf(name)
      const frame = await readFrameOf(context, catalog, entity)
      tables.set(entity.entityId, frame)
    }
  })
  for (const [one, others] of peersOf)
    for (const other of others) {
      if (!ids.Job.includes(one)) continue
      await world.sql.unsafe(
        `insert into "t_${tenantId}".link (entity_a, record_a, entity_b, record_b, linked_at, change_no) values ($1, $2, $3, $4, now(), 1)`,
        [entityOf('Job').entityId, one, entityOf('Person').entityId, other],
      )
    }
  for (const name of entityNames) {
    const entity = entityOf(name)
    const rows = await world.call('list_instances', { entity: name, pageSize: 1000 })
    const values = await inSystemTransaction(services, tenantId, async (context) => {
      const frame = await readFrameOf(context, catalog, entity)
      return inRecords(context.tx, tenantId, () => readCanonical(context.tx, tenantId, frame, ids[name]))
    })
    for (const row of rows) {
      const fields = Object.fromEntries(systemFields.map((field) => [field, row[field]])) as Partial<
        Record<SystemField, string | number | null>
      >
      const one: Held = {
        id: row.eiRecordId,
        parentId: row.parentEIRecordId,
        entityId: entity.entityId,
        fields,
        values: values.get(row.eiRecordId) ?? new Map(),
        related: (way) => related(one)?.(way) ?? [],
      }
      held.set(one.id, one)
    }
  }
  expect(held.size).toBe(111)
})

const asList = new Set(['in', 'notIn'])

interface Comparison {
  readonly property: string
  readonly op: string
  readonly value?: unknown
}

function comparisonOf(property: string, type: Type | 'Text', values: fc.Arbitrary<unknown>): fc.Arbitrary<Comparison> {
  return fc.constantFrom(...operatorsOf(type)).chain((op): fc.Arbitrary<Comparison> => {
    if (op === 'isEmpty' || op === 'isNotEmpty') return fc.constant({ property, op })
    if (asList.has(op)) return fc.array(values, { minLength: 1, maxLength: 3 }).map((value) => ({ property, op, value }))
    if (op === 'between') return fc.tuple(values, values).map((value) => ({ property, op, value }))
    return values.map((value) => ({ property, op, value }))
  })
}

const ownComparison: fc.Arbitrary<object> = fc.constantFrom(...properties).chain((property) => {
  const type = typeOf(property)
  const plain = types[type] as fc.Arbitrary<unknown>
  const isTime = type === 'DateTime' || type === 'DateOnly'
  return comparisonOf(property, type, isTime ? fc.oneof(plain, words, day) : plain)
})

const systemComparison: fc.Arbitrary<object> = fc.constantFrom(...systemFields).chain((property) => {
  const id = fc.nat(150).map((index) => [...held.keys()][index % held.size] ?? 1)
  const type = systemTypes[property]
  const values = type === 'Text' ? text : type === 'DateTime' ? fc.oneof(time, words) : fc.oneof(id, fc.constantFrom(1, 2))
  return comparisonOf(property, type as Type, values)
})

const comparison = fc.oneof({ weight: 5, arbitrary: ownComparison }, { weight: 1, arbitrary: systemComparison })

function nodes(of: EntityName, depth: number): fc.Arbitrary<object> {
  const own =
    near[of].length === 0
      ? comparison
      : fc.oneof(
          comparison,
          fc.tuple(comparison, fc.constantFrom(...near[of])).map(([rule, [entity]]) => ({ ...rule, entity })),
        )
  return fc.record({
    logic: fc.constantFrom('AND', 'OR'),
    rules: fc.array(own, { maxLength: 2 }),
    groups: depth === 0 ? fc.constant([]) : fc.array(group(of, depth - 1), { maxLength: 2 }),
  })
}

function group(of: EntityName, depth: number): fc.Arbitrary<object> {
  const others = near[of].map(([entity, via]) =>
    fc.tuple(nodes(entity, depth), fc.constantFrom('some', 'none', 'every')).map(([inner, has]) => ({ ...inner, entity, via, has })),
  )
  return fc.oneof(nodes(of, depth), ...others)
}

/** What both readers say, each the ids that fulfil it. */
async function readings(of: EntityName, filterRules: unknown): Promise<{ inHand: number[]; inRows: number[] }> {
  const entity = entityOf(of)
  const readable = tables.get(entity.entityId)
  if (!readable) throw new Error('Its table was not looked at')
  const source = openSource(readable)
  const { filter, issues, missing } = parseQuery(source, { catalog, tables, clock }, { filterRules })
  expect(issues).toEqual([])
  expect(missing).toEqual([])
  const condition = readCondition(catalog, entity, filterRules, clock)
  if (!condition) throw new Error('The condition was not read')
  return { inHand: inHandOf(entity, condition.node), inRows: await inRowsOf(source, filter) }
}

const inHandOf = ({ entityId }: CatalogEntity, filter: QueryNode | undefined): number[] =>
  [...held.values()].flatMap((one) => (one.entityId === entityId && isFulfilled(filter, one) ? one.id : [])).toSorted((a, b) => a - b)

async function inRowsOf(source: ReturnType<typeof openSource>, filter: QueryNode | undefined): Promise<number[]> {
  const parameters = createParameters()
  const condition = filterSql(parameters, filter)
  const rows = await world.sql.unsafe(`select e.id from ${fromSql(parameters, source, condition)} order by e.id`, [
    ...parameters.list,
  ] as never[])
  return rows.map((row) => Number(row['id']))
}

describe('a condition', () => {
  it.each(entityNames)('says of a %s in hand what it says of the row', async (of) => {
    let [some, asked] = [0, 0]
    const all = [...held.values()].filter((one) => one.entityId === entityOf(of).entityId).length
    await fc.assert(
      fc.asyncProperty(nodes(of, 2), async (filterRules) => {
        const { inHand, inRows } = await readings(of, filterRules)
        asked++
        if (inRows.length > 0 && inRows.length < all) some++
        expect(inHand).toEqual(inRows)
      }),
      { numRuns: 150 },
    )
    expect(asked).toBeGreaterThanOrEqual(150)
    expect(some).toBeGreaterThan(20)
  })

  it('is asked with every operator of every type', async () => {
    let asked = 0
    for (const property of properties)
      for (const op of operatorsOf(typeOf(property))) {
        const values = types[typeOf(property)] as fc.Arbitrary<unknown>
        const rule = comparisonOf(property, typeOf(property), values).filter((one) => one.op === op)
        for (const filterRules of fc.sample(rule, { numRuns: 3, seed: 7 })) {
          const { inHand, inRows } = await readings('Job', [filterRules])
          expect(inHand, JSON.stringify(filterRules)).toEqual(inRows)
          asked++
        }
      }
    expect(asked).toBeGreaterThan(300)
  })
})

describe('texts', () => {
  it('stand in one order in hand, in comparisons and in sorts, which is that of people', async () => {
    const some = ['Zebra', 'apple', 'Äpfel', 'zebra', 'Apfel', 'Æsir', 'éclair', 'Eclair', 'naïve', '10', '2', '_x', '', 'Ωmega', 'Ämter']
    await world.call('create_entity', { internalName: 'Word', properties: [{ property: 'TextOne' }] })
    await world.call('save_instances_bulk', {
      entity: 'Word',
      rows: some.map((one, index) => ({ key1: `k${index}`, data: { TextOne: one } })),
    })
    const rows: { data: { TextOne: string } }[] = await world.call('list_instances', { entity: 'Word', sort: [{ property: 'TextOne' }] })
    const sorted = rows.map((row) => row.data.TextOne).filter((one) => one !== '')
    expect(sorted.indexOf('Äpfel')).toBeLessThan(sorted.indexOf('apple') + 2)
    expect(sorted.indexOf('Zebra')).toBe(sorted.indexOf('zebra') + 1)
    for (const [index, one] of sorted.entries()) {
      const below = await world.call('list_instances', {
        entity: 'Word',
        filterRules: [
          { property: 'TextOne', op: 'lt', value: one },
          { property: 'TextOne', op: 'isNotEmpty' },
        ],
      })
      expect(below).toHaveLength(index)
    }
  })

  /** Whether a rule on a text holds for one in hand. */
  function holds(op: 'lt' | 'contains', value: string, one: string): boolean {
    // What comparing looks at of a field.
    const field = { source: {}, property: { entityPropertyId: 1 }, dataType: 'Text' } as never
    return isFulfilled({ kind: 'rule', op, values: [value], field }, { fields: {}, values: new Map([[1, one]]) })
  }

  it('of every script are held against each other alike', async () => {
    const pairs = fc.sample(
      fc.tuple(
        text.filter((one) => one !== ''),
        text,
      ),
      { numRuns: 20_000, seed: 11 },
    )
    const found = await world.sql.unsafe<{ one: string; other: string; less: boolean }[]>(
      `select (p->>0) as one, (p->>1) as other, (p->>0) collate "unicode" < (p->>1) as less from jsonb_array_elements($1::text::jsonb) p`,
      [JSON.stringify(pairs)],
    )
    expect(found.length).toBe(20_000)
    const parted = found.filter(({ one, other, less }) => holds('lt', other, one) !== less)
    expect(parted).toEqual([])
  })

  it('are found whatever their case, letter by letter as the database folds it', async () => {
    const rows = await world.sql.unsafe<{ code: number; lower: string }[]>(
      `select n as code, lower(chr(n)) as lower from generate_series(1, 1114111) n where n not between 55296 and 57343 and unicode_assigned(chr(n))`,
    )
    expect(rows.length).toBeGreaterThan(200_000)
    const parted = rows.filter(({ code, lower }) => !holds('contains', lower, String.fromCodePoint(code)))
    expect(parted).toEqual([])
  })
})
