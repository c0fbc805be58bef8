/**
 * What events cost: a save where nobody watches, where one or fifty watch who do not want it, and where one does; carrying it on to them afterwards; and
 * deliveries to ten targets of which one never answers. Run alone: `npm run bench -- events`.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { bodyText } from '#platform/answer.ts'
import { loadConfig } from '#platform/config.ts'
import { migrate } from '#platform/db/migrate.ts'
import { createLog } from '#platform/log.ts'
import { createPlatform, type Platform } from '#platform/platform.ts'
import { startEmbeddedPostgres } from '#server/boot/postgres.ts'
import { startCarrier } from '#server/worker/carrier.ts'
import { watcherKinds } from '#server/worker/watcher-kinds.ts'
import { matchWaiting } from '#tools/events/service.ts'
import { domains } from '#tools/index.ts'
import { provisionFirstTenant } from '#tools/tenants/service.ts'

import { cpuOfCluster } from './processes.ts'
import { median, round } from './statistics.ts'

const savesARound = 200
const deadCallMs = 1_000
/** Entities by who watches them. */
const watched = {
  oneOfAnotherKind: 'OtherOne',
  fiftyOfAnotherKind: 'OtherFifty',
  oneWhoseFilterFails: 'FilterOne',
  fiftyWhoseFilterFails: 'FilterFifty',
  oneThatMatches: 'Wanted',
} as const

// oxlint-disable-next-line typescript/no-explicit-any -- a measurement reads ids out of answers of its own calls.
type Make = (name: string, input: object) => Promise<any>

function caller(platform: Platform, token: string): Make {
  return async (name, input) => {
    const operation = platform.pipeline.registry.byName.get(name)
    if (!operation) throw new Error(`There is no operation ${name}`)
    const call = { operation, transport: 'rest', credential: { kind: 'bearer', token }, input, requestId: randomUUID() } as const
    return JSON.parse(bodyText(await platform.pipeline.run({ ...call, ip: '127.0.0.1', signal: new AbortController().signal })))
  }
}

interface Cost {
  readonly save: number
  /** Of its event, by the matcher, which takes a hundred at once. */
  readonly carrying: number
}

/**
 * Milliseconds of CPU of a save in each entity, of Node and PostgreSQL together, round by round. The entities take turns, and another begins each round: what
 * the machine does meanwhile meets all of them.
 */
async function measureSaves(
  make: Make,
  carry: () => Promise<unknown>,
  postmaster: number,
  entities: readonly string[],
  rounds: number,
): Promise<readonly (readonly Cost[])[]> {
  const found: Cost[][] = entities.map(() => [])
  const costOf = async (work: () => Promise<unknown>) => {
    const [node, cluster] = [process.cpuUsage(), cpuOfCluster(postmaster)]
    await work()
    const used = process.cpuUsage(node)
    return ((used.user + used.system) / 1_000 + cpuOfCluster(postmaster) - cluster) / savesARound
  }
  for (let number = 0; number <= rounds; number++) {
    for (let turn = 0; turn < entities.length; turn++) {
      const index = (number + turn) % entities.length
      const save = await costOf(async () => {
        for (let count = 0; count < savesARound; count++)
          await make('save_instance', { entity: entities[index], key1: `${number}-${count}`, data: { Name: 'a', Size: count } })
      })
      const carrying = await costOf(carry)
      // The first round warms.
      if (number > 0) found[index]?.push({ save, carrying })
    }
  }
  return found
}

/** Targets that answer at once, but the first, which never does. */
async function openTargets(count: number): Promise<{ server: Server; urls: string[]; counts: number[] }> {
  const counts = Array.from({ length: count }, () => 0)
  const server = createServer((request, response) => {
    const index = Number(request.url?.slice(1))
    request.resume().on('end', () => {
      counts[index] = (counts[index] ?? 0) + 1
      if (index > 0) response.writeHead(204).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return { server, counts, urls: counts.map((_, index) => `http://127.0.0.1:${port}/${index}`) }
}

interface Deliveries {
  readonly deliveries: number
  readonly arrived: number
  readonly seconds: number
  readonly aSecond: number
  readonly deadTargetWasTried: number | undefined
}

export interface EventsResult {
  /** Milliseconds alone, else times that of the same round. */
  readonly saves: Readonly<Record<string, number>>
  /** Milliseconds of carrying on one of them. */
  readonly carrying: Readonly<Record<string, number>>
  readonly deliveries: Deliveries
}

async function measureDeliveries(make: Make, platform: Platform, deliveries: number): Promise<Deliveries> {
  const { server, urls, counts } = await openTargets(10)
  for (const url of urls) await make('create_event_subscription', { url, kinds: ['record.created'], filter: { entity: 'Sent' } })
  const rows = Array.from({ length: deliveries / urls.length }, (_, index) => ({ key1: `s-${index}`, data: { Name: 'a' } }))
  const carrier = startCarrier(platform.services, watcherKinds, { callMs: deadCallMs })
  const from = performance.now()
  await make('save_instances_bulk', { entity: 'Sent', rows })
  const wanted = rows.length * (urls.length - 1)
  const arrived = () => counts.slice(1).reduce((sum, one) => sum + one, 0)
  while (arrived() < wanted && performance.now() - from < 120_000) await new Promise((next) => setTimeout(next, 20))
  const seconds = (performance.now() - from) / 1_000
  server.closeAllConnections()
  server.close()
  await carrier.stop()
  return {
    deliveries: wanted,
    arrived: arrived(),
    seconds: round(seconds),
    aSecond: round(arrived() / seconds),
    deadTargetWasTried: counts[0],
  }
}

/** Prints what it measured; `deliveries` go to ten targets. */
export async function measureEvents({
  rounds,
  deliveries,
}: {
  readonly rounds: number
  readonly deliveries: number
}): Promise<EventsResult> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fieldloop-events-'))
  const log = createLog('error')
  const database = await startEmbeddedPostgres({ dataDir, log })
  const secretsKey = randomBytes(32)
  const key = `flk_bench_${randomUUID()}`
  const urls = await migrate({ ownerUrl: database.url, secretsKey, log })
  const config = loadConfig({ DATA_DIR: join(dataDir, 'own'), CALLS_PER_MINUTE: '1000000000', OUTBOUND_ALLOW: '127.0.0.0/8' })
  const platform = await createPlatform({ config, log, urls, directUrl: urls.owner, secretsKey, domains })
  try {
    await provisionFirstTenant(platform.services, { apiKey: key })
    const make = caller(platform, key)
    await make('create_property', { internalName: 'Name', dataType: 'Text' })
    await make('create_property', { internalName: 'Size', dataType: 'Number' })
    const properties = [{ property: 'Name' }, { property: 'Size' }]
    for (const internalName of ['Alone', ...Object.values(watched), 'Sent']) await make('create_entity', { internalName, properties })
    const subscribe = (entity: string, kinds: string[], rules: object[]) =>
      make('create_event_subscription', { url: 'http://127.0.0.1:1/none', kinds, filter: { entity, rules } })
    const named = (value: string) => [{ property: 'Name', op: 'eq', value }]
    const written = ['record.created', 'record.updated']
    for (let number = 0; number < 50; number++) {
      if (number === 0) await subscribe(watched.oneOfAnotherKind, ['record.deleted'], named('0'))
      if (number === 0) await subscribe(watched.oneWhoseFilterFails, written, named('0'))
      await subscribe(watched.fiftyOfAnotherKind, ['record.deleted'], named(`${number}`))
      await subscribe(watched.fiftyWhoseFilterFails, written, named(`${number}`))
    }
    await subscribe(watched.oneThatMatches, written, named('a'))
    const carry = async () => {
      while ((await matchWaiting(platform.services, watcherKinds)) > 0);
    }
    const [alone = [], ...others] = await measureSaves(make, carry, database.pid ?? 0, ['Alone', ...Object.values(watched)], rounds)
    const ofEach = (value: (cost: Cost, beside: number) => number) =>
      Object.fromEntries(
        Object.keys(watched).map((name, index) => [
          name,
          round(median((others[index] ?? []).map((cost, place) => value(cost, alone[place]?.save ?? 0)))),
        ]),
      )
    const saves = { alone: round(median(alone.map(({ save }) => save))), ...ofEach(({ save }, beside) => save / beside) }
    const carrying = ofEach((cost) => cost.carrying)
    return { saves, carrying, deliveries: await measureDeliveries(make, platform, deliveries) }
  } finally {
    await platform.end()
    await database.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
