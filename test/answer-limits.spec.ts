/** Answers end where they would pass their limit of bytes, and nothing is lost by it. */
import { beforeAll, describe, expect, it } from 'vitest'

import { bodyText, isListing } from '#platform/answer.ts'
import { AppError } from '#platform/errors.ts'

import { useWorld } from './support/world.ts'

const limit = 64 * 1024
const mcpLimit = 24 * 1024

interface Page {
  readonly keys: readonly string[]
  readonly bytes: number
  readonly nextCursor: string | undefined
}

type Transport = 'rest' | 'mcp'

let asOfDate: string
const keys = Array.from({ length: 30 }, (_, index) => `d${String(index).padStart(2, '0')}`)

const world = useWorld({ MAX_ANSWER_BYTES: String(limit), MAX_MCP_ANSWER_BYTES: String(mcpLimit) })
beforeAll(async () => {
  for (const property of [
    { internalName: 'Body', dataType: 'Text' },
    { internalName: 'Tags', dataType: 'Text' },
    { internalName: 'Rank', dataType: 'Number' },
  ]) {
    await world.call('create_property', property)
  }
  await world.call('create_entity', {
    internalName: 'Doc',
    properties: [{ property: 'Body' }, { property: 'Tags', isList: true }, { property: 'Rank' }],
  })
  // Quotes take two bytes in JSON and four in the JSON within it, so that a row is larger than its values.
  const rows = keys.map((key1, Rank) => ({ key1, data: { Body: '"é'.repeat(1000), Tags: ['x'.repeat(500), 'y'], Rank } }))
  await world.call('save_instances_bulk', { entity: 'Doc', rows })
  await world.settled()
  asOfDate = (await world.call('get_instance', { entity: 'Doc', record: keys.at(-1) })).modifiedDate
})

async function page(name: string, input: object, transport: Transport): Promise<Page> {
  const found = await world.run(name, { entity: 'Doc', ...input }, { transport })
  if (!isListing(found)) throw new Error('no listing')
  const text = bodyText(found)
  const rows: { key1: string }[] = JSON.parse(text)
  return { keys: rows.map((row) => row.key1), bytes: Buffer.byteLength(text), nextCursor: found.nextCursor }
}

async function allPages(name: string, input: object, transport: Transport): Promise<Page[]> {
  const pages = [await page(name, input, transport)]
  for (let at = pages[0]; at?.nextCursor !== undefined && pages.length < 100; at = pages.at(-1)) {
    pages.push(await page(name, { ...input, cursor: at.nextCursor }, transport))
  }
  return pages
}

async function refusal(name: string, input: object, transport: Transport = 'rest'): Promise<AppError> {
  const error: unknown = await world.run(name, { entity: 'Doc', ...input }, { transport }).catch((thrown: unknown) => thrown)
  if (!(error instanceof AppError)) throw new Error(`${name} was not refused`)
  return error
}

describe('a page of records', () => {
  it.each([
    ['list_instances', 'rest', {}],
    ['list_instances', 'mcp', {}],
    ['list_instances', 'mcp', { withDataJson: true, sort: [{ property: 'Rank', direction: 'desc' }] }],
    ['list_instances_as_of', 'rest', {}],
    ['list_instances_as_of', 'mcp', {}],
  ] as const)('ends where %s over %s would pass its limit, and the cursors lead through every row once', async (name, transport, more) => {
    const input = { pageSize: 1000, ...(name === 'list_instances_as_of' ? { asOfDate } : {}), ...more }
    const pages = await allPages(name, input, transport)
    const most = transport === 'rest' ? limit : mcpLimit
    expect(pages.flatMap((one) => one.keys).sort()).toEqual(keys)
    expect(Math.max(...pages.map((one) => one.bytes))).toBeLessThanOrEqual(most)
    // No page but the last ends with room for another row.
    const [first] = pages
    expect(first && first.bytes + first.bytes / first.keys.length).toBeGreaterThan(most)
  })

  it.each(['list_instances', 'list_instances_as_of'] as const)(
    'is refused by %s where it is asked for by number and does not fit, and the problem names the size that fits',
    async (name) => {
      const input = { ...(name === 'list_instances_as_of' ? { asOfDate } : {}), page: 1, pageSize: 30 }
      const error = await refusal(name, input)
      expect([error.code, error.status]).toEqual(['too_large', 413])
      const fits = Number(error.issues?.[0]?.suggestion)
      expect(error.message).toContain(`pageSize ${fits}`)
      expect(error.issues).toMatchObject([{ path: '$.pageSize' }])
      expect((await page(name, { ...input, pageSize: fits }, 'rest')).keys).toHaveLength(fits)
      expect((await refusal(name, { ...input, pageSize: fits + 1 })).code).toBe('too_large')
      // The last page has nothing behind it that would be skipped.
      expect((await page(name, { ...input, page: 30, pageSize: 1 }, 'rest')).keys).toHaveLength(1)
    },
  )

  it('holds a record that is larger than the limit alone', async () => {
    await world.call('create_entity', { internalName: 'Large', properties: [{ property: 'Body' }] })
    const rows = ['a', 'b', 'c'].map((key1) => ({ key1, data: { Body: '€'.repeat(20_000) } }))
    await world.call('save_instances_bulk', { entity: 'Large', rows })
    const pages = await allPages('list_instances', { entity: 'Large' }, 'mcp')
    expect(pages.map((one) => one.keys)).toEqual([['a'], ['b'], ['c']])
    expect(Math.min(...pages.map((one) => one.bytes))).toBeGreaterThan(mcpLimit)
    expect((await refusal('list_instances', { entity: 'Large', page: 1 }, 'mcp')).issues).toMatchObject([{ suggestion: '1' }])
    expect((await page('list_instances', { entity: 'Large', page: 2, pageSize: 1 }, 'mcp')).keys).toEqual(['b'])
  })

  it('of values that compress well is not made into JSON beyond what fits', async () => {
    await world.call('create_entity', { internalName: 'Flat', properties: [{ property: 'Body' }] })
    const rows = Array.from({ length: 400 }, (_, index) => ({ key1: `f${index}`, data: { Body: 'z'.repeat(32_000) } }))
    await world.call('save_instances_bulk', { entity: 'Flat', rows })
    const before = bytesReceived()
    const pages = await Promise.all(Array.from({ length: 8 }, () => page('list_instances', { entity: 'Flat', pageSize: 400 }, 'rest')))
    // Eight answers, each within the limit, have travelled from the database, and a little around them.
    expect(pages.map((one) => one.keys.length)).toEqual(Array.from({ length: 8 }, () => 1))
    const travelled = bytesReceived() - before
    expect(travelled).toBeGreaterThan(8 * 32_000)
    expect(travelled).toBeLessThan(8 * (limit + 20_000))
  })
})

/** What every open connection of this process has received. */
function bytesReceived(): number {
  // The one place where Node tells of its open sockets; only a test looks there.
  const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles(): { bytesRead?: unknown }[] }
  return handles.call(process).reduce((sum, handle) => sum + (typeof handle.bytesRead === 'number' ? handle.bytesRead : 0), 0)
}

describe('what changed', () => {
  it.each(['rest', 'mcp'] as const)('ends early by its watermark over %s, and every row comes once', async (transport) => {
    const seen: string[] = []
    const sizes: number[] = []
    let watermark: string | undefined
    for (let hasMore = true; hasMore && sizes.length < 100;) {
      const answer = await world.run('list_instances_changed_since', { entity: 'Doc', pageSize: 1000, watermark }, { transport })
      const text = bodyText(answer)
      const body = JSON.parse(text)
      sizes.push(Buffer.byteLength(text))
      seen.push(...body.rows.map((row: { key1: string }) => row.key1))
      ;({ watermark, hasMore } = body)
    }
    expect(seen.sort()).toEqual(keys)
    expect(sizes.length).toBeGreaterThan(2)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(transport === 'rest' ? limit : mcpLimit)
  })

  it('and was deleted ends early by its watermark, with the names that PostgreSQL has not counted', async () => {
    await world.call('create_entity', { internalName: 'Gone', properties: [{ property: 'Rank' }] })
    const tenant = await world.sql<{ n: number }[]>`
      update platform.tenant_user set display_name = ${'N'.repeat(200)} where tenant_user_id = ${world.tenant.tenantUserId} returning 1 as n`
    expect(tenant).toHaveLength(1)
    const gone = Array.from({ length: 120 }, (_, index) => ({ key1: `${index}-${'k'.repeat(150)}` }))
    await world.call('save_instances_bulk', { entity: 'Gone', rows: gone.map((row) => ({ ...row, data: {} })) })
    await world.call('delete_instances_bulk', { entity: 'Gone', keys: gone })
    await world.settled()
    const seen: string[] = []
    const sizes: number[] = []
    let watermark: string | undefined
    for (let hasMore = true; hasMore && sizes.length < 100;) {
      const body = await world.call('list_instances_deleted_since', { entity: 'Gone', pageSize: 1000, watermark }, { transport: 'mcp' })
      sizes.push(Buffer.byteLength(JSON.stringify(body)))
      seen.push(...body.rows.map((row: { key1: string }) => row.key1))
      expect(body.rows[0].deletedBy.displayName).toHaveLength(200)
      expect(body.rows[0]).not.toHaveProperty('changeNo')
      ;({ watermark, hasMore } = body)
    }
    expect(seen.sort()).toEqual(gone.map(({ key1 }) => key1).sort())
    expect(sizes.length).toBeGreaterThan(2)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(mcpLimit)
  })
})

describe('the history of a record', () => {
  const versions = 20

  beforeAll(async () => {
    await world.call('save_instance', { entity: 'Doc', key1: 'changing', data: { Body: 'v1' } })
    for (let version = 2; version <= versions; version++)
      await world.call('upsert_instance', { entity: 'Doc', record: 'changing', data: { Body: `${version}`.repeat(2000), Rank: version } })
  })

  it('ends early with a cursor, and each version is compared with the one before it on every page', async () => {
    const seen: { version: number; changes: { property: string; from: unknown; to: unknown }[] }[] = []
    const sizes: number[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < 100; pages++) {
      const found = await world.run('get_instance_history', { entity: 'Doc', record: 'changing', cursor }, { transport: 'mcp' })
      if (!isListing(found)) throw new Error('no listing')
      sizes.push(Buffer.byteLength(bodyText(found)))
      seen.push(...JSON.parse(bodyText(found)))
      cursor = found.nextCursor
      if (cursor === undefined) break
    }
    expect(seen.map((one) => one.version)).toEqual(Array.from({ length: versions }, (_, index) => index + 1))
    expect(seen.slice(2).map((one) => one.changes.find((change) => change.property === 'Rank')?.from)).toEqual(
      Array.from({ length: versions - 2 }, (_, index) => index + 2),
    )
    expect(sizes.length).toBeGreaterThan(2)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(mcpLimit)
    expect((await refusal('get_instance_history', { record: 'changing', page: 1, pageSize: 15 }, 'mcp')).code).toBe('too_large')
  })

  it('as variance tells the oldest snapshots that fit, says that there are more, and goes on behind the last date', async () => {
    const ranks: number[] = []
    const sizes: number[] = []
    let dateFrom: string | undefined
    for (let isTruncated = true; isTruncated && sizes.length < 100;) {
      const answer = await world.call('get_instance_variance', { entity: 'Doc', record: 'changing', dateFrom }, { transport: 'mcp' })
      sizes.push(Buffer.byteLength(JSON.stringify(answer)))
      const found: { snapshotDate: string; data: { Rank: number | null } }[] = answer.snapshots
      ranks.push(...found.map((one) => Number(one.data.Rank)))
      dateFrom = new Date(Date.parse(found.at(-1)?.snapshotDate ?? '') + 1).toISOString()
      isTruncated = answer.truncated
    }
    expect(ranks).toEqual([0, ...Array.from({ length: versions - 1 }, (_, index) => index + 2)])
    expect(sizes.length).toBeGreaterThan(2)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(mcpLimit)
  })

  it('of some properties fits where all of them would not', async () => {
    const narrow = { entity: 'Doc', record: 'changing', propertyNames: ['Rank'] }
    const { snapshots, truncated } = await world.call('get_instance_variance', narrow, { transport: 'mcp' })
    expect([snapshots.length, truncated]).toEqual([versions, false])
    expect(snapshots[5].data).toEqual({ Rank: 6 })
  })
})

describe('a bulk', () => {
  it('keeps each index and outcome, and leaves out the errors that do not fit', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => ({ key1: `bulk-${index}`, data: { Rank: index % 2 === 0 ? index : 'none' } }))
    const answer = await world.call('save_instances_bulk', { entity: 'Doc', rows }, { transport: 'mcp' })
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(mcpLimit)
    expect(answer.results.map((one: { index: number; outcome: string }) => [one.index, one.outcome])).toEqual(
      rows.map((_, index) => [index, index % 2 === 0 ? 'inserted' : 'failed']),
    )
    const told = answer.results.filter((one: object) => 'errors' in one).length
    expect(told).toBeGreaterThan(0)
    expect(answer).toMatchObject({ inserted: 150, failed: 150, errorsLeftOut: 150 - told })
    expect(answer.results[1].errors).toMatchObject([{ path: '$.rows[1].data.Rank' }])
    expect(await world.call('save_instances_bulk', { entity: 'Doc', rows: rows.slice(0, 2) })).not.toHaveProperty('errorsLeftOut')
  })

  it('that deletes answers so too, also where the outcomes alone pass the limit', async () => {
    const keysOf = Array.from({ length: 1000 }, (_, index) => ({ key1: `absent-${index}` }))
    const answer = await world.call('delete_instances_bulk', { entity: 'Doc', keys: keysOf }, { transport: 'mcp' })
    expect(answer.results).toHaveLength(1000)
    expect(answer).toMatchObject({ deleted: 0, failed: 1000, errorsLeftOut: 1000 })
  })
})

describe('messages', () => {
  it('end by bytes, and their cursors lead to the rest', async () => {
    const made = await world.call('create_api_key', { name: 'a reader', roles: ['DataView'] })
    const by = { key: made.apiKey as string, transport: 'mcp' as const }
    const send = (text: string, conversationId?: number) =>
      world.call('send_message', {
        to: { tenantUserId: made.tenantUserId },
        text,
        ...(conversationId === undefined ? {} : { conversationId }),
      })
    const { conversationId, messageId } = await send('"'.repeat(4000))
    for (let n = 0; n < 7; n++) await send('"'.repeat(4000), conversationId)
    const walk = async (
      name: string,
      input: object,
      cursorName: string,
      next: (answer: { cursor: number; messages: { seq: number }[] }) => number,
    ) => {
      const sizes: number[] = []
      const seqs: number[] = []
      for (let at = 0; sizes.length < 20;) {
        const answer = await world.call(name, { ...input, [cursorName]: at }, by)
        if (answer.messages.length === 0) break
        sizes.push(Buffer.byteLength(JSON.stringify(answer)))
        seqs.push(...answer.messages.map((one: { seq: number }) => one.seq))
        at = next(answer)
      }
      expect(sizes.length).toBeGreaterThan(2)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(mcpLimit)
      return seqs
    }
    const all = Array.from({ length: 8 }, (_, index) => index + 1)
    expect(await walk('list_inbox', {}, 'afterInboxSeq', (answer) => answer.cursor)).toEqual(all)
    expect(await walk('get_conversation', { conversationId }, 'afterSeq', (answer) => answer.messages.at(-1)?.seq ?? 0)).toEqual(all)
    for (let n = 0; n < 8; n++) await world.call('answer_inbox_message', { messageId, text: '"'.repeat(4000) }, by)
    const inbound = all.map((seq) => seq + 8)
    expect(await walk('poll_replies', { conversationId }, 'afterSeq', (answer) => answer.cursor)).toEqual(inbound)
    await world.call('end_conversation', { conversationId })
    expect(await walk('await_reply', { conversationId, timeoutSeconds: 5 }, 'afterSeq', (answer) => answer.cursor)).toEqual(inbound)
  })
})
