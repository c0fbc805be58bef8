/** Dry imports tell what the import would do, and do nothing of it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { readJobForRun } from '#tools/jobs/service.ts'
import { importRunner } from '#tools/instances/service.ts'

import { type ImportWorld, openImports } from './support/imports.ts'

let imports: ImportWorld
beforeAll(async () => {
  imports = await openImports()
})
afterAll(() => imports.close())

const csv = (...lines: readonly string[]) => `${lines.join('\n')}\n`

/** What stands in the records and beside them: a dry run leaves all of it as it is. */
async function everything(): Promise<unknown> {
  const { sql, tenant, call } = imports.world
  await imports.world.settled()
  const counts = [await call('count_instances', { entity: 'Task' }), await call('count_instances', { entity: 'Area' })]
  const rows = await Promise.all(
    ['Task', 'Area'].map((entity) =>
      call('list_instances_changed_since', { entity, pageSize: 1_000 }).then(({ rows: changed }) => changed),
    ),
  )
  const events =
    await sql`select count(*)::int from platform.outbox where tenant_id = ${tenant.tenantId} and errand ->> 'workflow' is distinct from 'job'`
  return { counts, rows, events }
}

/** Findings may name a record that the file itself makes, which in a dry run has an id for a moment only. */
const withoutIds = (result: unknown): unknown => JSON.parse(JSON.stringify(result).replaceAll(/\b(Move|[Rr]ecord) \d+/g, '$1'))

/** The dry run, then the import itself. */
// oxlint-disable-next-line typescript/no-explicit-any -- as World.call
async function both(content: string, options: object = {}): Promise<{ dry: any; real: any }> {
  const before = await everything()
  const { jobId: _dryJob, dryRun, ...dry } = await imports.importFile('both.csv', content, { ...options, dryRun: true })
  expect(dryRun).toBe(true)
  expect(await everything()).toEqual(before)
  expect(await imports.world.sql`select from platform.import_preview`).toHaveLength(0)
  const { jobId: _realJob, ...real } = await imports.importFile('both.csv', content, options)
  expect(real).not.toHaveProperty('dryRun')
  return { dry, real }
}

describe('a dry run answers the counts and findings of the import', () => {
  beforeEach(async () => {
    await imports.importFile('there.csv', csv('key1,Title,Amount', 'a,there,1', 'b,there,2'))
  })

  it('of rows that insert, update, skip and fail, with keys that come again', async () => {
    const { dry, real } = await both(
      csv(
        'key1,Title,Amount',
        'a,there,1',
        'b,new,2',
        'n1,x,1',
        'n1,x,1',
        'n1,y,1',
        'n2,x,many',
        'n2,x,3',
        'n2,x,4',
        ',keyless,1',
        'b,new,2',
      ),
    )
    expect(real).toMatchObject({ inserted: 3, updated: 3, skipped: 3, failed: 1, errors: [{ row: 6, line: 7 }] })
    expect(withoutIds(dry)).toEqual(withoutIds(real))
  })

  it.each(['upsert', 'overwrite', 'insertOnly'])('with the mode %s', async (importMode) => {
    const key = importMode
    const { dry, real } = await both(
      csv('key1,Title,Amount', `${key},x,1`, `${key},y,`, `${key},y,`, 'a,other,9', `${key},,2`, `${key},y,2`),
      { importMode },
    )
    expect(real.rows).toBe(6)
    expect(withoutIds(dry)).toEqual(withoutIds(real))
  })

  it('of a tree whose rows name parents that earlier rows make, over chunks', async () => {
    const leaves = Array.from({ length: 2_500 }, (_, n) => `leaf${n},${n % 2 === 0 ? 'twig' : 'branch'},l`)
    const rows = [
      'root,,r',
      'branch,root,b',
      'twig,branch,t',
      ...leaves,
      'leaf7,branch,changed',
      'root,leaf0,circle',
      'x,nobody,y',
      'late,leaf2499,z',
    ]
    const { dry, real } = await both(csv('key1,parentKey1,Title', ...rows), { entity: 'Area' })
    expect(real).toMatchObject({ inserted: 2_504, updated: 1, failed: 2 })
    expect(withoutIds(dry)).toEqual(withoutIds(real))
  })

  it.each([false, true])('of rows that name another parent, moveParent %s', async (moveParent) => {
    const name = `move${moveParent}`
    await imports.importFile('sites.csv', csv('key1,parentKey1,Title', `${name}1,,s`, `${name}2,,s`, `${name}A,${name}1,a`), {
      entity: 'Area',
    })
    const rows = [`${name}A,${name}2,moved`, `${name}B,${name}1,new`, `${name}B,${name}2,new`, `${name}B,${name}2,again`]
    const { dry, real } = await both(csv('key1,parentKey1,Title', ...rows), { entity: 'Area', moveParent })
    expect(real.rows).toBe(4)
    expect(real.moved ?? 0).toBe(moveParent ? 2 : 0)
    expect(withoutIds(dry)).toEqual(withoutIds(real))
  })
})

it('goes on from its last chunk after a stop, with what the rows before it would have made', async () => {
  const rows = Array.from({ length: 3_000 }, (_, n) => `stop${n % 2_900},${n}`)
  const content = csv('key1,Amount', ...rows)
  const { world } = imports
  const assetKey = await imports.upload('stop.csv', content)
  const { jobId } = await world.call('import_instances', { entity: 'Task', assetKey, dryRun: true })
  const attempt = { tenantId: world.tenant.tenantId, jobId, attempt: 1 }
  const stopping = new AbortController()
  const first = await readJobForRun(world.platform.services, attempt)
  if (!first) throw new Error('no job')
  const waiting = world.platform.services.wake.listen(`job:${jobId}`)
  const running = importRunner.step(world.platform.services, first, stopping.signal)
  await waiting.next(10_000)
  stopping.abort()
  await expect(running).rejects.toThrow()
  waiting.close()
  const second = await readJobForRun(world.platform.services, attempt)
  if (!second) throw new Error('no job')
  expect(second.done).toBeGreaterThan(0)
  expect(await importRunner.step(world.platform.services, second, new AbortController().signal)).toBe('done')
  const { result } = await world.call('get_job', { jobId })
  expect(result).toMatchObject({ dryRun: true, rows: 3_000, inserted: 2_900, updated: 100, failed: 0 })
  expect(
    await world.call('count_instances', { entity: 'Task', filterRules: [{ property: 'key1', op: 'startsWith', value: 'stop' }] }),
  ).toEqual({ count: 0 })
})
