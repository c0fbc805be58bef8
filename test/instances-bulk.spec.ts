import { beforeAll, describe, expect, it } from 'vitest'

import { useWorld } from './support/world.ts'

const world = useWorld()

beforeAll(async () => {
  for (const property of [
    { internalName: 'Title', dataType: 'Text' },
    { internalName: 'Amount', dataType: 'Number' },
  ]) {
    await world.call('create_property', property)
  }
  await world.call('create_entity', { internalName: 'Job', properties: [{ property: 'Title' }, { property: 'Amount' }] })
})

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

  it('saves rows of more than one portion, each with its result, and finds them again', async () => {
    const rows = (amount: number) =>
      Array.from({ length: 7_000 }, (_, index) => ({ key1: `p${index}`, data: { Title: `t${index}`, Amount: amount } }))
    const first = await world.call('save_instances_bulk', { entity: 'Job', rows: rows(1) })
    expect([first.inserted, new Set(first.results.map((one: { eiRecordId: number }) => one.eiRecordId)).size]).toEqual([7_000, 7_000])
    const second = await world.call('save_instances_bulk', { entity: 'Job', rows: rows(2) })
    expect([second.updated, second.results[6_999].eiRecordId]).toEqual([7_000, first.results[6_999].eiRecordId])
    expect((await world.call('get_instance', { entity: 'Job', record: 'p6999' })).data).toEqual({ Title: 't6999', Amount: 2 })
  })

  it('tells fifty mistakes of a row, and past two thousand in all the first of each row', async () => {
    const data = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`Wrong${index}`, 1]))
    const rows = Array.from({ length: 45 }, (_, index) => ({ key1: `u${index}`, data }))
    const { results, failed, oneErrorFrom } = await world.call('save_instances_bulk', { entity: 'Job', rows })
    expect([failed, oneErrorFrom]).toEqual([45, 40])
    expect(await world.call('save_instances_bulk', { entity: 'Job', rows: rows.slice(0, 40) })).not.toHaveProperty('oneErrorFrom')
    const told = results.map((one: { errors: unknown[] }) => one.errors.length)
    expect([told[0], told[39], told[40], told[44]]).toEqual([50, 50, 1, 1])
  })

  it('reads long dataJson as it reads short, with the same findings', async () => {
    const long = `{"Amount": 5, "Title": "${'x'.repeat(30_000)}"${' '.repeat(70_000)}}`
    const rows = [
      { key1: 'l1', dataJson: long },
      { key1: 'l2', dataJson: `${long},` },
      { key1: 'l3', dataJson: long.replace('5', '9007199254740993') },
      { key1: 'l4', dataJson: `[${long}]` },
    ]
    const { results } = await world.call('save_instances_bulk', { entity: 'Job', rows })
    expect(results.map((one: { outcome: string; errors?: { path: string }[] }) => [one.outcome, one.errors?.[0]?.path])).toEqual([
      ['inserted', undefined],
      ['failed', '$.rows[1].dataJson'],
      ['failed', '$.rows[2].dataJson.Amount'],
      ['failed', '$.rows[3].dataJson'],
    ])
    expect((await world.call('get_instance', { entity: 'Job', record: 'l1' })).data.Amount).toBe(5)
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
