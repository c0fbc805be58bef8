/** How much of each record an answer holds, how far its rows are counted, and that PostgreSQL is asked for no more than that. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { bodyText, isListing, structuredText } from '#platform/answer.ts'
import { AppError } from '#platform/errors.ts'

import { openWire, type Wire } from './contract/wire.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
let wire: Wire
let eiRecordId: number
let asOfDate: string
let propertyIds: Record<string, number>

beforeAll(async () => {
  wire = await openWire(world)
  for (const [internalName, more] of [
    ['Title', {}],
    ['Notes', {}],
    ['Size', { dataType: 'Number' }],
    ['State', { dataType: 'Choice', propertyOptions: [{ internalName: 'open' }] }],
  ] as const) {
    await world.call('create_property', { internalName, dataType: 'Text', ...more })
  }
  const { entityId } = await world.call('create_entity', {
    internalName: 'Thing',
    properties: ['Title', 'Notes', 'Size', 'State'].map((property) => ({ property })),
  })
  const { properties } = await world.call('describe_entity', { entity: entityId })
  propertyIds = Object.fromEntries(
    properties.map((one: { propertyInternalName: string; propertyId: number }) => [one.propertyInternalName, one.propertyId]),
  )
  const data = { Title: 'Gate', Notes: 'long', Size: 3, State: 'open' }
  const saved = await world.call('save_instance', { entity: 'Thing', key1: 't1', data })
  eiRecordId = saved.eiRecordId
  asOfDate = saved.modifiedDate
  await world.settled()
})

afterAll(async () => {
  await wire?.close()
})

type Row = Record<string, unknown>

/** Every operation that reads records, and the first record in its answer. */
const readers: readonly [string, () => object, (body: Row & Row[]) => unknown][] = [
  ['get_instance', () => ({ record: eiRecordId }), (body) => body],
  ['get_instance_by_key', () => ({ key1: 't1' }), (body) => body],
  ['get_instance_as_of', () => ({ record: eiRecordId, utc: asOfDate }), (body) => body],
  ['list_instances', () => ({}), (body) => body[0]],
  ['list_instances_as_of', () => ({ asOfDate }), (body) => body[0]],
  ['list_instances_changed_since', () => ({}), (body) => (body['rows'] as Row[])[0]],
]

async function refusal(name: string, input: object): Promise<AppError> {
  const error: unknown = await world.run(name, { entity: 'Thing', ...input }).catch((thrown: unknown) => thrown)
  if (!(error instanceof AppError)) throw new Error(`${name} was not refused: ${String(error)}`)
  return error
}

describe.each(readers)('%s', (name, input, rowOf) => {
  const read = async (more: object, transport: 'rest' | 'mcp' = 'rest') =>
    rowOf(await world.call(name, { entity: 'Thing', ...input(), ...more }, { transport })) as Row

  it('shows the properties that are named, in data and dataJson, and everything else of the record', async () => {
    const whole = await read({})
    const narrow = await read({ properties: ['Size', 'title'] })
    expect(narrow).toEqual({ ...whole, data: { Title: 'Gate', Size: 3 }, dataJson: expect.any(String) })
    expect(JSON.parse(String(narrow['dataJson']))).toEqual({ [propertyIds['Title'] ?? '']: 'Gate', [propertyIds['Size'] ?? '']: 3 })
    expect(await read({ properties: [] })).toEqual({ ...whole, data: {}, dataJson: '{}' })
  })

  it('holds dataJson over REST and not over MCP, unless told', async () => {
    const [rest, mcp] = [await read({}), await read({}, 'mcp')]
    const { dataJson, ...without } = rest
    expect(JSON.parse(String(dataJson))).toMatchObject({ [propertyIds['State'] ?? '']: 'open' })
    expect(mcp).toEqual(without)
    expect(await read({ withDataJson: true }, 'mcp')).toEqual(rest)
    expect(await read({ withDataJson: false })).toEqual(without)
  })

  it('refuses every property that the entity lacks, with the nearest that it has', async () => {
    const error = await refusal(name, { ...input(), properties: ['Titel', 'Size', 'Stat'] })
    expect([error.code, error.status]).toEqual(['unknown_property', 400])
    expect(error.issues).toMatchObject([
      { path: '$.properties[0]', suggestion: 'Title' },
      { path: '$.properties[2]', suggestion: 'State' },
    ])
  })
})

describe('a narrow answer', () => {
  it('leaves what is not asked for in the database', async () => {
    const body = '𝕏'.repeat(20_000)
    await world.call('create_entity', { internalName: 'Wide', properties: [{ property: 'Notes' }, { property: 'Size' }] })
    const rows = Array.from({ length: 20 }, (_, Size) => ({ key1: `w${Size}`, data: { Notes: body, Size } }))
    await world.call('save_instances_bulk', { entity: 'Wide', rows })
    const answer = await world.run('list_instances', { entity: 'Wide', properties: ['Size'] }, { transport: 'mcp' })
    if (!isListing(answer)) throw new Error('no listing')
    // Sixteen times what MCP's limit would let through of the whole records.
    expect([JSON.parse(bodyText(answer)).length, answer.nextCursor]).toEqual([20, undefined])
    const whole = await world.run('list_instances', { entity: 'Wide' }, { transport: 'mcp' })
    if (!isListing(whole)) throw new Error('no listing')
    expect(JSON.parse(bodyText(whole)).length).toBeLessThan(5)
  })

  it('over the wire is a read on the shared path, which refuses what is neither a read nor a save', async () => {
    const { key } = world.tenant
    const path = `${wire.url}/api/v1/entities/Thing/instances/${eiRecordId}`
    const post = async (body: object) => {
      const response = await fetch(path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    expect((await post({ properties: ['Title'], withDataJson: false })).body['data']).toEqual({ Title: 'Gate' })
    expect((await post({})).body['data']).toMatchObject({ Notes: 'long' })
    expect((await post({ data: { Size: 3 } })).body).toMatchObject({ outcome: 'skipped', dataJson: expect.any(String) })
    expect(await post({ properties: ['Title'], key1: 'x' })).toMatchObject({ status: 400, body: { issues: [{ path: '$.key1' }] } })
    expect(await post({ propertys: ['Title'] })).toMatchObject({ status: 400, body: { issues: [{ suggestion: 'properties' }] } })
  })
})

describe('the number of rows', () => {
  const all = 10_003

  beforeAll(async () => {
    await world.call('create_entity', { internalName: 'Many', properties: [{ property: 'Size' }] })
    for (const from of [0, 5_002]) {
      const rows = Array.from({ length: from === 0 ? 5_002 : all - 5_002 }, (_, index) => ({
        key1: `m${from + index}`,
        data: { Size: from + index },
      }))
      await world.call('save_instances_bulk', { entity: 'Many', rows })
    }
    await world.settled()
  })

  const totalOf = async (name: string, input: object) => {
    const answer = await world.run(name, { entity: 'Many', pageSize: 1, ...input })
    if (!isListing(answer)) throw new Error('no listing')
    return { count: answer.totalCount, atLeast: answer.totalAtLeast }
  }

  it.each([
    ['list_instances', () => ({})],
    ['list_instances_as_of', () => ({ asOfDate: new Date(Date.now() + 60_000).toISOString() })],
  ] as const)('is exact up to ten thousand in %s, else a lower bound, and to the end where it is asked for', async (name, input) => {
    expect(await totalOf(name, input())).toEqual({ count: undefined, atLeast: 10_000 })
    expect(await totalOf(name, { ...input(), includeTotal: true })).toEqual({ count: all, atLeast: undefined })
    expect(await totalOf(name, { ...input(), includeTotal: false })).toEqual({ count: undefined, atLeast: undefined })
    const upTo = (most: number) => ({ ...input(), filterRules: [{ property: 'Size', op: 'lt', value: most }] })
    expect(await totalOf(name, upTo(10_000))).toEqual({ count: 10_000, atLeast: undefined })
    expect(await totalOf(name, upTo(10_001))).toEqual({ count: undefined, atLeast: 10_000 })
    expect(await totalOf(name, { ...input(), page: 2 })).toEqual({ count: undefined, atLeast: undefined })
  })

  it('stands in headers over REST and in the answer over MCP', async () => {
    const operation = world.platform.pipeline.registry.byName.get('list_instances')
    if (!operation) throw new Error('no list_instances')
    const { key } = world.tenant
    const { headers } = await wire.rest(operation, { entity: 'Many', pageSize: 1 }, { key })
    expect([headers.get('x-total-at-least'), headers.get('x-total-count')]).toEqual(['10000', null])
    const { content } = await wire.mcp('list_instances', { entity: 'Many', pageSize: 1 }, { key })
    expect(content).toMatchObject({ totalAtLeast: 10_000, nextCursor: expect.any(String) })
    expect(content).not.toHaveProperty('totalCount')
    const answer = await world.run('list_instances', { entity: 'Many', pageSize: 1, includeTotal: true }, { transport: 'mcp' })
    expect(JSON.parse(structuredText(answer))).toMatchObject({ totalCount: all })
  })

  it('is told by count_instances to the end, or as far as is wanted', async () => {
    const count = (more: object) => world.call('count_instances', { entity: 'Many', ...more })
    expect(await count({})).toEqual({ count: all })
    expect(await count({ includeTotal: false })).toEqual({ count: 10_000, isAtLeast: true })
    expect(await count({ filterRules: [{ property: 'Size', op: 'lt', value: 10_000 }] })).toEqual({ count: 10_000 })
  })
})
