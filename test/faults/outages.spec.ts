import { afterAll, beforeAll, expect, it } from 'vitest'

import { connect, type DayClient } from '../day/client.ts'
import { openStack, type Stack } from '../day/stack.ts'
import { awaitJob } from '../day/steps.ts'

let stack: Stack
let client: DayClient

const postgres = /bin\/postgres|postgres .*-D|postgres: /
const temporal = /temporal.*start-dev/

beforeAll(async () => {
  stack = await openStack()
  await stack.ready()
  client = await connect(stack.url, stack.key)
  await client.tool('import_catalog', {
    properties: [{ internalName: 'Note', dataType: 'Text' }],
    entities: [{ internalName: 'Log', properties: [{ property: 'Note' }] }],
  })
  await client.tool('save_instance', { entity: 'Log', key1: 'before', data: { Note: 'x' } })
})

afterAll(async () => {
  await client?.close()
  await stack.stop()
})

async function rest(path: string, body: unknown, limitMs: number): Promise<{ status: number; body: { code?: string } }> {
  const response = await fetch(stack.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(limitMs),
  })
  return { status: response.status, body: (await response.json()) as { code?: string } }
}

it('goes on saving and talking while Temporal stands still, and carries the job out afterwards', { timeout: 300_000 }, async () => {
  expect(await stack.killMatching(temporal, 'SIGSTOP')).toBeGreaterThan(0)
  let jobId: number
  try {
    expect(await rest('/api/v1/entities/Log/instances', { key1: 'meanwhile', data: { Note: 'y' } }, 60_000)).toMatchObject({ status: 200 })
    const upload = await client.tool('create_upload_url', { fileName: 'rows.csv' })
    await client.put(upload.url, new TextEncoder().encode('key1,Note\nfile-1,a\nfile-2,b\n'))
    const job = await client.tool('import_instances', { entity: 'Log', assetKey: upload.assetKey })
    jobId = job.jobId
    expect((await client.tool('await_job', { jobId, timeoutSeconds: 2 })).state).toBe('queued')
  } finally {
    await stack.killMatching(temporal, 'SIGCONT')
  }
  expect((await awaitJob(client, jobId)).state).toBe('succeeded')
})

it('answers 503 or waits while PostgreSQL stands still, and serves again when it goes on', { timeout: 300_000 }, async () => {
  expect(await stack.killMatching(postgres, 'SIGSTOP')).toBeGreaterThan(0)
  const calls = Array.from({ length: 20 }, () => rest('/api/v1/entities/Log/instances/before', {}, 60_000))
  const probe = await fetch(`${stack.url}/healthz`, { signal: AbortSignal.timeout(30_000) })
  expect(probe.status).toBe(200)
  const readiness = await fetch(`${stack.url}/readyz`, { signal: AbortSignal.timeout(60_000) })
  expect(readiness.status).toBe(503)
  await stack.killMatching(postgres, 'SIGCONT')
  for (const answer of await Promise.all(calls)) expect([200, 503]).toContain(answer.status)
  await stack.ready()
  expect(await rest('/api/v1/entities/Log/instances/before', {}, 60_000)).toMatchObject({ status: 200 })
})

it('refuses calls with 503 and a time to wait while PostgreSQL is gone, and finds it again', { timeout: 300_000 }, async () => {
  const key1 = 'acknowledged'
  await client.tool('save_instance', { entity: 'Log', key1, data: { Note: 'kept' } })
  expect(await stack.killMatching(postgres)).toBeGreaterThan(0)
  const during = await rest('/api/v1/entities/Log/instances/before', {}, 30_000)
  expect([200, 503]).toContain(during.status)
  await stack.ready()
  const after = await client.tool('get_instance', { entity: 'Log', record: key1 })
  expect(after.data.Note).toBe('kept')
})
