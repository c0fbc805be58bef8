/**
 * Everything at once, and kill -9 at random: records that start runs, which write, call another system, ask a person by text message and write the answer; a pack
 * that saves what webhooks bring; subscribers that are told. What must hold afterwards: `checkStorm`.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { Webhook } from 'standardwebhooks'

import { connect, type DayClient } from '../day/client.ts'
import type { Stack } from '../day/stack.ts'

export interface StormSizes {
  /** Records, each with a run, a person and a conversation. */
  readonly cases: number
  /** Webhooks for a pack. */
  readonly webhooks: number
  readonly kills: number
  /** Which process is killed when: the same one makes the same choices. */
  readonly seed: number
}

export interface StormResult {
  /** By what was killed. */
  readonly kills: Readonly<Record<string, number>>
  readonly completed: number
  /** Calls of the other system for the runs, above one for each. */
  readonly repeatedCalls: number
  /** Deliveries of events above one for each. */
  readonly repeatedEvents: number
  readonly seconds: number
}

/** Settings that a storm needs: the other system is on this machine, and its runs begin at once. */
export const stormSettings = { OUTBOUND_ALLOW: '127.0.0.0/8', STARTS_PER_MINUTE: '100000', CALLS_PER_MINUTE: '1000000' }

const limitMs = 300_000
const pause = (ms: number) => new Promise((next) => setTimeout(next, ms))
const phoneOf = (index: number) => `+34600${String(100_000 + index)}`
const keyOf = (index: number) => `C${index}`
const must = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what)
}

/** An answer that no further try would change. */
class Refused extends Error {}

async function until<T>(what: string, look: () => Promise<T | undefined>, everyMs = 500): Promise<T> {
  for (const end = Date.now() + limitMs; ;) {
    const found = await look().catch((error: unknown) => {
      if (error instanceof Refused) throw error
      return undefined
    })
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error(`${what} did not come within ${limitMs / 1_000} s`)
    await pause(everyMs)
  }
}

/** Does it until it is acknowledged, whatever is killed meanwhile. */
async function insist(what: string, act: () => Promise<Response>): Promise<Response> {
  return until(what, async () => {
    const answer = await act()
    if (answer.ok) return answer
    const said = await answer.text()
    if (answer.status < 500 && answer.status !== 408 && answer.status !== 409 && answer.status !== 429) {
      throw new Refused(`${what}: ${answer.status} ${said}`)
    }
    return undefined
  })
}

async function inParallel(count: number, width: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const one = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: width }, one))
}

/** The other system. It takes each call, and hangs up on some as if the answer had been lost. */
interface OtherSystem {
  readonly url: string
  /** Idempotency keys by the key of the record. */
  readonly calls: ReadonlyMap<string, readonly string[]>
  /** Ids of what subscribers were told, by the run that it was about. */
  readonly told: ReadonlyMap<number, readonly string[]>
  close(): void
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += String(part)
  return JSON.parse(text)
}

function put<K>(map: Map<K, string[]>, key: K, value: string): number {
  const list = map.get(key) ?? []
  map.set(key, list)
  return list.push(value)
}

async function openOtherSystem(): Promise<OtherSystem> {
  const calls = new Map<string, string[]>()
  const told = new Map<number, string[]>()
  let taken = 0
  const server: Server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      if (request.url === '/told') {
        put(told, (body as { data: { workflowInstanceId: number } }).data.workflowInstanceId, String(request.headers['webhook-id']))
      } else {
        put(calls, (body as { record: string }).record, String(request.headers['idempotency-key']))
      }
      if (++taken % 25 === 0) return request.socket.destroy()
      return void response.writeHead(204).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A server that listens on a port has an address of this shape.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    told,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface Ground {
  readonly handsets: string
  readonly hook: { readonly url: string; readonly secret: string }
}

async function author(client: DayClient, other: OtherSystem): Promise<Ground> {
  await client.tool('import_catalog', {
    properties: ['Phone', 'Answer', 'Source'].map((internalName) => ({ internalName, dataType: 'Text' })),
    entities: [
      { internalName: 'Case', properties: [{ property: 'Phone' }, { property: 'Answer' }] },
      { internalName: 'Effect', properties: [{ property: 'Source' }] },
      { internalName: 'Arrived', properties: [{ property: 'Source' }] },
    ],
  })
  await client.tool('import_workflow', {
    internalName: 'Storm',
    displays: [{ languageCode: 'en-US', name: 'Storm' }],
    entity: 'Case',
    roles: ['DataView', 'DataEdit'],
    steps: [
      {
        internalName: 'write',
        stepType: 'saveRecord',
        config: { entity: 'Effect', key1: '[[Case.externalKey]]', values: { Source: '[[Case.externalKey]]' } },
      },
      {
        internalName: 'call',
        stepType: 'callHttp',
        config: { method: 'POST', url: `${other.url}/call`, body: { record: '[[Case.externalKey]]' } },
        retry: { attempts: 20, firstSeconds: 0.5, maxSeconds: 5 },
      },
      {
        internalName: 'ask',
        stepType: 'ask',
        config: {
          to: { phone: '[[Case.Phone]]' },
          channel: 'sms',
          text: 'Is [[Case.externalKey]] closed?',
          choices: [
            { key: 'closed', label: 'Closed' },
            { key: 'open', label: 'Still open' },
          ],
        },
      },
      {
        internalName: 'answer',
        stepType: 'saveRecord',
        config: { entity: 'Case', eiRecordId: '[[Case.eiRecordId]]', values: { Answer: '[[$steps.ask.choice]]' } },
      },
    ],
    triggers: [{ internalName: 'begun', triggerType: 'recordCreated', config: { entity: 'Case', perRecord: true } }],
  })
  await client.tool('publish_workflow', { workflow: 'Storm' })
  await client.tool('create_event_subscription', { internalName: 'StormTold', url: `${other.url}/told`, kinds: ['workflow.completed'] })
  const { triggers } = await client.tool('install_action_pack', {
    actionPack: 'webhookToRecord',
    settings: { entity: 'Arrived', mapping: { key1: 'id', Source: 'from' }, importMode: 'insertOnly' },
  })
  const { items: channels } = await client.tool('list_channels', {})
  const { channelKey } = channels.find(({ internalName }: { internalName: string }) => internalName === 'SandboxSms')
  return {
    handsets: `${client.url}/api/v1/messaging/webhooks/${channelKey}`,
    hook: { url: `${client.url}/api/v1/action-packs/webhooks/${triggers[0].triggerKey}`, secret: triggers[0].secret },
  }
}

const within = () => AbortSignal.timeout(20_000)
const json = { 'content-type': 'application/json' }

async function saveCase(stack: Stack, index: number): Promise<void> {
  await insist(`The record ${keyOf(index)}`, () =>
    fetch(`${stack.url}/api/v1/entities/Case/instances`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${stack.key}`, 'idempotency-key': `storm-${index}` },
      body: JSON.stringify({ key1: keyOf(index), data: { Phone: phoneOf(index) }, importMode: 'insertOnly' }),
      signal: within(),
    }),
  )
}

async function sendWebhook({ hook }: Ground, index: number): Promise<void> {
  const [id, body] = [`storm_${index}`, JSON.stringify({ id: `A${index}`, from: 'storm' })]
  await insist(`The webhook ${id}`, () => {
    const at = new Date()
    const signature = new Webhook(hook.secret).sign(id, at, body)
    const headers = {
      ...json,
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': signature,
    }
    return fetch(hook.url, { method: 'POST', headers, body, signal: within() })
  })
}

interface Handset {
  readonly messages: readonly { readonly messageId: number; readonly direction: string; readonly text: string; readonly status: string }[]
}

async function handsetOf({ handsets }: Ground, index: number): Promise<Handset | undefined> {
  const answer = await fetch(`${handsets}/handsets?address=${encodeURIComponent(phoneOf(index))}`, { signal: within() })
  // Answered by the operation's own shape.
  return answer.ok ? ((await answer.json()) as Handset) : undefined
}

/** The person of a case reads the question and answers it, with one id however often the answer has to be sent. */
async function answerWhenAsked(ground: Ground, index: number): Promise<void> {
  const question = await until(`The question of ${keyOf(index)}`, async () =>
    (await handsetOf(ground, index))?.messages.find(({ direction }) => direction === 'outbound'),
  )
  const body = { kind: 'message', id: `reply-${index}`, from: phoneOf(index), messageId: question.messageId, choice: 'closed' }
  await insist(`The answer of ${keyOf(index)}`, () =>
    fetch(ground.handsets, { method: 'POST', headers: json, body: JSON.stringify(body), signal: within() }),
  )
}

/** Park and Miller's generator: the same seed, the same storm. */
function choicesOf(seed: number): () => number {
  let state = seed % 2_147_483_647 || 1
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

/** The cases come in waves, one for each kill and a last one; each kill strikes its wave in the middle. */
class Waves {
  #released = 0
  #saved = 0
  #answered = 0
  readonly #cases: number
  readonly #wave: number

  constructor({ cases, kills }: StormSizes) {
    this.#cases = cases
    this.#wave = Math.ceil(cases / (kills + 1))
    this.release()
  }

  release(): void {
    this.#released = Math.min(this.#cases, this.#released + this.#wave)
  }
  saved(): void {
    this.#saved++
  }
  answered(): void {
    this.#answered++
  }
  /** How many cases may be saved by now. */
  get released(): number {
    return this.#released
  }
  /** Of what the wave has to do, saving and answering each of its cases: 0 to 1. */
  get progress(): number {
    const behind = this.#released - this.#wave
    return (this.#saved + this.#answered - 2 * behind) / (2 * this.#wave)
  }
}

async function strike(stack: Stack, { kills, seed }: StormSizes, waves: Waves, say: (line: string) => void) {
  const counts: Record<string, number> = {}
  const restart = async (alsoAll: boolean) => {
    await stack.killServer()
    if (alsoAll) await stack.killMatching(/./)
    stack.start()
    return 1
  }
  const blows: readonly (readonly [string, () => Promise<number>])[] = [
    ['server', () => restart(false)],
    ['PostgreSQL', () => stack.killMatching(/bin\/postgres|postgres .*-D/)],
    ['Temporal', () => stack.killMatching(/temporal.*start-dev/)],
    ['everything', () => restart(true)],
  ]
  const choose = choicesOf(seed)
  for (let index = 0; index < kills; index++) {
    const share = 0.1 + 0.6 * choose()
    await until(`Wave ${index + 1}`, async () => (waves.progress >= share ? true : undefined), 20)
    must(waves.progress < 1, `Wave ${index + 1} of ${kills} was over before it was struck: nothing was at stake`)
    const [name, blow] = blows[Math.floor(choose() * blows.length)] ?? ['', async () => 0]
    must((await blow()) > 0, `${name} was not there to be killed`)
    counts[name] = (counts[name] ?? 0) + 1
    await stack.ready({ limitMs: 120_000 })
    say(`kill ${index + 1} of ${kills}: ${name}, ready again`)
    waves.release()
  }
  return counts
}

const aboveOnce = (lists: Iterable<readonly string[]>) => [...lists].reduce((sum, list) => sum + list.length - 1, 0)

/** Each effect once where the outside can tell, at least once under one key where it cannot; every run ended as it would have. */
async function checkStorm(client: DayClient, ground: Ground, other: OtherSystem, sizes: StormSizes): Promise<number> {
  const { cases, webhooks } = sizes
  const runsIn = async (states?: readonly string[]) => {
    let [found, cursor]: [number, string | undefined] = [0, undefined]
    do {
      const page: { items: readonly unknown[]; nextCursor?: string } = await client.tool('list_workflow_instances', {
        workflow: 'Storm',
        pageSize: 500,
        ...(states ? { states } : {}),
        ...(cursor === undefined ? {} : { cursor }),
      })
      found += page.items.length
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return found
  }
  await until(`The end of ${cases} runs`, async () => ((await runsIn(['completed', 'failed', 'cancelled'])) === cases ? true : undefined))
  const completed = await runsIn(['completed'])
  must(completed === cases && (await runsIn()) === cases, `${completed} of ${cases} runs completed, ${await runsIn()} there are`)
  const count = async (entity: string, filterRules: readonly object[] = []) =>
    (await client.tool('count_instances', { entity, filterRules, includeTotal: true })).count
  must((await count('Effect')) === cases, `${await count('Effect')} records were written by ${cases} runs`)
  const answered = await count('Case', [{ property: 'Answer', op: 'eq', value: 'closed' }])
  must(answered === cases, `${answered} of ${cases} records hold their answer`)
  must((await count('Arrived')) === webhooks, `${await count('Arrived')} of ${webhooks} webhooks are a record`)
  for (let index = 0; index < cases; index++) {
    const keys = other.calls.get(keyOf(index)) ?? []
    must(new Set(keys).size === 1, `The calls for ${keyOf(index)} came with the keys ${keys.join(', ')}`)
    const messages = (await handsetOf(ground, index))?.messages ?? []
    const said = messages.map(({ direction, text }) => `${direction}: ${text}`)
    const questions = messages.filter(({ direction }) => direction === 'outbound')
    must(messages.length === 2 && questions.length === 1, `The handset of ${keyOf(index)} shows ${said.join(' | ')}`)
    const { items } = await client.tool('get_instance_history', { entity: 'Case', record: keyOf(index) })
    must(items.length === 2, `${keyOf(index)} has ${items.length} versions`)
  }
  await until('What subscribers are told', async () => (other.told.size === cases ? true : undefined))
  for (const [run, ids] of other.told) must(new Set(ids).size === 1, `Of run ${run} came the events ${ids.join(', ')}`)
  return completed
}

/** Plays a storm on a product that is ready, started with `stormSettings`. Throws where anything is lost, or done twice. */
export async function playStorm(stack: Stack, sizes: StormSizes, say: (line: string) => void): Promise<StormResult> {
  const began = performance.now()
  const other = await openOtherSystem()
  try {
    const builder = await connect(stack.url, stack.key)
    const ground = await author(builder, other)
    await builder.close()
    const waves = new Waves(sizes)
    const [kills] = await Promise.all([
      strike(stack, sizes, waves, say),
      inParallel(sizes.cases, 8, async (index) => {
        await until(`The wave of ${keyOf(index)}`, async () => (index < waves.released ? true : undefined), 20)
        await saveCase(stack, index)
        waves.saved()
      }),
      inParallel(sizes.cases, 8, async (index) => {
        await answerWhenAsked(ground, index)
        waves.answered()
      }),
      inParallel(sizes.webhooks, 2, async (index) => {
        const wave = Math.floor((index / sizes.webhooks) * sizes.cases)
        await until(`The wave of webhook ${index}`, async () => (wave < waves.released ? true : undefined), 20)
        await sendWebhook(ground, index)
      }),
    ])
    const client = await connect(stack.url, stack.key)
    try {
      const completed = await checkStorm(client, ground, other, sizes)
      return {
        kills,
        completed,
        repeatedCalls: aboveOnce(other.calls.values()),
        repeatedEvents: aboveOnce(other.told.values()),
        seconds: (performance.now() - began) / 1_000,
      }
    } finally {
      await client.close()
    }
  } finally {
    other.close()
  }
}
