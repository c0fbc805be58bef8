/** The shape of docker-compose.yml, played with processes: two APIs and two workers on a PostgreSQL, a Temporal and, where there is one, a Redis. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { connect } from '../day/client.ts'
import { awaitJob, playDay } from '../day/steps.ts'
import { startPatience } from '../support/patience.ts'
import { openProcessWorld, type ProcessWorld } from '../support/process-world.ts'
import type { ProductProcess } from '../support/processes.ts'
import { hasRedis } from '../support/redis.ts'

let world: ProcessWorld
let key = ''
const named = (name: string): ProductProcess => world.named(name)

beforeAll(async () => {
  world = await openProcessWorld({ withRedis: true })
  ;({ key } = world)
})

afterAll(() => world?.close())

/** One call over REST to either API in turn, tried again on the other until it is answered: what a load balancer does. */
let turn = 0
// oxlint-disable-next-line typescript/no-explicit-any -- the caller reads what the operation's schema promises.
async function call(path: string, body: unknown, bearer = world.key): Promise<any> {
  const until = Date.now() + 60_000
  const idempotencyKey = randomUUID()
  for (;;) {
    const { url } = named(turn++ % 2 === 0 ? 'api-1' : 'api-2')
    const answer = await fetch(`${url}/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    }).catch(() => undefined)
    if (answer?.ok) return answer.json()
    const problem = answer && ((await answer.json()) as { code: string })
    const isWorthAnother = !problem || ['unavailable', 'timeout', 'idempotency_in_progress'].includes(problem.code)
    if (!isWorthAnother || Date.now() > until) throw new Error(`${path}: ${JSON.stringify(problem)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A question asked through one API and answered through the other. Answers how long the wake-up took, in ms. */
async function talk(): Promise<number> {
  const { tenantUserId } = await call('tenants/users/find-or-create', { email: 'ana.field@example.com' })
  const { apiKey } = await call('api-keys', { name: 'Ana’s phone', roles: [], tenantUserId })
  const asking = await connect(named('api-1').url, key)
  const answering = await connect(named('api-2').url, apiKey)
  try {
    const sent = await asking.tool('send_message', { to: { tenantUserId }, text: 'Are you there?' })
    const waiting = asking.tool('await_reply', { conversationId: sent.conversationId, timeoutSeconds: 40 })
    // The await must be under way before the answer comes.
    await expect.poll(async () => (await answering.tool('list_inbox', { pageSize: 1 })).messages[0]?.messageId).toBe(sent.messageId)
    const began = performance.now()
    await answering.tool('answer_inbox_message', { messageId: sent.messageId, text: 'Yes' })
    expect((await waiting).messages).toHaveLength(1)
    return performance.now() - began
  } finally {
    await Promise.all([asking.close(), answering.close()])
  }
}

describe('two API processes and two workers', { timeout: 600_000 }, () => {
  it('start all at once on an empty database, and say what they run on', async () => {
    const { processes, redis } = world
    expect(processes.map(({ mode }) => mode).toSorted()).toEqual(['api', 'api', 'worker', 'worker'])
    for (const one of processes) one.start()
    const up = { postgres: 'up', temporal: 'up', redis: redis ? 'up' : 'absent', mail: 'local' }
    for (const name of ['api-1', 'api-2']) await expect.poll(() => named(name).states(), startPatience).toEqual(up)
  })

  it('play the day, whichever API is asked', async () => {
    for (const name of ['api-1', 'api-2']) {
      const { airports, reply } = await playDay({ url: named(name).url, key, print: () => {} })
      expect([airports > 3_000, reply]).toEqual([true, 'Open, the lock is new'])
    }
  })

  it('lose nothing and double nothing when one of each is killed in the middle', async () => {
    await call('catalog/import', {
      properties: [{ internalName: 'BeatNo', dataType: 'Number' }],
      entities: [{ internalName: 'Beat', properties: [{ property: 'BeatNo' }] }],
    })
    const rows = Array.from({ length: 20_000 }, (_, index) => `i${index},${index}`)
    const upload = await call('assets/upload-url', { fileName: 'beats.csv' })
    // The URL names the public address; here every process has a port of its own.
    const target = new URL(new URL(upload.url).pathname + new URL(upload.url).search, named('api-2').url)
    expect((await fetch(target, { method: 'PUT', body: `key1,BeatNo\n${rows.join('\n')}\n` })).status).toBe(200)
    const job = await call('entities/Beat/instances/import', { assetKey: upload.assetKey })
    const over = new AbortController()
    const acknowledged: string[] = []
    const writers = [1, 2].map(async (writer) => {
      for (let index = 0; !over.signal.aborted; index++) {
        await call('entities/Beat/instances', { key1: `w${writer}-${index}`, data: { BeatNo: index }, importMode: 'insertOnly' })
        acknowledged.push(`w${writer}-${index}`)
      }
    })
    const written = (count: number) => expect.poll(() => acknowledged.length).toBeGreaterThanOrEqual(count)
    await written(10)
    await Promise.all([named('api-1').kill(), named('worker-1').kill()])
    const atTheKill = acknowledged.length
    await written(atTheKill + 20)
    for (const name of ['api-1', 'worker-1']) named(name).start()
    await expect.poll(() => named('api-1').states(), startPatience).toMatchObject({ postgres: 'up' })
    over.abort()
    await Promise.all(writers)
    const client = await connect(named('api-2').url, key)
    try {
      expect((await awaitJob(client, job.jobId)).state).toBe('succeeded')
    } finally {
      await client.close()
    }
    const count = async (prefix: string) =>
      (
        await call('entities/Beat/instances/count', {
          includeTotal: true,
          filterRules: [{ property: 'key1', op: 'startsWith', value: prefix }],
        })
      ).count
    expect(await count('i')).toBe(rows.length)
    expect(await count('w')).toBe(acknowledged.length)
    expect(new Set(acknowledged).size).toBe(acknowledged.length)
  })

  it('send an event again under its id where whoever sent it is killed before that is written down', async () => {
    const ids: string[] = []
    let isKilled = false
    const target = createServer((request, response) => {
      request.resume().on('end', () => {
        ids.push(String(request.headers['webhook-id']))
        if (isKilled) return response.writeHead(204).end()
        isKilled = true
        // It has arrived, and nobody has noted it.
        return void Promise.all(world.processes.map((one) => one.kill())).then(() => response.writeHead(204).end())
      })
    })
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
    try {
      // A listening TCP server has an AddressInfo.
      const { port } = target.address() as AddressInfo
      const { subscriptionId } = await call('events/subscriptions', { url: `http://127.0.0.1:${port}/hook`, kinds: ['user.created'] })
      await call('tenants/users/find-or-create', { email: 'killed@example.com' })
      await expect.poll(() => ids.length, startPatience).toBe(1)
      await expect.poll(() => isKilled).toBe(true)
      for (const one of world.processes) one.start()
      await expect.poll(() => named('api-1').states(), startPatience).toMatchObject({ postgres: 'up' })
      // As if the time were over for which the dead one had it.
      await world.sql`update platform.event_subscription set leased_until = now() - interval '1 second' where leased_until is not null`
      await expect.poll(() => ids.length, startPatience).toBe(2)
      expect(ids[1]).toBe(ids[0])
      const deliveries = () => call('events/deliveries/list', { subscriptionId })
      await expect.poll(async () => (await deliveries()).map((one: { state: string }) => one.state), startPatience).toEqual(['delivered'])
      expect(ids).toHaveLength(2)
    } finally {
      target.closeAllConnections()
      target.close()
    }
  })

  it('wake a wait on one when the answer comes to the other', async () => {
    // Whoever only looks by itself does so every 15 seconds.
    expect(await talk()).toBeLessThan(12_000)
  })

  it.skipIf(!hasRedis)('say that Redis is away, go on without it, and take it again (skipped where no Redis can be had)', async () => {
    const api = named('api-1')
    const { redis } = world
    await redis?.kill()
    await expect.poll(async () => (await api.states())['redis']).toBe('down')
    expect((await fetch(`${api.url}/readyz`)).status).toBe(200)
    expect(await talk()).toBeLessThan(12_000)
    await redis?.start()
    await expect.poll(async () => (await api.states())['redis']).toBe('up')
    expect(await talk()).toBeLessThan(12_000)
  })
})
