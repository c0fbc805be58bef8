/**
 * One PostgreSQL for the whole run, with a migrated template that each spec file clones. TEST_DATABASE_URL names a superuser of a running one instead.
 * And the program of a Redis, for those that start one.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import postgres from 'postgres'
import type { TestProject } from 'vitest/node'

import { migrate } from '#platform/db/migrate.ts'
import { createLog } from '#platform/log.ts'

import { secretsKeyOfTests, templateName } from './names.ts'
import { findRedis } from './redis-binary.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** As a superuser, any database. */
    adminUrl: string
    /** The Redis to start; empty where none could be had. */
    redisServer: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = createLog(process.env['LOG_LEVEL'] ?? 'error')
  const named = process.env['TEST_DATABASE_URL']
  let adminUrl = named
  let stop = async () => {}
  if (!adminUrl) {
    const { startEmbeddedPostgres } = await import('#server/boot/postgres.ts')
    const dataDir = await mkdtemp(join(tmpdir(), 'fieldloop-test-'))
    const started = await startEmbeddedPostgres({ dataDir, log, isDurable: false })
    adminUrl = started.superuserUrl
    stop = async () => {
      await started.stop()
      await rm(dataDir, { recursive: true, force: true })
    }
  }
  await makeTemplate(adminUrl, log)
  project.provide('adminUrl', adminUrl)
  const redis = await findRedis()
  project.provide('redisServer', redis.path ?? '')
  if (redis.path === undefined) process.stderr.write(`Redis will not be tested: ${redis.why}.\n`)
  return stop
}

async function makeTemplate(adminUrl: string, log: ReturnType<typeof createLog>): Promise<void> {
  const admin = postgres(adminUrl, { max: 1, onnotice: () => {} })
  try {
    await admin.unsafe(`drop database if exists ${templateName} with (force)`)
    await admin.unsafe(`do $$ begin create role fieldloop_owner login createrole; exception when duplicate_object then null; end $$`)
    await admin.unsafe(`alter role fieldloop_owner password 'test' connection limit -1`)
    await admin.unsafe(`create database ${templateName} owner fieldloop_owner`)
  } finally {
    await admin.end()
  }
  const ownerUrl = new URL(adminUrl)
  ownerUrl.username = 'fieldloop_owner'
  ownerUrl.password = 'test'
  ownerUrl.pathname = `/${templateName}`
  await migrate({ ownerUrl: ownerUrl.toString(), secretsKey: secretsKeyOfTests, log })
}
