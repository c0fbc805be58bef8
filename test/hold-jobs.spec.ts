/** A start that carries out no job, for an installation that some job takes down. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import postgres from 'postgres'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'

import { connect, type DayClient } from './day/client.ts'
import { awaitJob } from './day/steps.ts'
import { secretsKeyOfTests } from './support/names.ts'
import { startPatience } from './support/patience.ts'
import { composeProcesses, type ProductProcess } from './support/processes.ts'
import { openTemporal, type TestTemporal } from './support/temporal.ts'

const key = `flk_holding_${randomUUID()}`
const database = `fieldloop_holding_${randomUUID().replaceAll('-', '').slice(0, 16)}`
let admin: postgres.Sql
let dataDir: string
let temporal: TestTemporal
let processes: ProductProcess[] = []
let client: DayClient | undefined

beforeAll(async () => {
  const adminUrl = new URL(inject('adminUrl'))
  admin = postgres(adminUrl.toString(), { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${database} owner fieldloop_owner`)
  adminUrl.username = 'fieldloop_owner'
  adminUrl.password = 'test'
  adminUrl.pathname = `/${database}`
  dataDir = await mkdtemp(join(tmpdir(), 'fieldloop-holding-'))
  temporal = await openTemporal()
  processes = await composeProcesses({
    DATA_DIR: dataDir,
    XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
    DATABASE_URL: adminUrl.toString(),
    DATABASE_POOL: '3',
    REDIS_URL: '',
    TEMPORAL_ADDRESS: temporal.address,
    SECRETS_KEY: secretsKeyOfTests.toString('base64'),
    BOOTSTRAP_API_KEY: key,
    PUBLIC_URL: '',
    LOG_LEVEL: 'warn',
  })
})

afterAll(async () => {
  await client?.close()
  await Promise.all(processes.map((one) => one.kill()))
  await temporal?.close()
  await admin?.unsafe(`drop database if exists ${database} with (force)`)
  await admin?.end()
  await rm(dataDir, { recursive: true, force: true })
})

const named = (name: string): ProductProcess => {
  const found = processes.find((one) => one.name === name)
  if (!found) throw new Error(`docker-compose.yml has no ${name}`)
  return found
}

it(
  'holds jobs with --hold-jobs: they queue, can be listed and cancelled, and go on with the next start',
  { timeout: 600_000 },
  async () => {
    const [api, worker] = [named('api-1'), named('worker-1')]
    api.start('--hold-jobs')
    worker.start('--hold-jobs')
    await expect.poll(() => api.states(), startPatience).toMatchObject({ postgres: 'up', temporal: 'up', jobs: 'down' })
    expect((await fetch(`${api.url}/readyz`)).status).toBe(200)
    client = await connect(api.url, key)
    const held = client
    await client.tool('import_catalog', {
      properties: [{ internalName: 'HeldNo', dataType: 'Number' }],
      entities: [{ internalName: 'Held', properties: [{ property: 'HeldNo' }] }],
    })
    const contentBase64 = Buffer.from('key1,HeldNo\na,1\n').toString('base64')
    const { assetKey } = await client.tool('upload_asset', { fileName: 'held.csv', contentBase64 })
    const start = async () => (await held.tool('import_instances', { entity: 'Held', assetKey })).jobId as number
    const [cancelled, kept] = [await start(), await start()]
    // The relay has carried the events to Temporal, and nobody takes the work.
    const sent = async () => {
      const sql = postgres(inject('adminUrl').replace(/\/[^/]*$/, `/${database}`), { max: 1, onnotice: () => {} })
      const rows = await sql`select from platform.outbox where errand ->> 'workflow' = 'job' and sent_at is not null`
      await sql.end()
      return rows.length
    }
    await expect.poll(sent).toBe(2)
    expect(await client.tool('await_job', { jobId: kept, timeoutSeconds: 2 })).toMatchObject({ state: 'queued' })
    expect((await client.tool('list_jobs', { states: ['queued'] })).items).toHaveLength(2)
    expect(await client.tool('cancel_job', { jobId: cancelled })).toMatchObject({ state: 'cancelled' })
    await client.close()
    await Promise.all([api.kill(), worker.kill()])
    for (const one of [api, worker]) one.start()
    await expect.poll(() => api.states(), startPatience).toMatchObject({ postgres: 'up', temporal: 'up' })
    expect(await api.states()).not.toHaveProperty('jobs')
    client = await connect(api.url, key)
    expect((await awaitJob(client, kept)).state).toBe('succeeded')
    expect(await client.tool('get_job', { jobId: cancelled })).toMatchObject({ state: 'cancelled' })
  },
)
