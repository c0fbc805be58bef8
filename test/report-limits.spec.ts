/** What a report may take: rows whose computed values are many times their size end where an answer, a bundle or a part of a file does. */
import { beforeAll, describe, expect, it } from 'vitest'

import { renderingOf } from '#platform/tokens/rendering.ts'
import { resolving } from '#platform/tokens/resolve.ts'
import type { TxContext } from '#platform/operation.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { computedOf, readComputed } from '#tools/reports/computed.rules.ts'
import { prepareRun, readAllRows, runFlatPage, runPage, type RunnableReport } from '#tools/reports/running.ts'
import { soundDraft } from '#tools/reports/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { call, refusal } = world

const rows = 60
const letters = 100_000
/** A value of 200,000 characters for each row. */
const large = { alias: 'large', $expr: ['concat', 'x'.repeat(letters), 'y'.repeat(letters)] }
const keysWithLarge = { primaryEntityId: 'Thing', columns: [{ property: 'key1', alias: 'key' }], computed: [large] }

beforeAll(async () => {
  await call('create_property', { internalName: 'Name', dataType: 'Text' })
  await call('create_entity', { internalName: 'Thing', properties: [{ property: 'Name' }] })
  const things = Array.from({ length: rows }, (_, n) => ({ key1: `T${n}`, data: {} }))
  await call('save_instances_bulk', { entity: 'Thing', rows: things })
})

/** The report, and how many of its rows were computed so far. */
interface Counted {
  readonly run: RunnableReport
  readonly made: () => number
}

function counted(run: RunnableReport): Counted {
  let made = 0
  const computed = run.computed.map((one) => ({
    ...one,
    get expression() {
      made++
      return one.expression
    },
  }))
  return { run: { ...run, computed }, made: () => made }
}

function withRun<T>(said: Record<string, unknown>, work: (context: TxContext, of: Counted) => Promise<T>): Promise<T> {
  const { tenantId, tenantUserId } = world.tenant
  return inSystemTransaction(world.platform.services, tenantId, async (context) => {
    const acting = { ...context, actor: { ...context.actor, tenantUserId } }
    const catalog = await cachedCatalog(acting)
    return work(acting, counted(await prepareRun(acting, catalog, await soundDraft(catalog, said), {})))
  })
}

describe('computed values', () => {
  it('of one row share what a row may take', async () => {
    const named = Array.from({ length: 49 }, (_, n) => ({ alias: `v${n}`, $expr: ['concat', '[[large]]'] }))
    const heavy = { ...keysWithLarge, computed: [large, ...named] }
    const error = await refusal('execute_report_inline', { definitionJson: heavy, pageSize: 1 })
    expect([error.code, error.message]).toEqual(['too_large', expect.stringContaining('takes too much work')])
    expect((await call('execute_report_inline', { definitionJson: keysWithLarge, pageSize: 1 })).rows).toHaveLength(1)
  })

  it('count by what is written of them, each place of a list by itself', () => {
    const at = resolving({}, renderingOf({ locale: 'en-US', timeZone: 'UTC', nowMs: 0 }))
    const row = { list: Array.from({ length: 3 }, () => 'z'.repeat(letters)) }
    const copies = (count: number) => {
      const said = Array.from({ length: count }, (_, n) => ({ alias: `copy${n}`, $expr: ['if', true, '[[list]]'] }))
      return computedOf(readComputed(said, { outputs: [], roots: {}, path: '$' }).computed, row, at)
    }
    expect(copies(2)).toEqual({ copy0: row.list, copy1: row.list })
    expect(() => copies(20)).toThrow('takes too much work')
  })

  it('are made no further than an answer has room for them', async () => {
    const bytes = 1024 * 1024
    const [error, made] = await withRun(keysWithLarge, async (context, { run, made: soFar }) => {
      const refused: unknown = await runPage(context, run, { page: 1, pageSize: rows }, bytes).catch((thrown: unknown) => thrown)
      return [refused, soFar()] as const
    })
    expect(error).toMatchObject({ code: 'too_large', message: expect.stringMatching(/Ask for fewer with pageSize.*export_report/) })
    // Each stands in a row twice.
    expect(made).toBe(Math.ceil(bytes / (4 * letters)))
  })

  it('stay within the bytes of a bundle, which says that there is more', async () => {
    const bytes = 1024 * 1024
    const [page, made] = await withRun(keysWithLarge, async (context, { run, made: soFar }) => {
      return [await runFlatPage(context, run, { bytes, seconds: 10 }), soFar()] as const
    })
    expect([page.rows.length, page.hasMore, made]).toEqual([5, true, 6])
  })

  it('are written into a file a few rows at a time, all of them', async () => {
    const parts = await withRun(keysWithLarge, async (context, { run, made }) => {
      const found: { rows: number; made: number }[] = []
      for await (const part of readAllRows(context, run)) found.push({ rows: part.length, made: made() })
      return found
    })
    expect(parts.map((one) => one.rows)).toEqual(Array.from({ length: 10 }, () => 6))
    expect(parts.map((one) => one.made)).toEqual(parts.map((_, index) => 6 * (index + 1)))
    const small = await withRun({ ...keysWithLarge, computed: [{ alias: 'n', $expr: ['+', 1, 1] }] }, async (context, { run }) =>
      Array.fromAsync(readAllRows(context, run)),
    )
    expect(small.map((part) => part.length)).toEqual([50, 10])
  })
})

describe('a report whose rows are larger than an answer', () => {
  it('can be exported', async () => {
    await call('create_entity', { internalName: 'Book', properties: [{ property: 'Name' }] })
    await call('save_instance', { entity: 'Book', key1: 'B', data: { Name: 'n'.repeat(32_000) } })
    const columns = Array.from({ length: 80 }, (_, n) => ({ property: 'Name', alias: `c${n}` }))
    const definitionJson = { primaryEntityId: 'Book', columns }
    expect(await refusal('execute_report_inline', { definitionJson })).toMatchObject({ code: 'too_large' })
    await call('create_report', { internalName: 'Books', definitionJson })
    expect(await call('export_report', { report: 'Books', format: 'json' })).toEqual({ assetKey: expect.any(String), rows: 1 })
  })
})
