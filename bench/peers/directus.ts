/**
 * Directus as the other product of a comparison, on the same PostgreSQL: installed once for each user into the cache, apart from our own packages, and set up
 * by its own API. Its rows are put into its table directly; it would take hours to fill it by its API.
 */
import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

import postgres from 'postgres'

import { freePort } from '#server/boot/ports.ts'

import { onDatabase } from '../ground.ts'
import type { Product } from '../scale.ts'
import { itemOf, visit, visitsOf } from '../scale-workload.ts'

const run = promisify(execFile)
const version = '12.4.1'
// The app of this version names one that is not on the registry; it is not served here anyway.
const manifest = { private: true, dependencies: { directus: version }, overrides: { '@directus/app': '18.0.0' } }
const installMs = 40 * 60_000

async function installed(): Promise<string> {
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'fieldloop', 'peers', `directus-${version}`)
  if (existsSync(join(folder, 'node_modules/directus/cli.js'))) return folder
  process.stdout.write('  installing Directus, which takes up to a quarter of an hour the first time\n')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: folder,
    timeout: installMs,
    maxBuffer: 64 * 1024 * 1024,
  })
  // It wants to be compiled, and only scripts of flows run in it, of which there are none.
  writeFileSync(join(folder, 'node_modules/isolated-vm/isolated-vm.js'), 'module.exports = {}\n')
  return folder
}

const fields = {
  key1: 'string',
  title: 'string',
  place: 'string',
  serial: 'string',
  owner: 'string',
  remark: 'text',
  status: 'string',
  reading: 'float',
  floor: 'integer',
  price: 'decimal',
  installed_on: 'date',
  checked_at: 'timestamp',
  is_active: 'boolean',
} as const

/** The collection `visit`, whose rows belong to one meter each, and the list of them at the meter. */
async function makeVisits(origin: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`Directus refused ${path}: ${answer.status} ${await answer.text()}`)
  }
  await post('/collections', {
    collection: 'visit',
    schema: {},
    meta: { accountability: 'all' },
    fields: [
      { field: 'id', type: 'integer', meta: {}, schema: { is_primary_key: true, has_auto_increment: true } },
      { field: 'minutes', type: 'float', meta: {}, schema: {} },
      { field: 'remark', type: 'text', meta: {}, schema: {} },
      { field: 'meter', type: 'integer', meta: { special: ['m2o'] }, schema: {} },
    ],
  })
  await post('/fields/meter', { field: 'visits', type: 'alias', meta: { special: ['o2m'] } })
  await post('/relations', {
    collection: 'visit',
    field: 'meter',
    related_collection: 'meter',
    meta: { one_field: 'visits' },
    schema: { on_delete: 'CASCADE' },
  })
}

/** Starts Directus on a database of its own and fills its collection `meter`. */
export async function openDirectus({ ownerUrl, rows }: { readonly ownerUrl: string; readonly rows: number }): Promise<Product> {
  const folder = await installed()
  const database = `directus_${randomUUID().replaceAll('-', '').slice(0, 12)}`
  const admin = postgres(ownerUrl, { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${database}`)
  await admin.end()
  const address = new URL(ownerUrl)
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const token = randomUUID()
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: origin,
    DB_CLIENT: 'pg',
    DB_HOST: address.hostname,
    DB_PORT: address.port,
    DB_DATABASE: database,
    DB_USER: decodeURIComponent(address.username),
    DB_PASSWORD: decodeURIComponent(address.password),
    DB_POOL__MIN: '2',
    DB_POOL__MAX: '10',
    KEY: randomUUID(),
    SECRET: randomUUID(),
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: randomUUID(),
    ADMIN_TOKEN: token,
    LOG_LEVEL: 'error',
    TELEMETRY: 'false',
    RATE_LIMITER_ENABLED: 'false',
    PRESSURE_LIMITER_ENABLED: 'false',
    CACHE_ENABLED: 'false',
    MAX_BATCH_MUTATION: 'Infinity',
    QUERY_LIMIT_MAX: '-1',
    MAX_PAYLOAD_SIZE: '64mb',
    SERVE_APP: 'false',
    WEBSOCKETS_ENABLED: 'false',
  }
  const cli = join(folder, 'node_modules/directus/cli.js')
  await run(process.execPath, [cli, 'bootstrap'], { cwd: folder, env, timeout: 300_000, maxBuffer: 64 * 1024 * 1024 })
  const log = openSync(join(folder, 'server.log'), 'w')
  const server = spawn(process.execPath, [cli, 'start'], { cwd: folder, env, stdio: ['ignore', log, log] })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  for (const until = Date.now() + 120_000; ;) {
    const isUp = await fetch(`${origin}/server/ping`).then(
      (response) => response.ok,
      () => false,
    )
    if (isUp) break
    if (server.exitCode !== null || Date.now() > until) throw new Error('Directus did not start; see its server.log')
    await pause(250)
  }
  const made = await fetch(`${origin}/collections`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      collection: 'meter',
      schema: {},
      meta: { accountability: 'all' },
      fields: [
        { field: 'id', type: 'integer', meta: {}, schema: { is_primary_key: true, has_auto_increment: true } },
        ...Object.entries(fields).map(([field, type]) => ({
          field,
          type,
          meta: {},
          schema: {
            ...(field === 'key1' ? { is_unique: true } : {}),
            ...(type === 'decimal' ? { numeric_precision: 14, numeric_scale: 2 } : {}),
          },
        })),
      ],
    }),
  })
  if (!made.ok) throw new Error(`Directus refused the collection: ${made.status} ${await made.text()}`)
  await makeVisits(origin, headers)
  const sql = postgres(onDatabase(ownerUrl, database), { max: 1, onnotice: () => {} })
  for (let from = 0; from < rows; from += 10_000) {
    const chunk = Array.from({ length: Math.min(10_000, rows - from) }, (_, index) => itemOf(from + index))
    await sql.unsafe(
      `insert into meter (${Object.keys(fields).join(', ')}) select ${Object.keys(fields).join(', ')} from json_populate_recordset(null::meter, $1::text::json)`,
      [JSON.stringify(chunk)],
    )
  }
  for (let from = 0; from < visitsOf(rows); from += 10_000) {
    const chunk = Array.from({ length: Math.min(10_000, visitsOf(rows) - from) }, (_, index) => {
      const { meter, ...values } = visit(from + index, rows)
      return { ...values, meter: meter + 1 }
    })
    await sql.unsafe(
      'insert into visit (minutes, remark, meter) select minutes, remark, meter from json_populate_recordset(null::visit, $1::text::json)',
      [JSON.stringify(chunk)],
    )
  }
  await sql.unsafe('vacuum analyze meter')
  await sql.unsafe('vacuum analyze visit')
  await sql.end()
  return {
    name: 'Directus',
    origin,
    headers,
    pid: server.pid ?? 0,
    request(measure, number) {
      const items = measure.directus?.(number)
      return (
        items && {
          method: items.method,
          path: `/items/${items.collection ?? 'meter'}${items.path ?? ''}`,
          body: items.body === undefined ? '' : JSON.stringify(items.body),
        }
      )
    },
    async close() {
      const gone = new Promise((done) => server.once('exit', done))
      server.kill('SIGKILL')
      await gone
    },
  }
}
