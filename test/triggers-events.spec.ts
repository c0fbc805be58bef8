/** Triggers on forms, files, messages and ends of runs and jobs. */
import { Readable } from 'node:stream'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createAnalysisActivities } from '#activities/recognition.ts'
import type { AnalysisRun } from '#platform/shapes/recognition.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { importRunner } from '#tools/instances/service.ts'
import { keepFindings, startAnalysis } from '#tools/intelligence/service.ts'
import { readJobForRun } from '#tools/jobs/service.ts'

import { newPhone } from './support/messaging.ts'
import { openTriggers, type TriggerWorld } from './support/triggers.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
let of: TriggerWorld
let channelKey: string

beforeAll(async () => {
  of = openTriggers(world)
  await call('create_property', { internalName: 'Title', dataType: 'Text' })
  await call('create_property', { internalName: 'Photo', dataType: 'Attachment' })
  await call('create_property', { internalName: 'Photos', dataType: 'Attachment' })
  for (const internalName of ['Visit', 'Site'])
    await call('create_entity', {
      internalName,
      properties: [{ property: 'Title' }, { property: 'Photo' }, { property: 'Photos', isList: true }],
    })
  ;({ channelKey } = await call('create_channel', { internalName: 'Box', channel: 'sms', provider: 'sandbox', settings: {} }))
})
afterAll(() => of?.stop())

async function upload(fileName: string, content = fileName): Promise<string> {
  const stream = Readable.from([Buffer.from(content)])
  const { assetKey } = await call('upload_asset', {}, { upload: { stream, fileName, mimeType: undefined, isTruncated: () => false } })
  return assetKey
}

describe('a form that was submitted', () => {
  it('starts the runs that wait for that form, with what its record holds', async () => {
    for (const internalName of ['Report', 'Other']) {
      const sections = [{ type: 'detail', name: 'all', fields: [{ property: 'Title' }] }]
      await call('create_form', { entity: 'Visit', internalName, isShared: true, layoutJson: { sections } })
    }
    const [mine, others, filtered] = [
      await of.publish([{ triggerType: 'formSubmitted', config: { form: 'Report' } }], { entity: 'Visit' }),
      await of.publish([{ triggerType: 'formSubmitted', config: { form: 'Other' } }]),
      await of.publish(
        [
          {
            triggerType: 'formSubmitted',
            config: { form: 'Report' },
            filter: [{ property: 'Title', op: 'eq', value: 'none' }],
          },
        ],
        { entity: 'Visit' },
      ),
    ]
    const { eiRecordId } = await call('create_form_record', { form: 'Report', values: { Title: 'Gate' } })
    await of.drain()
    expect(await of.runs(mine)).toMatchObject([{ eiRecordId }])
    const by = world.tenant.tenantUserId
    expect(await of.triggers(mine)).toEqual([{ eiRecordId, form: 'Report', values: { Title: 'Gate', Photo: null, Photos: null }, by }])
    expect([await of.runs(others), await of.runs(filtered)]).toEqual([[], []])
  })
})

describe('a file that was saved', () => {
  it('starts a run for each file that was not there before', async () => {
    const workflow = await of.publish(
      [{ triggerType: 'attachmentSaved', config: { entity: 'Visit', property: 'Photos', when: 'saved' } }],
      { entity: 'Visit' },
    )
    const [a, b, c] = [await upload('a.txt'), await upload('b.txt'), await upload('c.txt')]
    const { eiRecordId } = await call('save_instance', { entity: 'Visit', key1: 'V-1', data: { Photos: [a, b] } })
    await call('save_instance', { entity: 'Visit', key1: 'V-1', data: { Title: 'no file' } })
    await call('save_instance', { entity: 'Visit', key1: 'V-1', data: { Photos: [b, c] } })
    await of.drain()
    expect(await of.triggers(workflow)).toEqual([a, b, c].map((assetKey) => ({ eiRecordId, assetKey, analysis: null })))
  })

  it('starts one when its analysis is done, with what was found', async () => {
    const { services } = world.platform
    const { tenantId } = world.tenant
    await call('set_attachment_analysis', { entity: 'Site', entityPropertyId: 'Photo', ocr: true, targets: { text: 'Title' } })
    const workflow = await of.publish(
      [
        {
          triggerType: 'attachmentSaved',
          config: { entity: 'Site', property: 'Photo', when: 'analysed' },
          filter: [{ property: '$trigger.analysis.ocr.text', op: 'contains', value: 'gate' }],
        },
      ],
      { entity: 'Site' },
    )
    const assetKey = await upload('gate.txt')
    const { eiRecordId } = await call('save_instance', { entity: 'Site', key1: 'S-1', data: { Photo: assetKey } })
    const [row] = await world.sql<{ run: AnalysisRun }[]>`
      select errand -> 'args' -> 0 as run from platform.outbox where tenant_id = ${tenantId} and errand ->> 'workflow' = 'attachmentRecognition'`
    if (!row) throw new Error('The save queued no analysis')
    await inSystemTransaction(services, tenantId, (context) => startAnalysis(context, row.run))
    await keepFindings(services, row.run, {
      state: 'done',
      ocr: { text: 'GATE 4', words: [], language: 'eng', confidence: 90 },
      durationMs: 1,
    })
    await of.drain()
    expect(await of.runs(workflow)).toEqual([])
    await createAnalysisActivities({ services }).saveRecognition(row.run)
    await of.drain()
    expect(await of.triggers(workflow)).toMatchObject([{ eiRecordId, assetKey, analysis: { state: 'done', ocr: { text: 'GATE 4' } } }])
    expect(await of.runs(workflow)).toMatchObject([{ eiRecordId }])
  })
})

describe('a message that came in', () => {
  const say = (from: string, text: string) =>
    call(
      'receive_channel_webhook',
      { channelKey },
      { raw: { body: Buffer.from(JSON.stringify({ kind: 'message', from, text })), headers: {}, url: '/' } },
    )
  const on = (config: object) => of.publish([{ triggerType: 'messageReceived', config }])

  it('starts a run by its first word or by a pattern, outside of conversations unless told', async () => {
    const [word, pattern, any, other, box] = [
      await on({ keyword: 'Report' }),
      await on({ matches: '^[0-9]{3}$' }),
      await on({ channel: 'sms', onlyOutsideConversations: false }),
      await on({ channel: 'whatsapp', onlyOutsideConversations: false }),
      await on({ channel: 'box', onlyOutsideConversations: false }),
    ]
    const [one, two] = [newPhone(), newPhone()]
    await say(one, 'report, gate 4')
    await say(one, 'reports')
    await say(two, '123')
    await call('send_message', { to: { phone: two }, text: 'Which one?' })
    await say(two, '456')
    await say(two, 'STOP')
    await of.drain()
    expect(await of.triggers(word)).toMatchObject([
      { from: one, text: 'report, gate 4', assetKeys: [], conversationId: expect.any(Number) },
    ])
    expect(await of.triggers(pattern)).toMatchObject([{ from: two, text: '123' }])
    expect((await of.triggers(any)).map(({ text }) => text)).toEqual(['report, gate 4', 'reports', '123', '456'])
    expect((await of.triggers(box)).map(({ text }) => text)).toEqual(['report, gate 4', 'reports', '123', '456'])
    expect(await of.runs(other)).toEqual([])
  })
})

describe('a pattern of messages', () => {
  it('that cannot be matched is told before it is published', async () => {
    const displays = [{ languageCode: 'en-US', name: 'P' }]
    const steps = [{ internalName: 'look', stepType: 'approval', config: { question: 'Is it so?' } }]
    const triggers = [{ triggerType: 'messageReceived', config: { matches: '(?<=x)y' } }]
    const { issues } = await call('import_workflow', { internalName: 'Lookbehind', displays, steps, triggers })
    expect(issues.map(({ path }: { path: string }) => path)).toContain('$.triggers[0].config.matches')
  })
})

describe('an import that ended', () => {
  it('starts the runs that wait for its state, with its result', async () => {
    const { services } = world.platform
    const { tenantId } = world.tenant
    const on = (config: object) => of.publish([{ triggerType: 'runCompleted', config }])
    const roles = ['DataView', 'DataImport']
    const [done, failed, quiet] = [
      await of.publish([{ triggerType: 'runCompleted', config: { of: 'import', states: ['succeeded', 'partly'] } }], { roles }),
      await on({ of: 'import', states: ['failed'] }),
      await of.publish([{ triggerType: 'recordCreated', config: { entity: 'Site' } }], { entity: 'Site' }),
    ]
    const assetKey = await upload('sites.csv', 'key1,Title\nI-1,imported\n')
    for (const fireTriggers of [false, true]) {
      const { jobId } = await call('import_instances', { entity: 'Site', assetKey, importMode: 'overwrite', fireTriggers })
      for (;;) {
        const job = await readJobForRun(services, { tenantId, jobId, attempt: 1 })
        if (!job) break
        await importRunner.step(services, job, new AbortController().signal)
      }
    }
    await of.drain()
    expect(await of.triggers(done)).toMatchObject([
      { state: 'succeeded', result: { inserted: 1 }, id: expect.any(Number) },
      { state: 'succeeded', result: { skipped: 1 } },
    ])
    expect(await of.runs(failed)).toEqual([])
    expect(await of.runs(quiet)).toEqual([])
  })
})

describe('a run that ended', () => {
  it('starts the runs that wait for its workflow and its state, with what it brought, and never its own', async () => {
    const source = await of.publish([{ triggerType: 'runCompleted', config: { of: 'workflow' } }])
    const on = (config: object) => of.publish([{ triggerType: 'runCompleted', config: { of: 'workflow', ...config } }])
    const done = await on({ name: source, states: ['completed'] })
    const failed = await on({ name: source, states: ['failed'] })
    const others = await on({ name: failed })
    const { workflowInstanceId: id } = await call('start_workflow', { workflow: source })
    await world.sql`update platform.workflow_run set output = '{"saved": 3}' where run_id = ${id}`
    await of.end(id)
    await of.drain()
    expect(await of.triggers(done)).toEqual([{ id, state: 'completed', result: { saved: 3 } }])
    expect([await of.runs(failed), await of.runs(others)]).toEqual([[], []])
    expect(await of.runs(source)).toHaveLength(1)
  })
})

describe('a trigger by hand', () => {
  it('asks whoever starts it for its inputs', async () => {
    const input = [{ name: 'reason', dataType: 'Text', isRequired: true }]
    const workflow = await of.publish([{ triggerType: 'manual', config: { input } }])
    expect(await world.refusal('start_workflow', { workflow })).toMatchObject({ issues: [{ path: '$.input.reason' }] })
    const { workflowInstanceId } = await call('start_workflow', { workflow, input: { reason: 'cold' } })
    expect(await of.log(workflowInstanceId)).toMatchObject([{ event: 'started', input: { reason: 'cold' } }])
  })
})
