/** Webhooks that start runs: who is let in, what a replay does, and what the sender is told. */
import { createHmac } from 'node:crypto'

import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { isBytesAnswer } from '#platform/answer.ts'
import type { AppError } from '#platform/errors.ts'

import { openTriggers, type TriggerWorld } from './support/triggers.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
let of: TriggerWorld
beforeAll(() => {
  of = openTriggers(world)
})
afterAll(() => of?.stop())

type Headers = Readonly<Record<string, string>>

/** A published workflow with one webhook, and how it is called. */
async function webhook(config: object, more: object = {}) {
  const workflow = await of.publish([])
  const { triggers } = await call('set_workflow_triggers', { workflow, triggers: [{ triggerType: 'webhookReceived', config, ...more }] })
  await call('publish_workflow', { workflow })
  const [{ triggerKey, secret }] = triggers
  const send = (text: string, headers: Headers = {}) =>
    world.run(
      'receive_workflow_webhook',
      { triggerKey },
      { raw: { body: Buffer.from(text), headers: { 'content-type': 'application/json', ...headers }, url: '/' } },
    )
  return {
    workflow,
    secret: String(secret),
    /** What the sender gets: the status, and the body. */
    async post(text: string, headers: Headers = {}) {
      const answer = await send(text, headers)
      // oxlint-disable-next-line typescript/no-explicit-any -- what the wire shows
      const shown = (body: unknown): any => JSON.parse(typeof body === 'string' ? body : JSON.stringify(body))
      return isBytesAnswer(answer) ? { status: answer.status, ...shown(answer.body) } : { status: 200, ...shown(answer) }
    },
    refusal: (text: string, headers: Headers = {}): Promise<AppError> =>
      send(text, headers).then(
        () => {
          throw new Error('It was not refused')
        },
        (error: AppError) => error,
      ),
  }
}

const json = (value: unknown) => JSON.stringify(value)

describe('a webhook by Standard Webhooks', () => {
  const signed = (secret: string, text: string, id: string, at = new Date()): Headers => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, text),
  })

  it('starts a run with its body and headers, once for each id, and refuses what is altered, late or unsigned', async () => {
    const { workflow, secret, post, refusal } = await webhook({ scheme: 'standardWebhooks' })
    const text = json({ order: 7 })
    const headers = signed(secret, text, 'msg_1')
    const first = await post(text, { ...headers, authorization: 'Bearer hush' })
    expect(first).toEqual({ status: 202, workflowInstanceId: expect.any(Number), state: 'queued' })
    expect(await of.triggers(workflow)).toEqual([
      {
        body: { order: 7 },
        headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1', 'webhook-timestamp': headers['webhook-timestamp'] },
      },
    ])
    expect(await post(text, headers)).toEqual({ ...first, status: 200 })
    expect(await of.runs(workflow)).toHaveLength(1)
    const late = new Date(Date.now() - 301_000)
    const wrong = [
      await refusal(json({ order: 8 }), headers),
      await refusal(text, signed(secret, text, 'msg_2', late)),
      await refusal(text, { ...headers, 'webhook-id': 'msg_3' }),
      await refusal(text),
    ]
    expect(wrong.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'unauthenticated'))
    // A rotated secret stands beside the new one among the signatures of a sender.
    const both = { ...signed(secret, text, 'msg_4') }
    expect(await post(text, { ...both, 'webhook-signature': `v1,${'A'.repeat(44)} ${both['webhook-signature']}` })).toMatchObject({
      status: 202,
    })
    expect(await of.runs(workflow)).toHaveLength(2)
  })

  it('of two at once with one id starts one', async () => {
    const { workflow, secret, post } = await webhook({ scheme: 'standardWebhooks' })
    const headers = signed(secret, '{}', 'msg_5')
    const answers = await Promise.all(Array.from({ length: 4 }, () => post('{}', headers)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 202])
    expect(new Set(answers.map(({ workflowInstanceId }) => workflowInstanceId)).size).toBe(1)
    expect(await of.runs(workflow)).toHaveLength(1)
  })

  it('is called at the address of its own kind alone: that of a workflow, or that of an install', async () => {
    const key = 'a-secret-of-the-owner'
    const { post } = await webhook({ scheme: 'header', name: 'X-Token', secret: key })
    expect((await post(json({}), { 'x-token': key })).status).toBe(202)
    const trigger = { internalName: 'in', triggerType: 'webhookReceived', config: { scheme: 'header', name: 'X-Token', secret: key } }
    const steps = [{ internalName: 'over', stepType: 'end', config: { state: 'completed' } }]
    const displays = [{ languageCode: 'en-US', name: 'Hooked' }]
    await call('create_action_pack', { internalName: 'hooked', version: '1.0.0', displays, roles: [], triggers: [trigger], steps })
    const { installId, triggers } = await call('install_action_pack', { actionPack: 'hooked', settings: {} })
    const raw = { body: Buffer.from('{}'), headers: { 'content-type': 'application/json', 'x-token': key }, url: '/' }
    const [{ triggerKey }] = triggers
    const workflow = await of.publish([])
    const { triggers: own } = await call('set_workflow_triggers', { workflow, triggers: [trigger] })
    await call('publish_workflow', { workflow })
    const refused = (operation: string, of: { triggerKey: string }) =>
      world.run(operation, of, { raw }).catch((error: AppError) => error.code)
    expect(await refused('receive_workflow_webhook', { triggerKey })).toBe('not_found')
    expect(await refused('receive_action_webhook', { triggerKey: own[0].triggerKey })).toBe('not_found')
    expect(isBytesAnswer(await world.run('receive_action_webhook', { triggerKey }, { raw }))).toBe(true)
    await call('toggle_action_pack_install', { installId, isEnabled: false })
    await expect(world.run('receive_action_webhook', { triggerKey }, { raw })).rejects.toThrow('toggle_action_pack_install resumes it')
  })

  it('is a conflict while the triggers are switched off, and not there once it was deleted', async () => {
    const { workflow, secret, refusal } = await webhook({ scheme: 'standardWebhooks' })
    await call('toggle_workflow', { workflow, isEnabled: false })
    expect(await refusal('{}', signed(secret, '{}', 'a'))).toMatchObject({ code: 'conflict' })
    expect(await refusal('{}')).toMatchObject({ code: 'unauthenticated' })
    await call('delete_workflow', { workflow })
    expect(await refusal('{}', signed(secret, '{}', 'b'))).toMatchObject({ code: 'not_found' })
  })
})

describe('a webhook by a header or an HMAC', () => {
  const secret = 'a-secret-of-the-owner'

  it('is let in by the secret in its header, which no run holds', async () => {
    const { workflow, post, refusal } = await webhook({ scheme: 'header', name: 'X-Token', secret, idHeader: 'X-Id' })
    expect(await refusal('a', { 'x-token': 'another-secret-of-them' })).toMatchObject({ code: 'unauthenticated' })
    expect(await post('plain text', { 'content-type': 'text/plain', 'x-token': secret, 'x-id': '1' })).toMatchObject({ status: 202 })
    expect(
      await post('a=1&b=two', { 'content-type': 'application/x-www-form-urlencoded', 'x-token': secret, 'idempotency-key': 'k' }),
    ).toMatchObject({
      status: 202,
    })
    expect(await post('a=1', { 'x-token': secret, 'idempotency-key': 'k' }).catch((error: AppError) => error)).toMatchObject({
      code: 'invalid_json',
    })
    expect(await post('{}', { 'x-token': secret, 'idempotency-key': 'k' })).toMatchObject({ status: 200 })
    // Without a name each delivery counts.
    await post('{}', { 'x-token': secret })
    await post('{}', { 'x-token': secret })
    const told = await of.triggers(workflow)
    expect(told.map(({ body }) => body)).toEqual(['plain text', { a: '1', b: 'two' }, {}, {}])
    expect(json(told)).not.toContain(secret)
    // A day later the name is free.
    await world.sql`update platform.trigger_delivery set at = at - interval '25 hours'`
    expect(await post('{}', { 'x-token': secret, 'x-id': '1' })).toMatchObject({ status: 202 })
  })

  it.each([
    { algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' },
    { algorithm: 'sha1', encoding: 'base64' },
  ] as const)('is let in by an HMAC of its bytes: $algorithm, $encoding', async ({ algorithm, encoding, ...more }) => {
    const { post, refusal } = await webhook({ scheme: 'hmac', header: 'X-Signature', algorithm, encoding, ...more, secret })
    const text = '{ "spaced":  1 }'
    const prefix = 'prefix' in more ? more.prefix : ''
    const sign = (of: string) => `${prefix}${createHmac(algorithm, secret).update(of).digest(encoding)}`
    expect(await post(text, { 'x-signature': sign(text) })).toMatchObject({ status: 202 })
    expect(await refusal(text, { 'x-signature': sign('{"spaced":1}') })).toMatchObject({ code: 'unauthenticated' })
  })

  it('that is too large for a run is refused with how much fits', async () => {
    const { refusal } = await webhook({ scheme: 'header', name: 'X-Token', secret })
    expect(await refusal(json('x'.repeat(300_000)), { 'x-token': secret })).toMatchObject({ code: 'too_large' })
  })
})

describe('a webhook that responds with its result', () => {
  const secret = 'a-secret-of-the-owner'

  it('waits for the run, and tells what it brought or that it failed', async () => {
    const { workflow, post } = await webhook({ scheme: 'header', name: 'X-Token', secret, respond: 'result' })
    const waiting = post('{}', { 'x-token': secret, 'idempotency-key': 'one' })
    await expect.poll(async () => (await of.runs(workflow)).length).toBe(1)
    const [run] = await of.runs(workflow)
    await world.sql`update platform.workflow_run set output = '{"saved": 3}' where run_id = ${run.workflowInstanceId}`
    await of.end(run.workflowInstanceId)
    const told = { status: 200, workflowInstanceId: run.workflowInstanceId, state: 'completed', result: { saved: 3 } }
    expect(await waiting).toEqual(told)
    expect(await post('{}', { 'x-token': secret, 'idempotency-key': 'one' })).toEqual(told)
  })

  it('answers 202 after ten seconds', async () => {
    const { post } = await webhook({ scheme: 'header', name: 'X-Token', secret, respond: 'result' })
    expect(await post('{}', { 'x-token': secret })).toMatchObject({ status: 202, state: 'queued' })
  })

  it('starts nothing where its filter does not hold', async () => {
    const filter = [{ property: '$trigger.body.kind', op: 'eq', value: 'order' }]
    const { workflow, post } = await webhook({ scheme: 'header', name: 'X-Token', secret }, { filter })
    expect(await post(json({ kind: 'other' }), { 'x-token': secret })).toMatchObject({ workflowInstanceId: null, state: null })
    expect(await post(json({ kind: 'order' }), { 'x-token': secret })).toMatchObject({ status: 202 })
    expect(await of.runs(workflow)).toHaveLength(1)
  })
})
