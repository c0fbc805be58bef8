/** The ground of a run: a PostgreSQL of its own with a filled database, its twin for the bare client, captured calls, and the server's process. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import postgres from 'postgres'

import { bodyText } from '#platform/answer.ts'
import { loadConfig } from '#platform/config.ts'
import { type DatabaseUrls, migrate } from '#platform/db/migrate.ts'
import type { OnStatement } from '#platform/db/pool.ts'
import { createLog } from '#platform/log.ts'
import { createPlatform, type Platform } from '#platform/platform.ts'
import { freePort } from '#server/boot/ports.ts'
import { startEmbeddedPostgres } from '#server/boot/postgres.ts'
import { domains } from '#tools/index.ts'
import { provisionFirstTenant } from '#tools/tenants/service.ts'

import type { FromBare, ToBare, Transaction, Work } from './messages.ts'
import { catalog, fillingCalls, type Measure, type PlannedCall } from './workload.ts'

const root = resolve(import.meta.dirname, '..')
const filled = 'fieldloop'
const twin = 'bench_twin'
const rehearsal = 'bench_rehearsal'

export interface Ground {
  readonly key: string
  readonly serverUrl: string
  readonly echoUrl: string
  readonly pids: { readonly server: number; readonly bare: number; readonly echo: number; readonly postmaster: number }
  /** Ids of the records that reads and updates go to. */
  readonly ids: readonly number[]
  /** The REST request of a call. */
  request(call: PlannedCall): { method: string; path: string; body: string }
  /** Makes these calls in this process, on a database of their own, and hands what they sent to the bare client. */
  rehearse(measure: Measure, calls: number): Promise<void>
  replay(from: number, count: number, connections: number): Promise<Work>
  /** What the server's database and the twin hold, in numbers that any difference of work would change. */
  holdings(): Promise<{ readonly served: unknown; readonly replayed: unknown }>
  close(): Promise<void>
}

/** The same address with another database. */
export function onDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.toString()
}

/** Resolves once the server is ready; throws where it ended, or after a minute. */
export async function untilServing(url: string, server: ChildProcess, logPath: string): Promise<void> {
  const until = Date.now() + 60_000
  for (;;) {
    const isUp = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    )
    if (isUp) return
    if (server.exitCode !== null || Date.now() > until) throw new Error(`The server did not start; see ${logPath}`)
    await new Promise((next) => setTimeout(next, 100))
  }
}

function nextMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((done, fail) => {
    const onExit = () => fail(new Error('A child process ended'))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      done(message as T)
    })
  })
}

export async function openGround(): Promise<Ground> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fieldloop-bench-'))
  const undo: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 })]
  const close = async () => {
    for (const step of undo.splice(0).toReversed()) await step().catch(() => {})
  }
  try {
    return await layGround(dataDir, undo, close)
  } catch (error) {
    await close()
    throw error
  }
}

async function layGround(dataDir: string, undo: (() => Promise<unknown>)[], close: () => Promise<void>): Promise<Ground> {
  const log = createLog('error')
  const database = await startEmbeddedPostgres({ dataDir, log })
  undo.push(() => database.stop())
  const secretsKey = randomBytes(32)
  const key = `flk_bench_${randomUUID()}`
  const urls = await migrate({ ownerUrl: database.url, secretsKey, log })
  const config = loadConfig({ DATA_DIR: join(dataDir, 'own'), CALLS_PER_MINUTE: '1000000000' })

  const platformOn = (name: string, onStatement?: OnStatement): Promise<Platform> => {
    const own: DatabaseUrls = {
      owner: onDatabase(urls.owner, name),
      app: onDatabase(urls.app, name),
      lookup: onDatabase(urls.lookup, name),
    }
    return createPlatform({ config, log, urls: own, directUrl: own.owner, secretsKey, domains, ...(onStatement ? { onStatement } : {}) })
  }
  const make = async (platform: Platform, { operation: name, input }: PlannedCall): Promise<string> => {
    const operation = platform.pipeline.registry.byName.get(name)
    if (!operation) throw new Error(`There is no operation ${name}`)
    const credential = { kind: 'bearer', token: key } as const
    const call = {
      operation,
      transport: 'rest',
      credential,
      input,
      requestId: randomUUID(),
      ip: '127.0.0.1',
      signal: new AbortController().signal,
    } as const
    return bodyText(await platform.pipeline.run(call))
  }

  const first = await platformOn(filled)
  await provisionFirstTenant(first.services, { apiKey: key })
  await make(first, { operation: 'import_catalog', input: catalog })
  const filling = fillingCalls()
  const answers: string[] = []
  for (const call of filling) answers.push(await make(first, call))
  const ids = answers
    .filter((_, index) => filling[index]?.input['entity'] === 'Meter')
    .flatMap((text) => (JSON.parse(text) as { results: { eiRecordId: number }[] }).results.map((result) => result.eiRecordId))
  const dictionary = JSON.parse(await make(first, { operation: 'list_entities', input: {} })) as { entityId: number; tenantId?: number }[]
  await first.end()

  const admin = postgres(database.superuserUrl, { max: 1, onnotice: () => {} })
  undo.push(() => admin.end({ timeout: 1 }))
  const vacuum = postgres(onDatabase(database.superuserUrl, filled), { max: 1, onnotice: () => {} })
  await vacuum.unsafe('vacuum analyze')
  await vacuum.end()
  for (const name of [twin, rehearsal]) await admin.unsafe(`create database ${name} template ${filled} owner fieldloop_owner`)

  const captured = new Map<number, { text: string; parameters: readonly unknown[] }[]>()
  const rehearsing = await platformOn(rehearsal, (text, parameters, connection) => {
    const own = captured.get(connection) ?? []
    captured.set(connection, own)
    own.push({ text, parameters: [...parameters] })
  })
  undo.push(() => rehearsing.end())

  const bare = fork(join(import.meta.dirname, 'bare-client.ts'), [onDatabase(urls.app, twin)], { serialization: 'advanced' })
  undo.push(async () => bare.kill('SIGKILL'))
  await nextMessage<FromBare>(bare)
  const echo = fork(join(import.meta.dirname, 'echo-server.ts'))
  undo.push(async () => echo.kill('SIGKILL'))
  const echoUrl = await nextMessage<string>(echo)

  const port = await freePort()
  const serverUrl = `http://127.0.0.1:${port}`
  const logPath = join(dataDir, 'server.log')
  const logFile = openSync(logPath, 'w')
  const server = spawn(process.execPath, [...serverFlags(), join(root, 'server/main.ts'), 'api'], {
    cwd: root,
    stdio: ['ignore', logFile, logFile],
    env: {
      ...process.env,
      DATA_DIR: join(dataDir, 'served'),
      DATABASE_URL: database.url,
      DATABASE_DIRECT_URL: database.url,
      SECRETS_KEY: secretsKey.toString('base64'),
      BOOTSTRAP_API_KEY: key,
      PORT: String(port),
      PORTAL_PORT: String(await freePort()),
      MAIL_PORT: String(await freePort()),
      PUBLIC_URL: serverUrl,
      // Nothing listens there: this server only serves, and workflows are measured on another one.
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      CALLS_PER_MINUTE: '1000000000',
    },
  })
  const serverGone = new Promise((done) => server.once('exit', done))
  undo.push(async () => {
    server.kill('SIGTERM')
    const limit = setTimeout(() => server.kill('SIGKILL'), 20_000)
    await serverGone
    clearTimeout(limit)
  })
  await untilServing(serverUrl, server, logPath)

  const ask = async (message: ToBare): Promise<FromBare> => {
    const answer = nextMessage<FromBare>(bare)
    bare.send(message)
    const said = await answer
    if (said.type === 'failed') throw new Error(`The bare client failed: ${said.message}`)
    return said
  }
  const holdingsOf = async (name: string) => {
    const sql = postgres(onDatabase(database.superuserUrl, name), { max: 1, onnotice: () => {} })
    try {
      const counts = []
      for (const { entityId } of dictionary) {
        const table = `t_1.e_${entityId}`
        counts.push(
          ...(await sql.unsafe(
            `select count(*)::int as rows, sum(version)::int as versions, (select count(*)::int from ${table}_history) as history,
               md5(string_agg(encode(row_hash, 'hex'), '' order by key1)) as contents from ${table} where deleted_at is null`,
          )),
        )
      }
      return counts.map((row) => Object.fromEntries(Object.entries(row)))
    } finally {
      await sql.end()
    }
  }
  return {
    key,
    serverUrl,
    echoUrl,
    ids,
    pids: { server: server.pid ?? 0, bare: bare.pid ?? 0, echo: echo.pid ?? 0, postmaster: database.pid ?? 0 },
    request({ operation: name, input }) {
      const operation = rehearsing.pipeline.registry.byName.get(name)
      if (!operation) throw new Error(`There is no operation ${name}`)
      const body = Object.fromEntries(Object.entries(input).filter(([field]) => !operation.pathParams.includes(field)))
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(input[field])))
      return { method: operation.method, path, body: JSON.stringify(body) }
    },
    async rehearse(measure, count) {
      const calls: Transaction[][] = []
      for (let number = 0; number < count; number++) {
        captured.clear()
        await make(rehearsing, measure.call(number))
        // Other connections first: what they did (leasing ids, say) was done before the call went on.
        const own = [...captured.values()].filter((statements) => statements.length > 1)
        calls.push(own.toSorted((a, b) => Number(isOfRecords(a)) - Number(isOfRecords(b))))
      }
      if (calls.some((transactions) => transactions.length === 0)) throw new Error(`${measure.name} sent no statement`)
      await ask({ type: 'calls', calls })
    },
    async replay(from, count, connections) {
      const said = await ask({ type: 'run', from, count, connections })
      if (said.type !== 'done') throw new Error('The bare client answered something else')
      return said.work
    },
    holdings: async () => ({ served: await holdingsOf(filled), replayed: await holdingsOf(twin) }),
    close,
  }
}

/** `BENCH_NODE_FLAGS` reaches the measured server: `--cpu-prof`, say. */
function serverFlags(): string[] {
  return (process.env['BENCH_NODE_FLAGS'] ?? '').split(' ').filter(Boolean)
}

function isOfRecords(statements: Transaction): boolean {
  return statements.some(({ text }) => text.includes('"t_'))
}
