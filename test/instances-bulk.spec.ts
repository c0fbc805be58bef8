import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openWorld, type World } from './support/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
  for (const property of [
    { internalName: 'Title', dataType: 'Text' },
    { internalName: 'Amount', dataType: 'Number' },
  ]) {
    await world.call('create_property', property)
  }
  await world.call('create_entity', { internalName: 'Job', properties: [{ property: 'Title' }, { property: 'Amount' }] })
})

afterAll(() => world.close())

describe('a bulk of rows', () => {
  it('fails a row alone that has not the shape of one, and saves the others', async () => {
    const rows = [{ key1: 'w1', data: {} }, { key1: 5, data: {} }, null, { key1: 'w2', dta: {} }, { key1: 'w3', data: 'x' }, { key1: 'w4' }]
    const { results, ...counts } = await world.call('save_instances_bulk', { entity: 'Job', rows })
    expect(counts).toEqual({ inserted: 2, updated: 0, skipped: 0, failed: 4 })
    expect(results.map(({ index, outcome }: { index: number; outcome: string }) => `${index} ${outcome}`)).toEqual([
      '0 inserted',
      '1 failed',
      '2 failed',
      '3 failed',
      '4 failed',
      '5 inserted',
    ])
    expect(results.slice(1, 5).map((one: { errors: unknown[] }) => one.errors[0])).toMatchObject([
      { path: '$.rows[1].key1', message: 'Expected string, got 5.' },
      { path: '$.rows[2]', message: 'Expected object, got null.' },
      { path: '$.rows[3].dta', suggestion: 'data' },
      { path: '$.rows[4].data', message: 'Expected object, got "x".' },
    ])
  })

  it('takes an importMode of each row before that of the call', async () => {
    const save = (importMode: string, rows: object[]) => world.call('save_instances_bulk', { entity: 'Job', importMode, rows })
    const both = (one: object) => ['v1', 'v2', 'v3'].map((key1) => ({ key1, ...one }))
    await save('upsert', both({ data: { Title: 'a', Amount: 1 } }))
    const [first, second, third] = both({ data: { Amount: 2 } })
    const { results } = await save('insertOnly', [{ ...first, importMode: 'overwrite' }, { ...second, importMode: 'upsert' }, { ...third }])
    expect(results.map((one: { outcome: string }) => one.outcome)).toEqual(['updated', 'updated', 'skipped'])
    const titles = await Promise.all(
      ['v1', 'v2', 'v3'].map(async (record) => {
        const { data } = await world.call('get_instance', { entity: 'Job', record })
        return [data.Title, data.Amount]
      }),
    )
    expect(titles).toEqual([
      [null, 2],
      ['a', 2],
      ['a', 1],
    ])
  })
})

describe('a bulk of deletions', () => {
  it('fails a key alone that is none, also where all of them are', async () => {
    await world.call('save_instance', { entity: 'Job', key1: 'd9', data: {} })
    const wrong = [{ key1: '' }, 'd9', { key1: 'd9', key4: 'x' }, { key2: 'd9' }]
    const mixed = await world.call('delete_instances_bulk', { entity: 'Job', keys: [...wrong, { key1: 'd9' }] })
    expect(mixed).toMatchObject({ deleted: 1, failed: 4 })
    expect(mixed.results.map((one: { errors?: { path: string }[] }) => one.errors?.[0]?.path)).toEqual([
      '$.keys[0].key1',
      '$.keys[1]',
      '$.keys[2].key4',
      '$.keys[3].key1',
      undefined,
    ])
    expect(await world.call('delete_instances_bulk', { entity: 'Job', keys: wrong })).toMatchObject({ deleted: 0, failed: 4 })
  })

  it('tells of each key what became of it, as a bulk of saves does', async () => {
    await world.call('save_instance', { entity: 'Job', key1: 'd1', data: {} })
    const { results, deleted, failed } = await world.call('delete_instances_bulk', {
      entity: 'Job',
      keys: [{ key1: 'd1' }, { key1: 'd1' }, { key1: 'd2' }],
    })
    expect([deleted, failed]).toEqual([1, 2])
    expect(results[0]).toMatchObject({ index: 0, outcome: 'deleted' })
    expect(results.slice(1).map((one: { errors: unknown }) => one.errors)).toEqual([
      [{ path: '$.keys[1]', severity: 'error', message: 'An earlier key of this call is the same.' }],
      [{ path: '$.keys[2]', severity: 'error', message: 'No such record.' }],
    ])
  })
})
