/** Idempotency keys: one effect for one key, whatever is called beside it, and no secret twice. */
import { createHash } from 'node:crypto'

import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'
import { readIdempotencyKey } from '#platform/idempotency.ts'
import { fingerprintOf } from '#platform/idempotency.ts'
import type { Platform } from '#platform/platform.ts'

import { gate, openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'
import { refused } from './support/refused.ts'
import { steps } from './support/test-operations.ts'
import type { World } from './support/world.ts'

let opened: PipelineWorld
let world: World
let platform: Platform
let other: Platform
let open: PipelineWorld['open']
let call: PipelineWorld['call']
let effects: PipelineWorld['effects']
beforeAll(async () => {
  opened = await openPipelineWorld()
  ;({ world, platform, other, open, call, effects } = opened)
})
afterAll(() => opened?.close())
afterEach(() => steps.clear())

describe('idempotency keys', () => {
  it('answer the first answer again without doing anything, and refuse another body', async () => {
    const [label, idempotencyKey] = ['replay', randomUUID()]
    const first = await call('write_twice', { label }, { idempotencyKey })
    expect(await call('write_twice', { label }, { idempotencyKey })).toEqual(first)
    expect(await call('write_twice', { label }, { idempotencyKey, on: other })).toEqual(first)
    expect(await effects(label)).toBe(2)
    await expect(call('write_twice', { label: 'another' }, { idempotencyKey })).rejects.toMatchObject(
      refused('idempotency_conflict', /another body/),
    )
    expect(await effects('another')).toBe(0)
    const [row] =
      await world.sql`select count(*)::int as count from platform.audit_event where operation = 'write_twice' and outcome = 'done'`
    expect(row?.['count']).toBe(1)
  })

  it('belong to a credential and an operation', async () => {
    const [label, idempotencyKey] = ['scope', randomUUID()]
    await call('write_twice', { label }, { idempotencyKey })
    await call('write_twice', { label }, { idempotencyKey, key: await world.tenant.keyWith(['DataEdit']) })
    await call('write_staged', { label }, { idempotencyKey })
    expect(await effects(label)).toBe(6)
  })

  it.each(['write_twice', 'write_staged'])('have exactly one effect in twenty calls of %s at once', async (name) => {
    const [label, idempotencyKey] = [`rush ${name}`, randomUUID()]
    const attempt = async (on: Platform): Promise<unknown> => {
      for (;;) {
        const answer = await call(name, { label }, { idempotencyKey, on }).catch((error: unknown) => error)
        if (!(answer instanceof AppError)) return answer
        expect(answer).toMatchObject({ code: 'idempotency_in_progress', retryAfterSeconds: 1 })
      }
    }
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => attempt(n % 2 ? platform : other)))
    expect(answers).toHaveLength(20)
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await effects(label)).toBe(2)
  })

  it.each(['write_twice', 'write_staged'])('are 409 at once while the first %s still runs', async (name) => {
    const [label, idempotencyKey] = [`busy ${name}`, randomUUID()]
    const { reached, reach, opened, open: letGo } = gate()
    steps.set(label, async () => {
      reach()
      await opened
    })
    const first = call(name, { label }, { idempotencyKey })
    await reached
    for (const on of [platform, other]) {
      // It is answered before the first is let go: it did not wait for that.
      await expect(call(name, { label }, { idempotencyKey, on })).rejects.toMatchObject({
        code: 'idempotency_in_progress',
        retryAfterSeconds: 1,
      })
    }
    letGo()
    const answer = await first
    expect(await call(name, { label }, { idempotencyKey })).toEqual(answer)
    expect(await effects(label)).toBe(2)
  })

  it.each(['write_twice', 'write_staged'])('are free again after a %s that failed', async (name) => {
    const [label, idempotencyKey] = [`failed ${name}`, randomUUID()]
    steps.set(label, () => {
      throw new AppError('conflict', 'Not this time.')
    })
    await expect(call(name, { label }, { idempotencyKey })).rejects.toMatchObject(refused('conflict'))
    steps.delete(label)
    const before = await effects(label)
    expect(before).toBe(name === 'write_twice' ? 0 : 1)
    const answer = await call(name, { label }, { idempotencyKey })
    expect(await call(name, { label }, { idempotencyKey })).toEqual(answer)
    expect(await effects(label)).toBe(before + 2)
  })

  it('of a staged call whose process died are free after two minutes', async () => {
    const [label, idempotencyKey] = ['died', randomUUID()]
    const { reached, reach } = gate()
    steps.set(label, async () => {
      reach()
      await new Promise<void>(() => {})
    })
    const dying = await open({ SHUTDOWN_SECONDS: '1' })
    call('write_staged', { label }, { idempotencyKey, on: dying }).catch(() => {})
    await reached
    steps.delete(label)
    await expect(call('write_staged', { label }, { idempotencyKey })).rejects.toMatchObject(refused('idempotency_in_progress'))
    await world.sql`update platform.idempotency_key set claimed_at = claimed_at - interval '121 seconds' where key = ${idempotencyKey}`
    expect(await call('write_staged', { label }, { idempotencyKey })).toMatchObject({ attempt: 1 })
  })

  it('of a call that showed a secret answer 409 with the id of what it made', async () => {
    const idempotencyKey = randomUUID()
    const { apiKeyId, apiKey } = await call('create_api_key', { name: 'secret', roles: [] }, { idempotencyKey })
    const error: AppError = await call('create_api_key', { name: 'secret', roles: [] }, { idempotencyKey }).catch(
      (thrown: AppError) => thrown,
    )
    expect(error).toMatchObject(refused('idempotency_conflict', new RegExp(`apiKeyId ${apiKeyId}\\b`)))
    const kept = await world.sql`select answer, secret_of from platform.idempotency_key where key = ${idempotencyKey}`
    expect(kept).toEqual([{ answer: null, secretOf: `apiKeyId ${apiKeyId}` }])
    expect(JSON.stringify(error)).not.toContain(apiKey)
  })

  it('do not answer whoever has lost the role meanwhile', async () => {
    const idempotencyKey = randomUUID()
    const { apiKey: key, apiKeyId } = await call('create_api_key', { name: 'demoted', roles: ['DataEdit'] })
    await call('write_twice', { label: 'demoted' }, { idempotencyKey, key })
    await call('update_api_key', { apiKeyId, roles: [] })
    await expect(call('write_twice', { label: 'demoted' }, { idempotencyKey, key })).rejects.toMatchObject(refused('forbidden'))
  })

  it('are forgotten after a day', async () => {
    const [label, idempotencyKey] = ['a day', randomUUID()]
    await call('write_twice', { label }, { idempotencyKey })
    await world.sql`update platform.idempotency_key set expires_at = now() - interval '1 second' where key = ${idempotencyKey}`
    await call('write_twice', { label }, { idempotencyKey })
    expect(await effects(label)).toBe(4)
  })

  it('cover the bytes, the name and the type of a file: another file under the same key is another body', async () => {
    const idempotencyKey = randomUUID()
    const upload = (text: string, more: { fileName?: string; mimeType?: string } = {}) =>
      world.call(
        'upload_asset',
        {},
        {
          idempotencyKey,
          upload: {
            stream: Readable.from([Buffer.from(text)]),
            fileName: 'a.txt',
            mimeType: 'text/plain',
            isTruncated: () => false,
            ...more,
          },
        },
      )
    const first = await upload('one')
    expect(await upload('one')).toEqual(first)
    for (const [bytes, more] of [
      ['two', {}],
      ['one and more', {}],
      ['one', { fileName: 'b.txt' }],
      ['one', { mimeType: 'text/csv' }],
    ] as const)
      await expect(upload(bytes, more)).rejects.toMatchObject(refused('idempotency_conflict', /another body/))
    expect(await upload('one')).toEqual(first)
    expect(await world.call('list_assets', { search: 'a.txt' })).toHaveLength(1)
  })

  it('are read the same on every transport: 1 to 200 printable characters', () => {
    for (const key of ['', 'x'.repeat(201), 'ñ', 'a\nb', 7, null])
      expect(() => readIdempotencyKey(key, '$.key')).toThrowError(
        expect.objectContaining({ code: 'invalid_input', issues: [expect.objectContaining({ path: '$.key' })] }),
      )
    expect(readIdempotencyKey(undefined, '$.key')).toBeUndefined()
    expect(readIdempotencyKey('x'.repeat(200), '$.key')).toHaveLength(200)
  })
})

describe('the fingerprint of an input', () => {
  it('is the same for the same fields in another order, however large the input is', async () => {
    const row = (index: number) => ({ key1: `K${index}`, data: { b: [1, null, 'ä'], a: { d: true, c: index } } })
    const turned = (index: number) => ({ data: { a: { c: index, d: true }, b: [1, null, 'ä'] }, key1: `K${index}` })
    for (const count of [1, 5_000]) {
      const rows = Array.from({ length: count }, (_, index) => index)
      const fingerprint = await fingerprintOf({ rows: rows.map(row), mode: undefined, entity: 'Job' })
      expect(await fingerprintOf({ entity: 'Job', rows: rows.map(turned) })).toEqual(fingerprint)
      const text = JSON.stringify({
        entity: 'Job',
        rows: rows.map((index) => ({ data: { a: { c: index, d: true }, b: [1, null, 'ä'] }, key1: `K${index}` })),
      })
      expect(fingerprint).toEqual(createHash('sha256').update(text).digest())
      expect(await fingerprintOf({ entity: 'Job', rows: [...rows.map(row), {}] })).not.toEqual(fingerprint)
    }
  })
})
