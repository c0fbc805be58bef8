import { Readable } from 'node:stream'

import { beforeAll, describe, expect, it } from 'vitest'

import { readJobForRun } from '#tools/jobs/service.ts'
import { importRunner } from '#tools/instances/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world

beforeAll(async () => {
  const { call } = world
  const option = (internalName: string, english: string, german?: string) => ({
    internalName,
    displays: [{ languageCode: 'en-US', name: english }, ...(german === undefined ? [] : [{ languageCode: 'de-DE', name: german }])],
  })
  const propertyOptions = [
    option('open', 'To do', 'Offen'),
    option('done', 'Finished', 'Erledigt'),
    option('held', 'Waiting', 'Wartet'),
    option('late', 'Waiting', 'Verspätet'),
    // The display name of one is the internalName of another.
    option('gone', 'done', 'Weg'),
  ]
  await call('create_property', { internalName: 'Status', dataType: 'Choice', propertyOptions })
  const tree = [
    option('site', 'Site'),
    { ...option('room', 'Meeting room'), parent: 'site' },
    { internalName: 'y2024', displays: [{ languageCode: 'en-US', name: '2024' }] },
  ]
  await call('create_property', { internalName: 'Place', dataType: 'Hierarchy', propertyOptions: tree })
  const properties = [{ property: 'Status' }, { property: 'Place', isList: true }]
  await call('create_entity', { internalName: 'Task', properties })
})

describe('an option in a save', () => {
  it('goes by its internalName or by a display name in any language, and is answered by its internalName', async () => {
    const given: [string, string][] = [
      ['open', 'open'],
      ['To do', 'open'],
      [' to DO ', 'open'],
      ['Offen', 'open'],
      ['Verspa\u0308tet', 'late'],
      // An internalName comes first.
      ['done', 'done'],
      ['Weg', 'gone'],
    ]
    for (const [Status, shown] of given) {
      const saved = await world.call('save_instance', {
        entity: 'Task',
        key1: Status.trim(),
        data: { Status, Place: ['Meeting room', 'site'] },
      })
      expect(saved.data).toEqual({ Status: shown, Place: ['room', 'site'] })
    }
  })

  it('is a finding with the candidates where several are called so', async () => {
    const refused = await refusal('save_instance', { entity: 'Task', key1: 'x', data: { Status: 'Waiting' } })
    expect(refused.issues).toEqual([
      {
        path: '$.data.Status',
        severity: 'error',
        message: '"Waiting" is what several options are called: held, late. Send the internalName of one.',
      },
    ])
    const bulk = await world.call('save_instances_bulk', {
      entity: 'Task',
      rows: [
        { key1: 'b1', data: { Status: 'Waiting' } },
        { key1: 'b2', data: { Status: 'Wartet' } },
      ],
    })
    expect(bulk).toMatchObject({ failed: 1, inserted: 1 })
    expect((await world.call('get_instance', { entity: 'Task', record: 'b2' })).data.Status).toBe('held')
  })

  it('is one of those that the entity takes, whatever the others are called', async () => {
    const { propertyOptionFilterId } = await world.call('save_property_option_filter', {
      property: 'Status',
      internalName: 'Short',
      options: ['late', 'open'],
    })
    await world.call('create_entity', { internalName: 'Narrow', properties: [{ property: 'Status' }] })
    const [{ entityPropertyId }] = (await world.call('describe_entity', { entity: 'Narrow' })).properties
    await world.call('update_entity_property', { entity: 'Narrow', entityPropertyId, propertyOptionFilterId })
    const save = (Status: string) => world.call('save_instance', { entity: 'Narrow', key1: 'n', data: { Status } })
    expect((await save('Waiting')).data.Status).toBe('late')
    await expect(save('Finished')).rejects.toThrow('is no option. Allowed: open, late.')
    await expect(save('done')).rejects.toThrow('is no option')
  })

  it('goes by a name that it got a moment ago', async () => {
    const displays = [{ languageCode: 'en-US', name: 'In the backlog' }]
    await world.call('save_property_option', { property: 'Status', internalName: 'open', displays })
    const saved = await world.call('save_instance', { entity: 'Task', key1: 'renamed', data: { Status: 'In the backlog' } })
    expect(saved.data.Status).toBe('open')
    expect(await world.call('test_property_value', { property: 'Status', values: ['In the backlog'] })).toMatchObject({ ok: true })
  })
})

it('takes display names from a file', async () => {
  const csv = 'key1,Status,Place\ni1,Erledigt,Meeting room;2024\ni2,Waiting,site\n'
  const stream = Readable.from([Buffer.from(csv)])
  const upload = { stream, fileName: 'tasks.csv', mimeType: undefined, isTruncated: () => false }
  const { assetKey } = await world.call('upload_asset', {}, { upload })
  const { jobId } = await world.call('import_instances', { entity: 'Task', assetKey })
  const job = await readJobForRun(world.platform.services, { tenantId: world.tenant.tenantId, jobId, attempt: 1 })
  if (!job) throw new Error('there is no job')
  await importRunner.step(world.platform.services, job, new AbortController().signal)
  expect(await world.call('get_job', { jobId })).toMatchObject({ result: { inserted: 1, failed: 1, errors: [{ row: 2 }] } })
  expect((await world.call('get_instance', { entity: 'Task', record: 'i1' })).data).toEqual({ Status: 'done', Place: ['room', 'y2024'] })
})

it('leaves filters to internalNames', async () => {
  const refused = await refusal('list_instances', { entity: 'Task', filterRules: [{ property: 'Status', op: 'eq', value: 'Finished' }] })
  expect(refused.message).toContain('is no option')
})
