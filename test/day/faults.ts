/** Step 5: every process is killed with -9 in the middle of the work and started again; what was acknowledged is there, once. */
import { randomUUID } from 'node:crypto'

import { connect, type DayClient } from './client.ts'
import type { Stack } from './stack.ts'
import { awaitJob } from './steps.ts'

type Print = (line: { step: number; what: string; call: string; ms: number }) => void

export interface FaultsResult {
  readonly acknowledged: number
  readonly found: number
  readonly kills: number
  readonly jobsSucceeded: number
  readonly messages: number
}

const entity = 'Beat'

/** Writes records one after the other, each under its own idempotency key, tried again until it is acknowledged. */
async function writeUntil(stack: Stack, isOver: () => boolean, writer: number): Promise<string[]> {
  const acknowledged: string[] = []
  for (let index = 0; !isOver(); index++) {
    const key1 = `w${writer}-${index}`
    const idempotencyKey = randomUUID()
    for (;;) {
      try {
        const response = await fetch(`${stack.url}/api/v1/entities/${entity}/instances`, {
          method: 'POST',
          headers: { authorization: `Bearer ${stack.key}`, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
          body: JSON.stringify({ key1, data: { BeatNo: index }, importMode: 'insertOnly' }),
          signal: AbortSignal.timeout(10_000),
        })
        if (response.status === 200) {
          acknowledged.push(key1)
          break
        }
        // Anything but "try again" would be a wrong answer: insertOnly of a row that was saved unacknowledged must replay, not conflict.
        const body = (await response.json()) as { code: string }
        if (response.status === 409 && body.code === 'already_exists') throw new Error(`${key1} was saved twice: ${JSON.stringify(body)}`)
      } catch (error) {
        if (error instanceof Error && error.message.includes('saved twice')) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return acknowledged
}

async function timed<T>(print: Print, what: string, call: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const result = await work()
  print({ step: 5, what, call, ms: performance.now() - began })
  return result
}

async function author(client: DayClient): Promise<void> {
  await client.tool('import_catalog', {
    properties: [{ internalName: 'BeatNo', dataType: 'Number' }],
    entities: [{ internalName: entity, properties: [{ property: 'BeatNo' }] }],
  })
}

/** Kills in turn while writers write, an import runs and a conversation goes on. Throws where anything acknowledged is lost or doubled. */
export async function playFaults(stack: Stack, print: Print): Promise<FaultsResult> {
  let client = await connect(stack.url, stack.key)
  await author(client)
  const csv = Buffer.from(`key1,BeatNo\n${Array.from({ length: 20_000 }, (_, index) => `i${index},${index}`).join('\n')}\n`)
  const upload = await client.tool('create_upload_url', { fileName: 'beats.csv', sizeBytes: csv.length })
  await client.put(upload.url, new Uint8Array(csv))
  const job = await client.tool('import_instances', { entity, assetKey: upload.assetKey })
  const worker = await client.tool('find_or_create_user', { email: 'faults.field@example.com' })
  const sent = await client.tool('send_message', { to: { tenantUserId: worker.tenantUserId }, text: 'Are you there?' })
  await client.close()

  let isOver = false
  const writers = [1, 2, 3].map((writer) => writeUntil(stack, () => isOver, writer))
  let kills = 0
  const kill = async (what: string, work: () => Promise<unknown>) => {
    await timed(print, `${what} is killed; ready again`, 'kill -9', async () => {
      await work()
      kills++
      await stack.ready({ limitMs: 90_000 })
    })
  }
  const restartServer = async () => {
    await stack.killServer()
    stack.start()
  }
  await kill('the server', restartServer)
  await kill('PostgreSQL', () => stack.killMatching(/bin\/postgres|postgres .*-D/))
  await kill('Temporal', () => stack.killMatching(/temporal.*start-dev/))
  await kill('the server with PostgreSQL', async () => {
    await stack.killMatching(/bin\/postgres|postgres .*-D/)
    await restartServer()
  })
  await kill('everything at once', async () => {
    await stack.killServer()
    await stack.killMatching(/./)
    stack.start()
  })
  isOver = true
  const acknowledged = (await Promise.all(writers)).flat()

  client = await connect(stack.url, stack.key)
  try {
    const done = await timed(print, 'the import goes on to its end', 'await_job', () => awaitJob(client, job.jobId, 120_000))
    if (done.state !== 'succeeded') throw new Error(`The import ended as ${done.state}: ${JSON.stringify(done)}`)
    const imported = await client.tool('count_instances', { entity, filterRules: [{ property: 'key1', op: 'startsWith', value: 'i' }] })
    if (imported.count !== 20_000) throw new Error(`${imported.count} of 20,000 imported rows are there`)
    const found = await timed(print, `${acknowledged.length} acknowledged records are there, once`, 'list_instances', () => findAll(client))
    const lost = acknowledged.filter((key1) => found.get(key1) !== 1)
    if (lost.length > 0) throw new Error(`${lost.length} acknowledged records are lost or doubled: ${lost.slice(0, 5).join(', ')}`)
    const conversation = await client.tool('get_conversation', { conversationId: sent.conversationId })
    if (conversation.messages.length !== 1) throw new Error(`The conversation has ${conversation.messages.length} messages`)
    return { acknowledged: acknowledged.length, found: found.size, kills, jobsSucceeded: 1, messages: conversation.messages.length }
  } finally {
    await client.close()
  }
}

async function findAll(client: DayClient): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  let cursor: string | undefined
  do {
    const page = await client.tool('list_instances', {
      entity,
      filterRules: [{ property: 'key1', op: 'startsWith', value: 'w' }],
      pageSize: 1000,
      ...(cursor === undefined ? {} : { cursor }),
    })
    for (const row of page.items as { key1: string }[]) found.set(row.key1, (found.get(row.key1) ?? 0) + 1)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found
}
