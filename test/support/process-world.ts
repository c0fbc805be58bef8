/** The processes of docker-compose.yml on a database, a Temporal and, where it is wanted and can be had, a Redis of their own. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import postgres from 'postgres'
import { inject } from 'vitest'

import { secretsKeyOfTests } from './names.ts'
import { composeProcesses, type ProductProcess } from './processes.ts'
import { hasRedis, openRedisServer, type TestRedis } from './redis.ts'
import { openTemporal } from './temporal.ts'

export interface ProcessWorld {
  /** Of the first tenant. */
  readonly key: string
  readonly processes: readonly ProductProcess[]
  readonly redis: TestRedis | undefined
  /** A superuser's connection to the database of the processes. */
  readonly sql: postgres.Sql
  named(name: string): ProductProcess
  /** Kills what runs, and removes everything. */
  close(): Promise<void>
}

export async function openProcessWorld({ withRedis }: { readonly withRedis: boolean }): Promise<ProcessWorld> {
  const key = `flk_processes_${randomUUID()}`
  const database = `fieldloop_processes_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  const ends: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  try {
    const url = new URL(inject('adminUrl'))
    const admin = postgres(url.toString(), { max: 1, onnotice: () => {} })
    ends.push(() => admin.end())
    await admin.unsafe(`create database ${database} owner fieldloop_owner`)
    ends.push(() => admin.unsafe(`drop database if exists ${database} with (force)`))
    url.pathname = `/${database}`
    const sql = postgres(url.toString(), { max: 1, onnotice: () => {}, transform: { column: { from: postgres.toCamel } } })
    ends.push(() => sql.end())
    url.username = 'fieldloop_owner'
    url.password = 'test'
    const dataDir = await mkdtemp(join(tmpdir(), 'fieldloop-processes-'))
    ends.push(() => rm(dataDir, { recursive: true, force: true }))
    const temporal = await openTemporal()
    ends.push(() => temporal.close())
    const redis = withRedis && hasRedis ? await openRedisServer() : undefined
    if (redis) ends.push(() => redis.close())
    await redis?.start()
    const processes = await composeProcesses({
      DATA_DIR: dataDir,
      XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
      DATABASE_URL: url.toString(),
      DATABASE_POOL: '3',
      REDIS_URL: redis?.url ?? '',
      TEMPORAL_ADDRESS: temporal.address,
      SECRETS_KEY: secretsKeyOfTests.toString('base64'),
      BOOTSTRAP_API_KEY: key,
      PUBLIC_URL: '',
      OUTBOUND_ALLOW: '127.0.0.0/8',
      LOG_LEVEL: 'warn',
    })
    ends.push(() => Promise.all(processes.map((one) => one.kill())))
    return {
      key,
      processes,
      redis,
      sql,
      close,
      named(name) {
        const found = processes.find((one) => one.name === name)
        if (!found) throw new Error(`docker-compose.yml has no ${name}`)
        return found
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
