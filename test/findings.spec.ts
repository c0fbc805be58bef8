/** Findings are one thing wherever they are told: made by one function, shown in one shape, and coded by what travels in them. */
import { Readable } from 'node:stream'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { AppError, type Issue, toProblem } from '#platform/errors.ts'
import { finding, toIssue, verdictOf } from '#platform/findings.ts'
import { envelope } from '#platform/validation.ts'
import { importRunner } from '#tools/instances/service.ts'
import { readJobForRun } from '#tools/jobs/service.ts'
import { unknownProperty } from '#tools/query/service.ts'

import { openWorld, type World } from './support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await world.call('create_property', { internalName: 'Title', dataType: 'Text' })
  await world.call('create_property', { internalName: 'Size', dataType: 'Number' })
  await world.call('create_entity', { internalName: 'Note', properties: [{ property: 'Title' }, { property: 'Size' }] })
})
afterAll(() => world?.close())

const misnamed = { entity: 'Note', key1: 'N', data: { Titel: 'x' } }

async function issuesOf(name: string, input: unknown): Promise<readonly Issue[]> {
  const problem = toProblem(await world.call(name, input).catch((error: unknown) => error), 'r')
  return problem.issues ?? []
}

async function imported(): Promise<readonly Issue[]> {
  const stream = Readable.from([Buffer.from('key1,Size\nN,wide\n')])
  const upload = { stream, fileName: 'notes.csv', mimeType: undefined, isTruncated: () => false }
  const { assetKey } = await world.call('upload_asset', {}, { upload })
  const { jobId } = await world.call('import_instances', { entity: 'Note', assetKey })
  const job = await readJobForRun(world.platform.services, { tenantId: world.tenant.tenantId, jobId, attempt: 1 })
  if (!job) throw new Error('The import does not run')
  await importRunner.step(world.platform.services, job, new AbortController().signal)
  return (await world.call('get_job', { jobId })).result.errors
}

describe('a finding', () => {
  it.each([
    ['an error of one save', () => issuesOf('save_instance', misnamed), {}],
    ['a query', () => issuesOf('list_instances', { entity: 'Note', sort: [{ property: 'Titel' }] }), {}],
    [
      'a row of a bulk',
      async () => (await world.call('save_instances_bulk', { entity: 'Note', rows: [misnamed.data] })).results[0].errors,
      {},
    ],
    [
      'a row of a bulk whose data do not fit',
      async () =>
        (await world.call('save_instances_bulk', { entity: 'Note', rows: [{ key1: 'N', data: misnamed.data }] })).results[0].errors,
      {},
    ],
    [
      'a key of a bulk deletion',
      async () => (await world.call('delete_instances_bulk', { entity: 'Note', keys: [{ key1: 'none' }] })).results[0].errors,
      {},
    ],
    [
      'the envelope of a validation',
      async () => (await world.call('validate_entity', { internalName: 'Other', properties: [{ property: 'Titel' }] })).issues,
      {},
    ],
    ['a row of an import', imported, { row: 1, line: 2 }],
  ])('is told by %s in the one shape of the wire', async (_, told, more) => {
    const issues = await told()
    expect(issues.length).toBeGreaterThan(0)
    for (const { suggestion, ...issue } of issues) {
      expect(issue).toEqual({ path: expect.stringMatching(/^\$/), severity: 'error', message: expect.any(String), ...more })
      expect(['string', 'undefined']).toContain(typeof suggestion)
    }
  })

  it('keeps its code when it is copied, and shows it nowhere but as that of the error', () => {
    const absent = unknownProperty('Note', 'Titel', ['Title'], '$.data.Titel')
    const moved = { ...absent, path: '$.rows[3].data.Titel' }
    expect(verdictOf([moved, structuredClone(absent)])).toEqual({ code: 'unknown_property', first: moved })
    const wire = { path: moved.path, severity: 'error', message: absent.message, suggestion: 'Title' }
    expect(toIssue(moved)).toEqual(wire)
    expect(new AppError('unknown_property', 'No.', { issues: [moved] }).issues).toEqual([wire])
    expect(envelope([moved]).issues).toEqual([wire])
  })

  it('of a value that does not fit comes before that of a name that is not there', () => {
    const absent = unknownProperty('Note', 'Titel', ['Title'], '$.data.Titel')
    const unfit = finding('$.data.Size', 'Expected number.')
    expect(verdictOf([absent, unfit])).toEqual({ code: 'invalid_input', first: unfit })
    expect(verdictOf([finding('$', 'Look at it.', { severity: 'warning' })]).first).toBeUndefined()
  })
})
