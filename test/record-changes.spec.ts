/** What is told of changed records, once and in one place, and what it costs. */
import { Readable } from 'node:stream'

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { createAnalysisActivities } from '#activities/recognition.ts'
import type { Platform } from '#platform/platform.ts'
import type { AnalysisRun } from '#platform/shapes/recognition.ts'
import { inSystemTransaction } from '#platform/system.ts'
import type { RecordChange } from '#tools/events/events.types.ts'
import type * as Events from '#tools/events/records-changed.ts'
import { importRunner } from '#tools/instances/service.ts'
import { keepFindings, startAnalysis } from '#tools/intelligence/service.ts'
import { readJobForRun } from '#tools/jobs/service.ts'

import { openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'

const told = vi.hoisted(() => [] as { entity: string; changes: readonly RecordChange[] }[])

// Listens beside the product's own listeners; everything happens as it does.
vi.mock('#tools/events/records-changed.ts', async (original) => {
  const real = await original<typeof Events>()
  const recordsChanged: typeof real.recordsChanged = (context, of, changes) => {
    told.push({ entity: of.entity.internalName, changes })
    return real.recordsChanged(context, of, changes)
  }
  return { ...real, recordsChanged }
})

let opened: PipelineWorld
let platform: Platform
let statements: string[] = []
const propertyIds = new Map<string, number>()
beforeAll(async () => {
  opened = await openPipelineWorld()
  platform = await opened.open({}, { onStatement: (text) => void statements.push(text) })
  for (const internalName of ['Name', 'Size', 'Mail', 'Said']) await call('create_property', { internalName, dataType: 'Text' })
  await call('create_property', { internalName: 'Photo', dataType: 'Attachment' })
  await call('create_entity', { internalName: 'Pump', properties: [{ property: 'Name' }, { property: 'Size' }] })
  await call('create_entity', { internalName: 'Part', properties: [{ property: 'Name' }] })
  await call('attach_child_entity', { entity: 'Pump', childEntity: 'Part', isList: true })
  await call('create_entity', { internalName: 'Person', properties: [{ property: 'Mail' }] })
  await call('update_property', { property: 'Mail', isIdentityEmail: true })
  await call('set_entity_identity_bridge', { entity: 'Person', isTenantUserRole: true, identityEmailProperty: 'Mail' })
  await call('create_entity', { internalName: 'Check', properties: [{ property: 'Photo' }, { property: 'Said' }] })
  for (const entity of ['Pump', 'Check']) {
    const { properties } = await call('describe_entity', { entity })
    for (const { propertyInternalName, entityPropertyId } of properties) propertyIds.set(propertyInternalName, entityPropertyId)
  }
  // What is made or read once is made and read.
  for (const [entity, key1] of [
    ['Pump', 'P'],
    ['Part', 'T'],
    ['Person', 'M'],
  ] as const) {
    await call('save_instance', { entity, key1, data: {} })
    await call('delete_instance', { entity, record: key1 })
  }
})
afterAll(() => opened?.close())

const call = (name: string, input: unknown) => opened.call(name, input, { on: platform })

const idOf = (property: string) => propertyIds.get(property) ?? 0

/** Of a call that somebody made. */
const origin = { kind: 'call', depth: 0 }

/** What was told while `work` ran. */
async function tellingOf(work: () => Promise<unknown>): Promise<typeof told> {
  told.length = 0
  await work()
  return [...told]
}

describe('a change of records', () => {
  it('is told once by a save, for all its rows, with what they hold and held', async () => {
    const rows = ['B-1', 'B-2'].map((key1) => ({ key1, data: { Name: key1 } }))
    const { results } = await call('save_instances_bulk', { entity: 'Pump', rows })
    const changed = [
      { key1: 'B-1', data: { Size: 'wide' } },
      { key1: 'B-2', data: { Name: 'B-2' } },
      { key1: 'B-3', data: { Name: 'new' } },
    ]
    const heard = await tellingOf(() => call('save_instances_bulk', { entity: 'Pump', rows: changed }))
    expect(heard).toHaveLength(1)
    expect(heard[0]?.entity).toBe('Pump')
    // The row in which nothing differs is no change.
    expect(heard[0]?.changes).toEqual([
      {
        kind: 'added',
        id: expect.any(Number),
        version: 1,
        before: undefined,
        after: new Map([
          [idOf('Name'), 'new'],
          [idOf('Size'), null],
        ]),
        origin,
      },
      {
        kind: 'modified',
        id: results[0].eiRecordId,
        version: 2,
        before: new Map([
          [idOf('Name'), 'B-1'],
          [idOf('Size'), null],
        ]),
        after: new Map([
          [idOf('Name'), 'B-1'],
          [idOf('Size'), 'wide'],
        ]),
        origin,
      },
    ])
  })

  it('is told by each level of a deletion, and by none that is only tried', async () => {
    const pump = await call('save_instance', { entity: 'Pump', key1: 'D-1', data: { Name: 'gone' } })
    const part = await call('save_instance', { entity: 'Part', key1: 'D-2', parentKey1: 'D-1', data: {} })
    expect(await tellingOf(() => call('delete_instance', { entity: 'Pump', record: 'D-1', dryRun: true }))).toEqual([])
    const heard = await tellingOf(() => call('delete_instance', { entity: 'Pump', record: 'D-1' }))
    const gone = { kind: 'deleted', version: 2, before: undefined, after: undefined, origin }
    expect(heard).toEqual([
      { entity: 'Pump', changes: [{ ...gone, id: pump.eiRecordId }] },
      { entity: 'Part', changes: [{ ...gone, id: part.eiRecordId }] },
    ])
  })

  it('has the person behind a record linked, and let go with it', async () => {
    const { email, tenantUserId } = await call('create_user', { userName: 'ada', displayName: 'Ada', email: 'ada@example.com' })
    const { eiRecordId } = await call('save_instance', { entity: 'Person', key1: 'ada', data: { Mail: email } })
    expect(await call('list_identity_links', { entity: 'Person' })).toMatchObject([{ eiRecordId, tenantUserId }])
    await call('delete_instance', { entity: 'Person', record: 'ada' })
    expect(await call('list_identity_links', { entity: 'Person' })).toEqual([])
  })

  it('tells what caused it: an import as whose job it is, an analysis as which one it is, as deep as what asked for them', async () => {
    const { services } = platform
    const { tenantId } = opened.world.tenant
    const upload = async (fileName: string, content: string) => {
      const stream = Readable.from([Buffer.from(content)])
      return opened.world.call('upload_asset', {}, { upload: { stream, fileName, mimeType: undefined, isTruncated: () => false } })
    }
    const { assetKey } = await upload('pumps.csv', 'key1,Name\nI-1,imported\n')
    const { jobId } = await call('import_instances', { entity: 'Pump', assetKey })
    await opened.world.sql`update platform.job set depth = 3 where tenant_id = ${tenantId} and job_id = ${jobId}`
    const job = await readJobForRun(services, { tenantId, jobId, attempt: 1 })
    if (!job) throw new Error('The import does not run')
    const imported = await tellingOf(() => importRunner.step(services, job, new AbortController().signal))
    expect(imported.map(({ changes }) => changes.map(({ kind, origin }) => ({ kind, origin })))).toEqual([
      [{ kind: 'added', origin: { kind: 'import', id: jobId, depth: 3 } }],
    ])

    await call('set_attachment_analysis', { entity: 'Check', entityPropertyId: idOf('Photo'), ocr: true, targets: { text: 'Said' } })
    const photo = await upload('gate.txt', 'GATE 4')
    const saved = await call('save_instance', { entity: 'Check', key1: 'C-1', data: { Photo: photo.assetKey } })
    await opened.world.sql`update platform.job set depth = 2 where tenant_id = ${tenantId} and job_id = ${saved.jobIds[0]}`
    const [row] = await opened.world.sql<{ run: AnalysisRun }[]>`
      select errand -> 'args' -> 0 as run from platform.outbox where tenant_id = ${tenantId} and errand ->> 'workflow' = 'attachmentRecognition'`
    if (!row) throw new Error('The save queued no analysis')
    const { run } = row
    await inSystemTransaction(services, tenantId, (context) => startAnalysis(context, run))
    const ocr = { text: 'GATE 4', words: [], language: 'eng', confidence: 90 }
    await keepFindings(services, run, { state: 'done', ocr, durationMs: 1 })
    const written = await tellingOf(() => createAnalysisActivities({ services }).saveRecognition(run))
    expect(written.map(({ changes }) => changes.map(({ kind, origin }) => ({ kind, origin })))).toEqual([
      [{ kind: 'modified', origin: { kind: 'analysis', id: run.analysisId, depth: 2 } }],
    ])
  })
})

describe('what a change costs', () => {
  const statementsOf = async (name: string, input: unknown) => {
    statements = []
    await call(name, input)
    return statements.length
  }
  const pump = (key1: string, data: object) => statementsOf('save_instance', { entity: 'Pump', key1, data })

  it('is one row of the log, and no statement more, where nobody acts on it', async () => {
    expect(await pump('S-1', { Name: 'a', Size: 'b' })).toBe(14)
    // The values that stay have to be read, to be hashed.
    expect(await pump('S-1', { Name: 'c' })).toBe(17)
    const read = () => statements.filter((text) => /as document from "t_\d+"\."e_\d+" e where e\.id = any/.test(text)).length
    expect(read()).toBe(1)
    // With all values named, what the record held is nobody's business.
    expect(await pump('S-1', { Name: 'd', Size: 'e' })).toBe(14)
    expect(read()).toBe(0)
    expect(await statementsOf('save_instance', { entity: 'Part', key1: 'S-2', parentKey1: 'S-1', data: { Name: 'x' } })).toBe(21)
    expect(await statementsOf('delete_instance', { entity: 'Pump', record: 'S-1' })).toBe(26)
    expect(read()).toBe(0)
  })

  it('is one statement where a person is linked, and none for a bulk’s further rows', async () => {
    expect(await statementsOf('save_instance', { entity: 'Person', key1: 'L-1', data: { Mail: 'l1@example.com' } })).toBe(15)
    const rows = Array.from({ length: 40 }, (_, index) => ({ key1: `L-${index + 2}`, data: { Mail: `l${index + 2}@example.com` } }))
    expect(await statementsOf('save_instances_bulk', { entity: 'Person', rows })).toBe(15)
  })
})
