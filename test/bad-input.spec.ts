/** Lines of "bad input and faults" that no other spec plays: records of another entity or tenant, and writers on one record at once. */
import { beforeAll, expect, it } from 'vitest'

import type { AppError } from '#platform/errors.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
const catalog = {
  properties: [
    { internalName: 'Title', dataType: 'Text' },
    { internalName: 'Count', dataType: 'Number' },
    { internalName: 'Note', dataType: 'Text' },
  ],
  entities: ['Pump', 'Valve'].map((internalName) => ({
    internalName,
    properties: [{ property: 'Title' }, { property: 'Count' }, { property: 'Note' }],
  })),
}
beforeAll(async () => {
  await call('import_catalog', catalog)
})

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code, message }: AppError) => `${code}: ${message}`,
  )

it('answers an id of another entity, of another tenant and of nobody with the same words, to every way of asking', async () => {
  const mine = await call('save_instance', { entity: 'Pump', key1: 'P-1', data: { Title: 'mine' } })
  const other = await world.newTenant()
  await call('import_catalog', catalog, { key: other.key })
  const theirs = await call('save_instance', { entity: 'Valve', key1: 'V-1', data: { Title: 'theirs' } }, { key: other.key })
  const ways: readonly [string, object][] = [
    ['get_instance', {}],
    ['upsert_instance', { data: { Title: 'changed' } }],
    ['delete_instance', {}],
    ['get_instance_history', {}],
    ['get_instance_as_of', { utc: new Date().toISOString() }],
    ['get_instance_variance', {}],
  ]
  for (const [name, more] of ways) {
    const answers = await Promise.all(
      [mine.eiRecordId, theirs.eiRecordId, 9_007_199_254_740_991].map(async (record: number) =>
        (await failureOf(call(name, { entity: 'Valve', record: String(record), ...more }))).replaceAll(String(record), 'N'),
      ),
    )
    expect([name, answers]).toEqual([name, answers.map(() => answers[0])])
    expect([name, answers[0]]).toEqual([name, expect.stringMatching(/^not_found: /)])
  }
  expect(await call('get_instance', { entity: 'Pump', record: 'P-1' })).toMatchObject({ rowHash: mine.rowHash, data: { Title: 'mine' } })
  expect(await call('get_instance', { entity: 'Valve', record: 'V-1' }, { key: other.key })).toMatchObject({ rowHash: theirs.rowHash })
})

it('lets one of many writers win who all have read the same version, and tells the others', async () => {
  const { rowHash } = await call('save_instance', { entity: 'Pump', key1: 'P-2', data: { Count: 0 } })
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      failureOf(call('upsert_instance', { entity: 'Pump', record: 'P-2', data: { Count: n + 1 }, expectedRowHash: rowHash })),
    ),
  )
  expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1)
  expect(outcomes.filter((outcome) => outcome.startsWith('conflict: '))).toHaveLength(11)
  const history = await call('get_instance_history', { entity: 'Pump', record: 'P-2' })
  expect(history).toHaveLength(2)
})

it('keeps what two writers change in different properties at once, each change a version of its own', async () => {
  await call('save_instance', { entity: 'Pump', key1: 'P-3', data: { Title: 'a', Count: 0, Note: 'a' } })
  const rounds = 6
  for (let n = 1; n <= rounds; n++) {
    await Promise.all([
      call('upsert_instance', { entity: 'Pump', record: 'P-3', data: { Count: n } }),
      call('upsert_instance', { entity: 'Pump', record: 'P-3', data: { Note: `n${n}` } }),
    ])
    expect((await call('get_instance', { entity: 'Pump', record: 'P-3' })).data).toEqual({ Title: 'a', Count: n, Note: `n${n}` })
  }
  const history: { version: number; validFrom: string; validTo: string | null }[] = await call('get_instance_history', {
    entity: 'Pump',
    record: 'P-3',
  })
  expect(history.map(({ version }) => version)).toEqual(Array.from({ length: 1 + 2 * rounds }, (_, n) => n + 1))
  for (const [n, { validTo }] of history.entries()) expect(validTo).toBe(history[n + 1]?.validFrom ?? null)
})
