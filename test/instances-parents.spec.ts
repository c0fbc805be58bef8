import { Readable } from 'node:stream'

import { beforeAll, describe, expect, it } from 'vitest'

import { readJobForRun } from '#tools/jobs/service.ts'
import { importRunner } from '#tools/instances/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world

beforeAll(async () => {
  const { call } = world
  await call('create_property', { internalName: 'Phone', dataType: 'Text', isSensitive: true })
  await call('create_property', { internalName: 'Code', dataType: 'Text' })
  await call('create_entity', { internalName: 'Site' })
  await call('create_entity', { internalName: 'Building', properties: [{ property: 'Phone' }] })
  await call('create_entity', { internalName: 'Tagged', properties: [{ property: 'Code', keyPart: 1 }] })
  await call('attach_child_entity', { entity: 'Site', childEntity: 'Building' })
  await call('attach_child_entity', { entity: 'Site', childEntity: 'Tagged' })
  await call('save_instances_bulk', { entity: 'Site', rows: ['LON01', 'LON02', 'LON03'].map((key1) => ({ key1, data: {} })) })
})

const siteId = async (record: string): Promise<number> => (await world.call('get_instance', { entity: 'Site', record })).eiRecordId
const building = (record: string) => world.call('get_instance', { entity: 'Building', record })

async function importOf(entity: string, csv: string, more: object = {}) {
  const stream = Readable.from([Buffer.from(csv)])
  const { assetKey } = await world.call(
    'upload_asset',
    {},
    { upload: { stream, fileName: 'rows.csv', mimeType: undefined, isTruncated: () => false } },
  )
  const { jobId } = await world.call('import_instances', { entity, assetKey, ...more })
  for (let step = 0; step < 20; step++) {
    const job = await readJobForRun(world.platform.services, { tenantId: world.tenant.tenantId, jobId, attempt: 1 })
    if (!job || (await importRunner.step(world.platform.services, job, new AbortController().signal)) === 'done') break
  }
  return world.call('get_job', { jobId })
}

describe('a key that comes again under another parent', () => {
  it('is refused by a save, which says whose the record is and what to do, and changes nothing', async () => {
    const first = await world.call('save_instance', { entity: 'Building', key1: 'A', parentKey1: 'LON01', data: { Phone: '020 1' } })
    for (const [name, more] of [
      ['save_instance', { key1: 'A' }],
      ['save_instance', { key1: 'A', importMode: 'insertOnly' }],
      ['save_instance', { key1: 'A', importMode: 'overwrite', moveParent: false }],
      ['upsert_instance', { record: 'A' }],
    ] as const) {
      const refused = await refusal(name, { entity: 'Building', parentKey1: 'LON02', data: {}, ...more })
      expect(refused.code).toBe('conflict')
      expect(refused.message).toBe(
        `The Building with the key "A" is record ${first.eiRecordId} under Site "LON01", not under Site "LON02". A key names one Building, whatever its parent: ` +
          'for another one put the parent into the key, for example key1 "LON02", key2 "A". ' +
          'To move it, send moveParent: true (in a bulk or an import: beside the rows), or save it by its eiRecordId.',
      )
      expect(refused.issues?.[0]?.path).toBe('$.parentKey1')
    }
    const byId = await refusal('save_instance', { entity: 'Building', key1: 'A', parentEIRecordId: await siteId('LON02'), data: {} })
    expect(byId.issues?.[0]?.path).toBe('$.parentEIRecordId')
    const toNone = await refusal('save_instance', { entity: 'Building', key1: 'A', parentEIRecordId: null, data: {} })
    expect(toNone).toMatchObject({ code: 'conflict', message: expect.stringContaining('which the save would take it from') })
    expect(await building('A')).toMatchObject({ parentEIRecordId: await siteId('LON01'), rowHash: first.rowHash })
  })

  it('leads to the part that no property takes, where a property is part of the key', async () => {
    await world.call('save_instance', { entity: 'Tagged', parentKey1: 'LON01', data: { Code: 'T' } })
    const refused = await refusal('save_instance', { entity: 'Tagged', parentKey1: 'LON02', data: { Code: 'T' } })
    expect(refused.message).toContain('for example key1 "T", key2 "LON02"')
    const second = await world.call('save_instance', { entity: 'Tagged', key2: 'LON02', parentKey1: 'LON02', data: { Code: 'T' } })
    expect(second).toMatchObject({ outcome: 'inserted', externalKey: 'T / LON02' })
  })

  it('moves the record where moveParent asks for it, and says so; taking a first parent is no move', async () => {
    const orphan = await world.call('save_instance', { entity: 'Building', key1: 'B', data: {} })
    const taken = await world.call('save_instance', { entity: 'Building', key1: 'B', parentKey1: 'LON01', data: {} })
    expect(taken).toMatchObject({ outcome: 'updated', eiRecordId: orphan.eiRecordId })
    expect(taken).not.toHaveProperty('moved')
    const moved = await world.call('save_instance', { entity: 'Building', key1: 'B', parentKey1: 'LON02', moveParent: true, data: {} })
    expect(moved).toMatchObject({ outcome: 'updated', moved: true, parentEIRecordId: await siteId('LON02') })
    const again = await world.call('upsert_instance', { entity: 'Building', record: 'B', parentKey1: 'LON02', moveParent: true, data: {} })
    expect(again.outcome).toBe('skipped')
    expect(again).not.toHaveProperty('moved')
    const freed = await world.call('save_instance', { entity: 'Building', key1: 'B', parentEIRecordId: null, moveParent: true, data: {} })
    expect(freed).toMatchObject({ moved: true, parentEIRecordId: null })
  })

  it('does not stop a save by id, which moves', async () => {
    const { eiRecordId } = await world.call('save_instance', { entity: 'Building', key1: 'C', parentKey1: 'LON01', data: {} })
    const moved = await world.call('upsert_instance', { entity: 'Building', record: eiRecordId, parentKey1: 'LON03', data: {} })
    expect(moved).toMatchObject({ moved: true, parentEIRecordId: await siteId('LON03') })
  })

  it('fails its rows alone in a bulk, the second of one call too, and moves them where the call asks for it', async () => {
    await world.call('save_instance', { entity: 'Building', key1: 'D', parentKey1: 'LON01', data: {} })
    const rows = [
      { key1: 'D', parentKey1: 'LON02', data: {} },
      { key1: 'E', parentKey1: 'LON01', data: {} },
      { key1: 'E', parentKey1: 'LON02', data: {} },
      { key1: 'E', parentKey1: 'LON01', data: {} },
    ]
    const result = await world.call('save_instances_bulk', { entity: 'Building', rows })
    expect(result).toMatchObject({ inserted: 1, failed: 3 })
    expect(result).not.toHaveProperty('moved')
    expect(result.results[0].errors[0]).toMatchObject({
      path: '$.rows[0].parentKey1',
      message: expect.stringContaining('under Site "LON01"'),
    })
    expect(result.results[2].errors[0].message).toContain('the same key under another parent')
    expect(result.results[3].errors[0].message).toBe('An earlier row of this call has the same key. Send one row for each record.')
    const moving = await world.call('save_instances_bulk', { entity: 'Building', moveParent: true, rows: rows.slice(0, 2) })
    expect(moving).toMatchObject({
      updated: 1,
      skipped: 1,
      moved: 1,
      results: [{ outcome: 'updated', moved: true }, { outcome: 'skipped' }],
    })
    expect(moving.results[1]).not.toHaveProperty('moved')
    const ofRow = await world.call('save_instances_bulk', { entity: 'Building', rows: [{ ...rows[0], moveParent: true }] })
    expect(ofRow).toMatchObject({ failed: 1 })
  })

  it('fails the rows of a file that would merge three records into one, and moves where the import asks for it', async () => {
    const csv = 'key1,parentKey1,Phone\nNorth,LON01,1\nNorth,LON02,2\nNorth,LON03,3\n'
    const refused = await importOf('Building', csv)
    expect(refused).toMatchObject({ state: 'partly', result: { inserted: 1, updated: 0, failed: 2 } })
    expect(refused.result.errors).toHaveLength(2)
    expect(refused.result.errors[0]).toMatchObject({ row: 2, message: expect.stringContaining('key1 "LON02", key2 "North"') })
    expect(refused.result).not.toHaveProperty('moved')
    expect((await building('North')).data.Phone).toBe('1')
    const moving = await importOf('Building', csv, { moveParent: true })
    expect(moving).toMatchObject({ state: 'succeeded', result: { skipped: 1, updated: 2, failed: 0, moved: 2 } })
    expect(await building('North')).toMatchObject({ parentEIRecordId: await siteId('LON03') })
  })
})

describe('a deletion that takes others along', () => {
  const remaining = async () => ({
    buildings: await world.call('count_instances', { entity: 'Building' }),
    sites: await world.call('count_instances', { entity: 'Site' }),
  })

  /** A site of this name with two buildings of one room each, and a third without. */
  async function siteWithFive(site: string): Promise<number> {
    const { eiRecordId } = await world.call('save_instance', { entity: 'Site', key1: site, data: {} })
    const buildings = ['a', 'b', 'c'].map((key2) => ({ key1: site, key2, parentKey1: site, data: {} }))
    await world.call('save_instances_bulk', { entity: 'Building', rows: buildings })
    const rooms = ['a', 'b'].map((key2) => ({ parentKey1: site, parentKey2: key2, data: {} }))
    expect(await world.call('save_instances_bulk', { entity: 'Room', rows: rooms })).toMatchObject({ inserted: 2 })
    return eiRecordId
  }

  beforeAll(async () => {
    await world.call('create_entity', { internalName: 'Room' })
    await world.call('attach_child_entity', { entity: 'Building', childEntity: 'Room' })
  })

  it('says how many, by id, by key and by external key, and tells it before in a dry run that deletes nothing', async () => {
    for (const [name, naming] of [
      ['delete_instance', (site: string) => ({ record: site })],
      ['delete_instance_by_key', (site: string) => ({ key1: site })],
      ['delete_instance_by_external_key', (site: string) => ({ externalKey: site })],
    ] as const) {
      const eiRecordId = await siteWithFive(name)
      const before = await remaining()
      const dry = await world.call(name, { entity: 'Site', ...naming(name), dryRun: true })
      expect(dry).toEqual({ eiRecordId, deleted: false, deletedChildren: 5 })
      expect(await remaining()).toEqual(before)
      expect(await world.call(name, { entity: 'Site', ...naming(name) })).toEqual({ eiRecordId, deleted: true, deletedChildren: 5 })
      expect((await refusal(name, { entity: 'Site', ...naming(name), dryRun: true })).code).toBe('not_found')
    }
  })

  it('says it for each key of a bulk, and a dry bulk deletes nothing', async () => {
    const first = await siteWithFive('bulk1')
    const second = await world.call('save_instance', { entity: 'Site', key1: 'bulk2', data: {} })
    const keys = [{ key1: 'bulk1' }, { key1: 'bulk2' }, { key1: 'nowhere' }]
    const before = await remaining()
    expect(await world.call('delete_instances_bulk', { entity: 'Site', keys, dryRun: true })).toMatchObject({
      deleted: 0,
      deletedChildren: 5,
      failed: 1,
      results: [
        { outcome: 'wouldDelete', eiRecordId: first, deleted: false, deletedChildren: 5 },
        { outcome: 'wouldDelete', eiRecordId: second.eiRecordId, deleted: false, deletedChildren: 0 },
        { outcome: 'failed' },
      ],
    })
    expect(await remaining()).toEqual(before)
    expect(await world.call('delete_instances_bulk', { entity: 'Site', keys })).toMatchObject({
      deleted: 2,
      deletedChildren: 5,
      failed: 1,
      results: [{ outcome: 'deleted', deleted: true, deletedChildren: 5 }, { deletedChildren: 0 }, {}],
    })
    expect(await remaining()).toEqual({
      ...before,
      buildings: { count: before.buildings.count - 3 },
      sites: { count: before.sites.count - 2 },
    })
  })

  it('counts a record once that is named and stands below another named one', async () => {
    await world.call('create_entity', { internalName: 'Folder' })
    await world.call('attach_child_entity', { entity: 'Folder', childEntity: 'Folder' })
    for (const [key1, parent] of [['f1'], ['f2', 'f1'], ['f3', 'f2'], ['f4', 'f1']])
      await world.call('save_instance', { entity: 'Folder', key1, ...(parent ? { parentKey1: parent } : {}), data: {} })
    const keys = [{ key1: 'f1' }, { key1: 'f2' }]
    const counts = { deletedChildren: 2, results: [{ deletedChildren: 1 }, { deletedChildren: 1 }] }
    expect(await world.call('delete_instances_bulk', { entity: 'Folder', keys, dryRun: true })).toMatchObject(counts)
    expect(await world.call('delete_instances_bulk', { entity: 'Folder', keys })).toMatchObject(counts)
  })
})

describe('entities that stand under each other', () => {
  beforeAll(async () => {
    for (const internalName of ['Team', 'Project', 'Task']) await world.call('create_entity', { internalName })
    await world.call('attach_child_entity', { entity: 'Team', childEntity: 'Project' })
    await world.call('attach_child_entity', { entity: 'Project', childEntity: 'Task' })
    await world.call('attach_child_entity', { entity: 'Task', childEntity: 'Team' })
  })

  const save = (entity: string, key1: string, parentKey1?: string) =>
    world.call('save_instance', { entity, key1, ...(parentKey1 === undefined ? {} : { parentKey1 }), data: {} })

  it('never make a record its own ancestor, through however many entities', async () => {
    const team = await save('Team', 'team')
    await save('Project', 'project', 'team')
    const task = await save('Task', 'task', 'project')
    for (const [name, naming] of [
      ['save_instance', { key1: 'team' }],
      ['upsert_instance', { record: team.eiRecordId }],
    ] as const) {
      const refused = await refusal(name, { entity: 'Team', ...naming, parentKey1: 'task', data: {} })
      expect(refused).toMatchObject({
        code: 'conflict',
        message: `Record ${task.eiRecordId} stands below record ${team.eiRecordId}, which cannot be moved below itself. Move ${task.eiRecordId} elsewhere first.`,
      })
    }
    const other = await save('Team', 'other')
    expect(await save('Team', 'other', 'task')).toMatchObject({ outcome: 'updated', eiRecordId: other.eiRecordId })
  })

  it('never do so by two moves at once', async () => {
    let cycles = 0
    let refusals = 0
    for (let round = 0; round < 8; round++) {
      const names = { team: `t${round}`, project: `p${round}`, task: `k${round}` }
      await save('Team', names.team)
      await save('Project', names.project)
      await save('Task', names.task, names.project)
      const moves = await Promise.allSettled([save('Project', names.project, names.team), save('Team', names.team, names.task)])
      refusals += moves.filter((move) => move.status === 'rejected').length
      const project = await world.call('get_instance', { entity: 'Project', record: names.project })
      const team = await world.call('get_instance', { entity: 'Team', record: names.team })
      if (project.parentEIRecordId !== null && team.parentEIRecordId !== null) cycles++
    }
    expect({ cycles, refusals }).toEqual({ cycles: 0, refusals: 8 })
  })
})
