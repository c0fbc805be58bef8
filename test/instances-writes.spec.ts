import { beforeAll, describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { noPatterns } from '#platform/patterns.ts'
import { saveRows } from '#tools/instances/save/save-rows.ts'
import { toWish } from '#tools/instances/save/understand-row.rules.ts'
import { writeFrame } from '#tools/instances/save/write-frame.ts'
import { entityInPath } from '#tools/query/frame.ts'

import { openWorld, useWorld } from './support/world.ts'

const world = useWorld()

beforeAll(async () => {
  const { call } = world
  const statuses = ['open', 'done'].map((internalName) => ({ internalName }))
  for (const property of [
    { internalName: 'Title', dataType: 'Text' },
    { internalName: 'Amount', dataType: 'Number' },
    { internalName: 'Price', dataType: 'Currency' },
    { internalName: 'Due', dataType: 'DateTime' },
    { internalName: 'Code', dataType: 'Text' },
    { internalName: 'Status', dataType: 'Choice', propertyOptions: statuses },
    { internalName: 'Photo', dataType: 'Attachment', allowedFileTypes: ['jpg', 'txt'] },
  ]) {
    await call('create_property', property)
  }
  const properties = ['Title', 'Amount', 'Price', 'Due', 'Status'].map((property) => ({ property }))
  await call('create_entity', { internalName: 'Job', properties })
  await call('create_entity', { internalName: 'Part', properties: [{ property: 'Code', keyPart: 1 }, { property: 'Title' }] })
  await call('create_entity', { internalName: 'Area', properties: [{ property: 'Title' }] })
  await call('attach_child_entity', { entity: 'Area', childEntity: 'Area' })
  await call('attach_child_entity', { entity: 'Area', childEntity: 'Job' })
  await call('create_entity', { internalName: 'Shot', properties: [{ property: 'Title' }, { property: 'Photo' }] })
})

async function refusal(name: string, input: unknown, options?: object): Promise<AppError> {
  const error: unknown = await world.run(name, input, options).catch((thrown: unknown) => thrown)
  if (!(error instanceof AppError)) throw new Error(`${name} was not refused: ${String(error)}`)
  return error
}

describe('the keys of a record that is named by its id', () => {
  it('keeps the parts that a rename does not name', async () => {
    const { eiRecordId } = await world.call('save_instance', { entity: 'Job', key1: 'A', key2: 'B', key3: 'C', data: {} })
    const renamed = await world.call('upsert_instance', { entity: 'Job', record: eiRecordId, key1: 'A2', data: {} })
    expect(renamed.externalKey).toBe('A2 / B / C')
    const shortened = await world.call('upsert_instance', { entity: 'Job', record: eiRecordId, key3: '', data: {} })
    expect(shortened.externalKey).toBe('A2 / B')
    expect((await refusal('upsert_instance', { entity: 'Job', record: eiRecordId, key1: '', data: {} })).issues?.[0]).toMatchObject({
      path: '$.key2',
      message: 'key2 needs key1 before it.',
    })
  })

  it('keeps a part that was sent beside one that follows from a property', async () => {
    const { eiRecordId } = await world.call('save_instance', { entity: 'Part', key2: 'K', data: { Code: 'C1', Title: 'a' } })
    expect((await world.call('upsert_instance', { entity: 'Part', record: eiRecordId, data: { Title: 'b' } })).externalKey).toBe('C1 / K')
    expect((await world.call('upsert_instance', { entity: 'Part', record: eiRecordId, data: { Code: 'C9' } })).externalKey).toBe('C9 / K')
  })

  it('never joins to a text that reads as another key', async () => {
    const { results } = await world.call('save_instances_bulk', {
      entity: 'Job',
      rows: [
        { key1: 'a /', key2: '/ b', data: {} },
        { key1: 'a', key2: '/', key3: 'b', data: {} },
        { key1: 'c /', data: {} },
      ],
    })
    expect(results.map((one: { outcome: string }) => one.outcome)).toEqual(['failed', 'inserted', 'inserted'])
    const found = await world.call('get_instance_by_key', { entity: 'Job', externalKey: 'a / / / b' })
    expect([found.key1, found.key2, found.key3]).toEqual(['a', '/', 'b'])
  })

  it('takes an id as a number or as text, and a key that looks like a negative number', async () => {
    const { eiRecordId } = await world.call('save_instance', { entity: 'Job', key1: '-5', data: { Amount: 5 } })
    for (const record of [eiRecordId, String(eiRecordId), '-5', -5])
      expect((await world.call('get_instance', { entity: 'Job', record })).data.Amount).toBe(5)
    const { entityId } = await world.call('get_instance', { entity: 'Job', record: eiRecordId })
    expect((await world.call('get_instance', { entity: entityId, record: eiRecordId })).key1).toBe('-5')
  })
})

describe('parents within one entity', () => {
  const bulk = (rows: readonly object[]) => world.call('save_instances_bulk', { entity: 'Area', moveParent: true, rows })

  it('never makes a cycle, not even of two moves in one call', async () => {
    await bulk(['X', 'Y', 'Z'].map((key1) => ({ key1, data: { Title: key1 } })))
    const result = await bulk([
      { key1: 'X', parentKey1: 'Y' },
      { key1: 'Y', parentKey1: 'Z' },
      { key1: 'Z', parentKey1: 'X' },
    ])
    expect(result).toMatchObject({ updated: 2, failed: 1 })
    expect(result.results[2].errors).toEqual([
      { path: '$.rows[2].parentKey1', severity: 'error', message: expect.stringContaining('cannot be moved below itself') },
    ])
    const x = await world.call('get_instance', { entity: 'Area', record: 'X' })
    const later = await bulk([
      { key1: 'Y', parentEIRecordId: null },
      { key1: 'Z', parentEIRecordId: x.eiRecordId },
    ])
    expect(later).toMatchObject({ updated: 1, failed: 1 })
    expect(await bulk([{ key1: 'Z', parentEIRecordId: x.eiRecordId }])).toMatchObject({ updated: 1 })
  })

  it('names the nearest parent entity where the one said is none', async () => {
    const error = await refusal('save_instance', { entity: 'Job', key1: 'lone', parentKey1: 'X', parentEntity: 'Arae', data: {} })
    expect(error.issues?.[0]).toMatchObject({ path: '$.parentEntity', suggestion: 'Area' })
  })

  it('refuses an entity of the parent without a parent, which would be left out in silence', async () => {
    const error = await refusal('save_instance', { entity: 'Job', key1: 'lone', parentEntity: 'Area', data: {} })
    expect(error).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.parentEntity', message: expect.stringContaining('Send parentKey1 or parentEIRecordId with it') }],
    })
    const area = await world.call('save_instance', { entity: 'Area', key1: 'alone', data: {} })
    const saved = { entity: 'Job', key1: 'lone', parentEntity: 'Area', parentEIRecordId: area.eiRecordId, data: {} }
    expect(await world.call('save_instance', saved)).toMatchObject({ parentEIRecordId: area.eiRecordId })
  })

  it('names the field by which the parent was said', async () => {
    const area = await world.call('save_instance', { entity: 'Area', key1: 'gone', data: {} })
    await world.call('delete_instance', { entity: 'Area', record: 'gone' })
    const error = await refusal('save_instance', { entity: 'Job', key1: 'lone', parentEIRecordId: area.eiRecordId, data: {} })
    expect(error.issues?.[0]?.path).toBe('$.parentEIRecordId')
  })

  it('looks for the parents of a bulk at once, however many rows name them by id', async () => {
    const area = await world.call('save_instance', { entity: 'Area', key1: 'many', data: {} })
    const statementsFor = async (count: number) => {
      let statements = 0
      await inSystemTransaction(world.platform.services, world.tenant.tenantId, async (context) => {
        const tx = new Proxy(context.tx, {
          apply: (target, self, given) => (statements++, Reflect.apply(target, self, given)),
          get: (target, name) => (name === 'unsafe' && statements++, Reflect.get(target, name)),
        })
        const counted = { ...context, tx }
        const frame = await writeFrame(counted, (catalog) => entityInPath(catalog, 'Job'))
        const rows = Array.from({ length: count }, (_, index) => ({
          key1: `m${count}-${index}`,
          parentEIRecordId: area.eiRecordId,
          data: {},
        }))
        const wishes = rows.map((row, index) => toWish(frame.entity, row, { index, path: `$.rows[${index}]`, patterns: noPatterns }))
        const outcomes = await saveRows(counted, frame, wishes)
        expect(outcomes.filter(({ outcome }) => outcome === 'inserted')).toHaveLength(count)
      })
      return statements
    }
    const forTwo = await statementsFor(2)
    expect(forTwo).toBeGreaterThan(2)
    expect(await statementsFor(300)).toBe(forTwo)
  })
})

describe('a parent that has one child at most', () => {
  it('refuses a second as a conflict, lets the first be saved again, and takes another once it is gone', async () => {
    await world.call('create_entity', { internalName: 'Roof', properties: [{ property: 'Title' }] })
    await world.call('attach_child_entity', { entity: 'Area', childEntity: 'Roof', isList: false })
    await world.call('save_instance', { entity: 'Area', key1: 'house', data: {} })
    const roof = (key1: string) => ({ entity: 'Roof', key1, parentKey1: 'house', data: {} })
    await world.call('save_instance', roof('r1'))
    const error = await refusal('save_instance', roof('r2'))
    expect([error.status, error.code, error.issues?.[0]?.path]).toEqual([409, 'conflict', '$.parentKey1'])
    expect((await world.call('save_instance', roof('r1'))).outcome).toBe('skipped')
    await world.call('delete_instance', { entity: 'Roof', record: 'r1' })
    expect((await world.call('save_instance', roof('r2'))).outcome).toBe('inserted')
  })
})

describe('values', () => {
  it('that are refused by the thousand are told fifty at a time', async () => {
    const data = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, 1]))
    expect((await refusal('save_instance', { entity: 'Job', key1: 'many', data })).issues).toHaveLength(50)
    const { results } = await world.call('save_instances_bulk', { entity: 'Job', rows: [{ key1: 'many', data }] })
    expect(results[0].errors).toHaveLength(50)
  })

  it('that are refused are named in the sentence, for who reads nothing else', async () => {
    const error = await refusal('save_instance', { entity: 'Job', key1: 'bad', data: { Amount: 'many' } })
    expect(error.message).toBe('The record cannot be saved. $.data.Amount: Expected a number, got "many".')
  })

  it.each([
    ['a time that its offset leads out of the years', { Due: '9999-12-31T23:59:59-10:00' }],
    ['a time that its offset leads before the first year', { Due: '0001-01-01T00:00:00+10:00' }],
    ['a currency of more than fifteen digits, however short it is written', { Price: 1e300 }],
  ])('refuses %s with 400', async (_what, data) => {
    expect((await refusal('save_instance', { entity: 'Job', key1: 'bad', data })).status).toBe(400)
  })

  it('keeps times of the first century in their year, whatever their offset', async () => {
    const saved = await world.call('save_instance', { entity: 'Job', key1: 'old', data: { Due: '0050-01-01T01:00:00+02:00' } })
    expect(saved.data.Due).toBe('0049-12-31T23:00:00.000Z')
  })

  it('shows text in quotes and nothing else, so that the reader knows which of the two was sent', async () => {
    const error = await refusal('save_instance', { entity: 'Job', key1: 'q', data: { Title: 5, Amount: '5' } })
    expect(error.issues?.map((issue) => issue.message)).toEqual(['Expected text, got 5.', 'Expected a number, got "5".'])
    expect((await refusal('save_instance', { entity: 'Job', key1: 5, data: null })).issues?.map((issue) => issue.message)).toEqual([
      'Expected string, got 5.',
      'Expected object, got null.',
    ])
  })

  it('counts characters as people do, in keys and in texts: one outside the basic plane is one', async () => {
    const [key1, Title] = ['😀'.repeat(200), '😀'.repeat(32_768)]
    const saved = await world.call('save_instance', { entity: 'Job', key1, key2: key1, key3: key1, data: { Title } })
    expect(saved).toMatchObject({ key1, key3: key1, data: { Title } })
    for (const longer of [
      { key1: `${key1}a`, data: {} },
      { key1: 'long', data: { Title: `${Title}a` } },
    ])
      expect((await refusal('save_instance', { entity: 'Job', ...longer })).message).toMatch(/at most (200|32768) characters/i)
  })

  it('answers the fields in their order, the values in that of the entity', async () => {
    const saved = await world.call('save_instance', { entity: 'Job', key1: 'order', data: { Status: 'open' } })
    expect(Object.keys(saved).slice(0, 4)).toEqual(['eiRecordId', 'entityId', 'parentEIRecordId', 'key1'])
    expect(Object.keys(saved.data)).toEqual(['Title', 'Amount', 'Price', 'Due', 'Status'])
    expect(saved.data.Status).toBe('open')
  })
})

describe('a record that was saved before its entity changed', () => {
  const tagOf = async (entity: string) =>
    (await world.call('describe_entity', { entity })).properties.find(
      (one: { propertyInternalName: string }) => one.propertyInternalName === 'Code',
    ).entityPropertyId
  const firstRow = { key1: 'one', data: { Title: 'a', Code: 'x' } }
  const otherRow = { key1: 'two', data: { Title: 'b', Code: 'y' } }

  async function madeBefore(entity: string) {
    await world.call('create_entity', { internalName: entity, properties: [{ property: 'Title' }, { property: 'Code' }] })
    await world.call('save_instances_bulk', { entity, rows: [firstRow, otherRow] })
    return { entity, entityPropertyId: await tagOf(entity) }
  }
  const versionsOf = async (entity: string, record: string) => (await world.call('get_instance_history', { entity, record })).length

  it('is skipped when nothing differs, though a property with values was detached meanwhile', async () => {
    const { entity, entityPropertyId } = await madeBefore('Crate')
    await world.call('detach_property', { entity, entityPropertyId, discardsValues: true })
    expect(await world.call('save_instance', { entity, key1: 'one', data: { Title: 'a' } })).toMatchObject({ outcome: 'skipped' })
    const rows = [
      { key1: 'one', data: {} },
      { key1: 'two', data: { Title: 'b' }, importMode: 'overwrite' },
    ]
    expect(await world.call('save_instances_bulk', { entity, rows })).toMatchObject({ skipped: 2, updated: 0 })
    expect(await versionsOf(entity, 'one')).toBe(1)
    expect(await world.call('save_instance', { entity, key1: 'one', data: { Title: 'c' } })).toMatchObject({ outcome: 'updated' })
  })

  it('is skipped when nothing differs, though a property became a list meanwhile', async () => {
    const { entity, entityPropertyId } = await madeBefore('Bundle')
    await world.call('update_entity_property', { entity, entityPropertyId, isList: true })
    await world.settled()
    const again = { entity, key1: 'one', data: { Title: 'a', Code: ['x'] } }
    expect(await world.call('save_instance', again)).toMatchObject({ outcome: 'skipped', data: { Code: ['x'] } })
    expect(await versionsOf(entity, 'one')).toBe(1)
  })
})

describe('many writers', () => {
  it('begin with an entity together, however few connections there are', async () => {
    const narrow = await openWorld({ DATABASE_POOL: '1' })
    try {
      await narrow.call('create_entity', { internalName: 'Fresh' })
      const saves = Array.from({ length: 12 }, (_, index) => narrow.call('save_instance', { entity: 'Fresh', key1: `f${index}`, data: {} }))
      const ids = (await Promise.all(saves)).map((saved) => saved.eiRecordId)
      expect(new Set(ids).size).toBe(12)
      // One block serves them all.
      expect(Math.max(...ids) - Math.min(...ids)).toBe(11)
    } finally {
      await narrow.close()
    }
  })

  it('let each other through: a save without expectedRowHash is never lost to another', async () => {
    const { eiRecordId } = await world.call('save_instance', { entity: 'Job', key1: 'hot', data: { Amount: 0 } })
    await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        world.call('upsert_instance', { entity: 'Job', record: eiRecordId, data: { Amount: index + 1 } }),
      ),
    )
    await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        world.call('save_instance', { entity: 'Job', key1: 'born hot', data: { Amount: index + 1 } }),
      ),
    )
    for (const record of ['hot', 'born hot']) {
      const history = await world.call('get_instance_history', { entity: 'Job', record })
      expect(history).toHaveLength(record === 'hot' ? 17 : 16)
      expect(new Set(history.map((one: { data: { Amount: number } }) => one.data.Amount)).size).toBe(history.length)
    }
  })
})

describe('files in records', () => {
  const upload = async (fileName: string, bytes: Buffer) =>
    (await world.call('upload_asset', { fileName, contentBase64: bytes.toString('base64') }, { transport: 'mcp' })).assetKey
  const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffdb', 'hex')

  it('takes a file by any name of its kind, as the upload does', async () => {
    const Photo = await upload('gate.jpeg', jpeg)
    expect((await world.call('save_instance', { entity: 'Shot', key1: 's1', data: { Photo } })).data.Photo).toBe(Photo)
    const png = await upload('gate.png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
    expect((await refusal('save_instance', { entity: 'Shot', key1: 's2', data: { Photo: png } })).issues?.[0]?.message).toContain(
      'jpg, txt',
    )
  })

  it('lets a record keep a file that was deleted since, however whole the save is, and takes it into no other', async () => {
    const Photo = await upload('note.txt', Buffer.from('Gate 4'))
    await world.call('save_instance', { entity: 'Shot', key1: 's3', data: { Title: 'a', Photo } })
    await world.call('delete_asset', { assetKey: Photo })
    const saves = [{ data: { Title: 'b' } }, { data: { Title: 'c', Photo } }, { data: { Title: 'd', Photo }, importMode: 'overwrite' }]
    for (const save of saves)
      expect((await world.call('save_instance', { entity: 'Shot', key1: 's3', ...save })).data).toMatchObject(save.data)
    expect((await refusal('save_instance', { entity: 'Shot', key1: 's4', data: { Photo } })).status).toBe(400)
  })

  it('answers the analyses of a bulk row by row', async () => {
    const { properties } = await world.call('describe_entity', { entity: 'Shot' })
    const { entityPropertyId } = properties.find((one: { propertyInternalName: string }) => one.propertyInternalName === 'Photo')
    await world.call('set_attachment_analysis', { entity: 'Shot', entityPropertyId, ocr: true })
    const Photo = await upload('bulk.txt', Buffer.from('Gate 5'))
    const { results } = await world.call('save_instances_bulk', {
      entity: 'Shot',
      rows: [
        { key1: 'b1', data: { Photo } },
        { key1: 'b2', data: { Title: 'none' } },
      ],
    })
    expect(results[0].jobIds).toHaveLength(1)
    expect(await world.call('get_job', { jobId: results[0].jobIds[0] })).toMatchObject({ kind: 'attachmentAnalysis' })
    expect(results[1]).not.toHaveProperty('jobIds')
  })
})
