/** Progress of what a call waits for, over MCP, where the client asks for it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import type { TxContext } from '#platform/operation.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { progressTeller } from '#server/mcp/progress.ts'
import { advanceJob, finishJob, jobTopic, queueJob, readJobForRun, type RunningJob } from '#tools/jobs/service.ts'

import { openWire, type Wire } from './contract/wire.ts'
import { watchWaiters } from './support/waiters.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
let wire: Wire
beforeAll(async () => {
  wire = await openWire(world)
})
afterAll(() => wire.close())

const transact = <T>(work: (context: TxContext) => Promise<T>): Promise<T> =>
  inSystemTransaction(world.platform.services, world.tenant.tenantId, work)

/** Awaits a job with `ask`, which goes through two chunks and ends meanwhile; `hears` resolves once the caller knows of so much. */
async function whileRunning<T>(ask: (jobId: number) => Promise<T>, hears: (done: number) => Promise<unknown>): Promise<T> {
  const waiters = watchWaiters(world)
  try {
    const { jobId } = await transact((context) =>
      queueJob(context, { kind: 'test', operation: 'import_something', requiredRoles: 'DataImport', input: {}, total: 30 }),
    )
    let job = await readJobForRun(world.platform.services, { tenantId: world.tenant.tenantId, jobId, attempt: 1 })
    if (!job) throw new Error('The job has nothing left to do')
    const answer = ask(jobId)
    await waiters.reached(jobTopic(jobId))
    await hears(0)
    for (const done of [10, 20]) {
      const chunk: RunningJob = job
      job = await transact((context) => advanceJob(context, chunk, { position: { done }, done, note: `row ${done}` }))
      await hears(done)
    }
    const last: RunningJob = job
    await transact((context) => finishJob(context, last, { result: { rows: 30 } }))
    return await answer
  } finally {
    waiters.end()
  }
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly progress: number }
  readonly result?: unknown
}

const request = (jobId: number, meta?: object) => ({
  method: 'POST',
  headers: {
    authorization: `Bearer ${world.tenant.key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'await_job', arguments: { jobId, timeoutSeconds: 20 }, ...(meta ? { _meta: meta } : {}) },
  }),
})

describe('progress over MCP', () => {
  it('is told on the stream that the result ends, growing each time', async () => {
    const messages: Message[] = []
    const ask = async (jobId: number) => {
      const response = await fetch(`${wire.url}/mcp`, request(jobId, { progressToken: 'job' }))
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      let text = ''
      for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        text += chunk
        messages.splice(0, messages.length, ...[...text.matchAll(/^data: (.*)\n\n/gm)].map((match) => JSON.parse(match[1] ?? '')))
      }
    }
    await whileRunning(ask, (done) => expect.poll(() => messages.at(-1)?.params?.progress).toBe(done))
    expect(messages.slice(0, -1).map(({ method, params }) => [method, params])).toEqual([
      ['notifications/progress', { progressToken: 'job', progress: 0, total: 30 }],
      ['notifications/progress', { progressToken: 'job', progress: 10, total: 30, message: 'row 10' }],
      ['notifications/progress', { progressToken: 'job', progress: 20, total: 30, message: 'row 20' }],
    ])
    expect(messages.at(-1)).toMatchObject({ id: 7, result: { structuredContent: { state: 'succeeded', result: { rows: 30 } } } })
  })

  it('reaches a stock client', async () => {
    const client = new Client({ name: 'test', version: '1' })
    const headers = { authorization: `Bearer ${world.tenant.key}` }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${wire.url}/mcp`), { requestInit: { headers } }))
    const heard: number[] = []
    try {
      const answer = await whileRunning(
        (jobId) =>
          client.callTool({ name: 'await_job', arguments: { jobId, timeoutSeconds: 20 } }, undefined, {
            onprogress: ({ progress }) => void heard.push(progress),
          }),
        (done) => expect.poll(() => heard.at(-1)).toBe(done),
      )
      expect(answer['structuredContent']).toMatchObject({ state: 'succeeded' })
      expect(heard).toEqual([0, 10, 20])
    } finally {
      await client.close()
    }
  })

  it('is not told where nobody asked, and the answer is plain JSON then', async () => {
    const response = await whileRunning(
      (jobId) => fetch(`${wire.url}/mcp`, request(jobId)),
      async () => {},
    )
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({ id: 7, result: { structuredContent: { state: 'succeeded' } } })
  })

  it('makes no stream of a call that has nothing to tell', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 8,
      method: 'tools/call',
      params: { name: 'whoami', arguments: {}, _meta: { progressToken: 1 } },
    })
    const response = await fetch(`${wire.url}/mcp`, { ...request(0), body })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({ id: 8, result: { structuredContent: { tenantId: world.tenant.tenantId } } })
  })

  it('takes no token for one that is neither text nor number', () => {
    for (const meta of [undefined, null, {}, { progressToken: null }, { progressToken: {} }])
      expect(progressTeller(meta, () => {}).onProgress).toBeUndefined()
  })

  it('is told at most five times a second, of the last that came, and never after the end', () => {
    vi.useFakeTimers()
    try {
      const told: number[] = []
      const { onProgress, end } = progressTeller({ progressToken: 0 }, ({ progress }) => told.push(progress))
      for (const done of [5, 5, 4, 6, 7]) onProgress?.({ done })
      expect(told).toEqual([5])
      vi.advanceTimersByTime(200)
      expect(told).toEqual([5, 7])
      onProgress?.({ done: 8 })
      end()
      vi.advanceTimersByTime(1_000)
      expect(told).toEqual([5, 7])
    } finally {
      vi.useRealTimers()
    }
  })
})
