/** Step 6: every process is killed with -9 in the middle of the work and started again; what was acknowledged is there, once. */
import { randomUUID } from 'node:crypto'

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { openTwilioFake, type TwilioFake } from '#test/support/twilio-fake.ts'

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
  /** Text messages whose state is known at the end: taken by the vendor exactly once, or `unknown` and taken at most once. */
  readonly texts: number
}

const entity = 'Beat'

/** Writes records one after the other, each under its own idempotency key, tried again until it is acknowledged. */
async function writeUntil(stack: Stack, isOver: () => boolean, writer: number, acknowledged: string[]): Promise<void> {
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
}

async function timed<T>(print: Print, what: string, call: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const result = await work()
  print({ step: 6, what, call, ms: performance.now() - began })
  return result
}

async function author(client: DayClient): Promise<void> {
  await client.tool('import_catalog', {
    properties: [{ internalName: 'BeatNo', dataType: 'Number' }],
    entities: [{ internalName: entity, properties: [{ property: 'BeatNo' }] }],
  })
}

/** A record with a photograph, whose recognition the kills interrupt. Answers the analysis job. */
async function savePhoto(client: DayClient): Promise<{ jobId: number; assetKey: string }> {
  await client.tool('import_catalog', {
    properties: [
      { internalName: 'BeatPhoto', dataType: 'Attachment' },
      { internalName: 'BeatText', dataType: 'Text' },
    ],
    entities: [{ internalName: 'BeatSight', properties: [{ property: 'BeatPhoto' }, { property: 'BeatText' }] }],
  })
  const described = await client.tool('describe_entity', { entity: 'BeatSight' })
  const photo = described.properties.find((property: { propertyInternalName: string }) => property.propertyInternalName === 'BeatPhoto')
  await client.tool('set_attachment_analysis', {
    entity: 'BeatSight',
    entityPropertyId: photo.entityPropertyId,
    ocr: true,
    targets: { text: 'BeatText' },
  })
  const bytes = await readFile(join(import.meta.dirname, '../fixtures/recognition/sign.jpg'))
  const upload = await client.tool('create_upload_url', { fileName: 'sign.jpg', sizeBytes: bytes.length })
  await client.put(upload.url, new Uint8Array(bytes))
  const saved = await client.tool('save_instance', { entity: 'BeatSight', key1: 'S', data: { BeatPhoto: upload.assetKey } })
  return { jobId: saved.jobIds[0], assetKey: upload.assetKey }
}

/** Sends text messages through a vendor that knows no idempotency and hangs up on some of them. Answers their ids by body. */
async function sendTexts(client: DayClient, twilio: TwilioFake): Promise<Map<number, string>> {
  await client.tool('create_channel', {
    internalName: 'BeatSms',
    channel: 'sms',
    provider: 'twilio',
    settings: { accountSid: twilio.accountSid, from: '+15005550006', apiBaseUrl: twilio.baseUrl },
    secrets: { authToken: twilio.authToken },
  })
  twilio.plan('ok', 'takeAndReset', 'ok', 'reset')
  const sent = new Map<number, string>()
  for (let index = 0; index < 8; index++) {
    const text = `Text ${index} ${randomUUID()}`
    const { messageId } = await client.tool('send_message', { to: { phone: `+3461234567${index}` }, channel: 'sms', text })
    sent.set(messageId, text)
  }
  return sent
}

/** Awaits the end of each delivery; throws where the vendor took one twice, or a state tells other than what the vendor took. */
async function checkTexts(client: DayClient, twilio: TwilioFake, sent: ReadonlyMap<number, string>): Promise<number> {
  const until = Date.now() + 120_000
  for (const [messageId, text] of sent) {
    for (;;) {
      const { status } = await client.tool('get_message_status', { messageId })
      const taken = twilio.taken.filter((message) => message.body.includes(text)).length
      if (taken > 1) throw new Error(`The vendor took message ${messageId} ${taken} times`)
      if (status !== 'queued') {
        if (status !== 'unknown' && taken !== 1) throw new Error(`Message ${messageId} is ${status}, and the vendor took it ${taken} times`)
        break
      }
      if (Date.now() > until) throw new Error(`Message ${messageId} is still queued`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  return sent.size
}

const writtenBetween = 5

/** Kills in turn while writers write, an import runs and a conversation goes on. Throws where anything acknowledged is lost or doubled. */
export async function playFaults(stack: Stack, print: Print): Promise<FaultsResult> {
  const client = await connect(stack.url, stack.key)
  await author(client)
  const csv = Buffer.from(`key1,BeatNo\n${Array.from({ length: 20_000 }, (_, index) => `i${index},${index}`).join('\n')}\n`)
  const upload = await client.tool('create_upload_url', { fileName: 'beats.csv', sizeBytes: csv.length })
  await client.put(upload.url, new Uint8Array(csv))
  const job = await client.tool('import_instances', { entity, assetKey: upload.assetKey })
  const worker = await client.tool('find_or_create_user', { email: 'faults.field@example.com' })
  const sent = await client.tool('send_message', { to: { tenantUserId: worker.tenantUserId }, text: 'Are you there?' })
  const photo = await savePhoto(client)
  const twilio = await openTwilioFake()
  try {
    const texts = await sendTexts(client, twilio)
    await client.close()
    return await killAndCheck(stack, print, { importJob: job.jobId, conversationId: sent.conversationId, photo, twilio, texts })
  } finally {
    await twilio.close()
  }
}

interface UnderWay {
  readonly importJob: number
  readonly conversationId: number
  readonly photo: { readonly jobId: number; readonly assetKey: string }
  readonly twilio: TwilioFake
  readonly texts: ReadonlyMap<number, string>
}

async function killAndCheck(stack: Stack, print: Print, work: UnderWay): Promise<FaultsResult> {
  let isOver = false
  const acknowledged: string[] = []
  const writers = [1, 2, 3].map((writer) => writeUntil(stack, () => isOver, writer, acknowledged))
  let kills = 0
  /** Something is written between two kills, so that each has something to lose. */
  const untilWritten = async () => {
    const before = acknowledged.length
    for (const until = Date.now() + 120_000; acknowledged.length < before + writtenBetween;) {
      if (Date.now() > until) throw new Error(`Nobody can write: ${acknowledged.length - before} records in two minutes`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  /**
   * What a job does while its process ends twice is taken for the cause: on a slow machine two kills would meet the same chunk of the import, or the same
   * photograph. So the import moves on between any two, and the photograph is read before the server is killed once more.
   */
  let isPhotoDue = false
  const untilMovedOn = async () => {
    const client = await connect(stack.url, stack.key)
    const isOver = async (jobId: number, done = Infinity) => {
      const { progress, finishedDate } = await client.tool('get_job', { jobId })
      return finishedDate !== undefined || progress.done > done
    }
    try {
      const { progress } = await client.tool('get_job', { jobId: work.importJob })
      for (const until = Date.now() + 120_000; ;) {
        if ((await isOver(work.importJob, progress.done)) && (!isPhotoDue || (await isOver(work.photo.jobId)))) return
        if (Date.now() > until) throw new Error('Neither the import nor the photograph comes on')
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    } finally {
      await client.close()
    }
  }
  const kill = async (what: string, strike: () => Promise<unknown>) => {
    await untilWritten()
    await untilMovedOn()
    await timed(print, `${what} is killed; ready again`, 'kill -9', async () => {
      const killed = await strike()
      if (killed === 0) throw new Error(`${what} was not there to be killed`)
      kills++
      await stack.ready()
    })
  }
  const restartServer = async () => {
    await stack.killServer()
    stack.start()
  }
  await kill('the server', restartServer)
  await kill('PostgreSQL', () => stack.killMatching(/bin\/postgres|postgres .*-D/))
  await kill('Temporal', () => stack.killMatching(/temporal.*start-dev/))
  isPhotoDue = true
  await kill('the server with PostgreSQL', async () => {
    await stack.killMatching(/bin\/postgres|postgres .*-D/)
    await restartServer()
  })
  await kill('everything at once', async () => {
    await stack.killServer()
    await stack.killMatching(/./)
    stack.start()
  })
  await untilWritten()
  isOver = true
  await Promise.all(writers)

  const client = await connect(stack.url, stack.key)
  try {
    const done = await timed(print, 'the import goes on to its end', 'await_job', () => awaitJob(client, work.importJob))
    if (done.state !== 'succeeded') throw new Error(`The import ended as ${done.state}: ${JSON.stringify(done)}`)
    const imported = await client.tool('count_instances', { entity, filterRules: [{ property: 'key1', op: 'startsWith', value: 'i' }] })
    if (imported.count !== 20_000) throw new Error(`${imported.count} of 20,000 imported rows are there`)
    const found = await timed(print, `${acknowledged.length} acknowledged records are there, once`, 'list_instances', () => findAll(client))
    const lost = acknowledged.filter((key1) => found.get(key1) !== 1)
    if (lost.length > 0) throw new Error(`${lost.length} acknowledged records are lost or doubled: ${lost.slice(0, 5).join(', ')}`)
    const conversation = await client.tool('get_conversation', { conversationId: work.conversationId })
    if (conversation.messages.length !== 1) throw new Error(`The conversation has ${conversation.messages.length} messages`)
    const analysed = await timed(print, 'the photograph was recognised', 'await_job', () => awaitJob(client, work.photo.jobId))
    const analysis = await client.tool('get_attachment_analysis', { assetKey: work.photo.assetKey })
    if (analysed.state !== 'succeeded' || analysis.state !== 'done')
      throw new Error(`Recognition ended as ${analysed.state}: ${JSON.stringify(analysis)}`)
    const texts = await timed(print, `${work.texts.size} text messages went to the vendor once, or say unknown`, 'get_message_status', () =>
      checkTexts(client, work.twilio, work.texts),
    )
    return { acknowledged: acknowledged.length, found: found.size, kills, jobsSucceeded: 2, messages: conversation.messages.length, texts }
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
