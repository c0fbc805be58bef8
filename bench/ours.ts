/** Fieldloop as one of the products of a comparison: an embedded PostgreSQL, an entity of so many rows, and the server that serves it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import postgres from 'postgres'

import { bodyText } from '#platform/answer.ts'
import { loadConfig } from '#platform/config.ts'
import { migrate } from '#platform/db/migrate.ts'
import { createLog } from '#platform/log.ts'
import { createPlatform } from '#platform/platform.ts'
import { freePort } from '#server/boot/ports.ts'
import { startEmbeddedPostgres } from '#server/boot/postgres.ts'
import { domains } from '#tools/index.ts'
import { keepIndexes } from '#tools/query/service.ts'
import { provisionFirstTenant } from '#tools/tenants/service.ts'

import { untilServing } from './ground.ts'
import type { Product } from './scale.ts'
import { besideMeters, visit, visitsOf } from './scale-workload.ts'
import { catalog, data } from './workload.ts'

const root = resolve(import.meta.dirname, '..')
/** A server notes what was slow every ten seconds. */
const noteMs = 11_000

export interface Ours {
  readonly product: Product
  readonly superuserUrl: string
  readonly postmaster: number
  /** Of some of the rows. */
  readonly ids: readonly number[]
}

/** Starts everything and fills it by bulks of the public operation. */
export async function openOurs(rows: number): Promise<Ours> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fieldloop-scale-'))
  const log = createLog('error')
  const database = await startEmbeddedPostgres({ dataDir, log })
  const secretsKey = randomBytes(32)
  const key = `flk_bench_${randomUUID()}`
  const urls = await migrate({ ownerUrl: database.url, secretsKey, log })
  const config = loadConfig({ DATA_DIR: join(dataDir, 'own'), CALLS_PER_MINUTE: '1000000000' })
  const platform = await createPlatform({ config, log, urls, directUrl: urls.owner, secretsKey, domains })
  await provisionFirstTenant(platform.services, { apiKey: key })
  const operationOf = (name: string) => {
    const operation = platform.pipeline.registry.byName.get(name)
    if (!operation) throw new Error(`There is no operation ${name}`)
    return operation
  }
  const make = async (name: string, input: object): Promise<string> => {
    const credential = { kind: 'bearer', token: key } as const
    const signal = new AbortController().signal
    return bodyText(
      await platform.pipeline.run({
        operation: operationOf(name),
        transport: 'rest',
        credential,
        input,
        requestId: randomUUID(),
        ip: '127.0.0.1',
        signal,
      }),
    )
  }
  await make('import_catalog', catalog)
  const ids: number[] = []
  for (let from = 0; from < rows; from += 10_000) {
    const chunk = Array.from({ length: Math.min(10_000, rows - from) }, (_, index) => ({
      key1: `meter-${from + index}`,
      data: data(from + index),
    }))
    const { results } = JSON.parse(await make('save_instances_bulk', { entity: 'Meter', rows: chunk })) as {
      results: { eiRecordId: number }[]
    }
    ids.push(...results.filter((_, index) => index % 10 === 3).map(({ eiRecordId }) => eiRecordId))
  }
  for (const [operation, input] of besideMeters) await make(operation, input)
  for (let from = 0; from < visitsOf(rows); from += 10_000) {
    const chunk = Array.from({ length: Math.min(10_000, visitsOf(rows) - from) }, (_, index) => {
      const { meter, minutes, remark } = visit(from + index, rows)
      return { key1: `visit-${from + index}`, parentKey1: `meter-${meter}`, data: { Minutes: minutes, Remark: remark } }
    })
    const { failed } = JSON.parse(await make('save_instances_bulk', { entity: 'Visit', rows: chunk })) as { failed: number }
    if (failed > 0) throw new Error(`${failed} visits were refused`)
  }
  // As on the other side: what a database does by itself within a minute.
  const owner = postgres(database.superuserUrl, { max: 1, onnotice: () => {} })
  await owner.unsafe('vacuum analyze')
  await owner.end()

  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const mailPort = String(await freePort())
  const portalPort = String(await freePort())
  let server: ChildProcess | undefined
  const start = async () => {
    const logPath = join(dataDir, 'server.log')
    const logFile = openSync(logPath, 'a')
    server = spawn(process.execPath, [join(root, 'server/main.ts'), 'api'], {
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
        PORTAL_PORT: portalPort,
        MAIL_PORT: mailPort,
        PUBLIC_URL: origin,
        TEMPORAL_ADDRESS: '127.0.0.1:1',
        CALLS_PER_MINUTE: '1000000000',
      },
    })
    await untilServing(origin, server, logPath)
  }
  const stop = async () => {
    const gone = new Promise((done) => server?.once('exit', done))
    server?.kill('SIGTERM')
    const limit = setTimeout(() => server?.kill('SIGKILL'), 20_000)
    await gone
    clearTimeout(limit)
  }
  await start()
  return {
    superuserUrl: database.superuserUrl,
    postmaster: database.pid ?? 0,
    ids,
    product: {
      name: 'Fieldloop',
      origin,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      get pid() {
        return server?.pid ?? 0
      },
      request(measure, number) {
        const { operation: name, input } = measure.ours(number)
        const { method, path, pathParams } = operationOf(name)
        const body = Object.fromEntries(Object.entries(input).filter(([field]) => !pathParams.includes(field)))
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(input[field])))
        return { method, path: filled, body: JSON.stringify(body) }
      },
      async settle() {
        await pause(noteMs)
        // A look builds two; they come once a minute.
        const built: string[] = []
        for (let look = 0; look < 20; look++) {
          const names = (await keepIndexes(platform.services))?.built ?? []
          built.push(...names)
          if (names.length === 0) break
        }
        // A process looks again for indexes within a minute; a new one has not looked yet.
        await stop()
        await start()
        return built.length > 0 ? `${built.length} indexes (${built.join(', ')})` : 'no index'
      },
      async close() {
        await stop()
        await platform.end()
        await database.stop()
        await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
      },
    },
  }
}
