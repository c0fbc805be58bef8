/** A world with the operations of `test-operations.ts` beside the product's, on two processes' worth of platform. */
import { randomUUID } from 'node:crypto'

import { bodyText } from '#platform/answer.ts'
import type { Credential } from '#platform/call.ts'
import { loadConfig } from '#platform/config.ts'
import type { OnStatement } from '#platform/db/pool.ts'
import { createLog } from '#platform/log.ts'
import { createPlatform, type Platform } from '#platform/platform.ts'
import { domains } from '#tools/index.ts'

import { secretsKeyOfTests } from './names.ts'
import { effectTables, testDomain } from './test-operations.ts'
import { openWorld, type World } from './world.ts'

export interface PipelineCallOptions {
  readonly on?: Platform
  /** Null: no credential. */
  readonly key?: string | null
  readonly credential?: Credential
  readonly idempotencyKey?: string
  readonly requestId?: string
}

export interface PipelineWorld {
  readonly world: World
  /** With the operations of the test, on the database of the world. */
  readonly platform: Platform
  /** Another process on the same database. */
  readonly other: Platform
  /** One more, with settings by their environment names, which tells its statements to a listener, or answers unchecked. Closed with the rest. */
  open(env?: Record<string, string>, options?: { readonly onStatement?: OnStatement; readonly checksOutput?: false }): Promise<Platform>
  // oxlint-disable-next-line typescript/no-explicit-any -- as World.call
  call(name: string, input?: unknown, options?: PipelineCallOptions): Promise<any>
  /** How many rows the test's operations have committed under a label. */
  effects(label: string): Promise<number>
  close(): Promise<void>
}

export async function openPipelineWorld(): Promise<PipelineWorld> {
  const world = await openWorld()
  const platforms: Platform[] = []
  await world.sql.unsafe(effectTables)

  async function open(env: Record<string, string> = {}, options: Parameters<PipelineWorld['open']>[1] = {}): Promise<Platform> {
    const config = loadConfig({ DATA_DIR: world.config.dataDir, DATABASE_POOL: '4', CALLS_PER_MINUTE: '1000000', ...env })
    const made = await createPlatform({
      config,
      log: createLog(process.env['LOG_LEVEL'] ?? 'silent'),
      urls: world.urls,
      directUrl: world.urls.owner,
      secretsKey: secretsKeyOfTests,
      domains: [...domains, testDomain],
      checksOutput: true,
      ...options,
    })
    platforms.push(made)
    return made
  }

  const platform = await open()
  const other = await open()
  return {
    world,
    platform,
    other,
    open,
    async call(name, input = {}, options = {}) {
      const { pipeline } = options.on ?? platform
      const operation = pipeline.registry.byName.get(name)
      if (!operation) throw new Error(`There is no operation ${name}`)
      const bearer =
        options.key === null ? ({ kind: 'none' } as const) : ({ kind: 'bearer', token: options.key ?? world.tenant.key } as const)
      const answer = await pipeline.run({
        operation,
        transport: 'rest',
        credential: options.credential ?? bearer,
        input,
        idempotencyKey: options.idempotencyKey,
        requestId: options.requestId ?? randomUUID(),
        ip: '203.0.113.5',
        signal: new AbortController().signal,
      })
      return JSON.parse(bodyText(answer))
    },
    async effects(label) {
      const [row] = await world.sql<{ count: number }[]>`select count(*)::int as count from platform.test_effect where label = ${label}`
      return row?.count ?? 0
    },
    async close() {
      await Promise.all(platforms.map((one) => one.end()))
      await world.close()
    },
  }
}

/** A place where a step waits: the test learns that it is there, and lets it go on. */
export function gate(): { readonly reached: Promise<void>; reach(): void; readonly opened: Promise<void>; open(): void } {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return { reached: reached.promise, reach: reached.resolve, opened: opened.promise, open: opened.resolve }
}
