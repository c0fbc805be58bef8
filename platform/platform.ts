/** Puts one process's platform together: connections, wake-ups, secrets, storage, the gate to Temporal, and the pipeline over them. */
import { join } from 'node:path'

import { createAuthenticator } from './authenticate.ts'
import type { Pipeline } from './call.ts'
import type { Config } from './config.ts'
import { createDatabases } from './db/databases.ts'
import type { DatabaseUrls } from './db/migrate.ts'
import type { OnStatement } from './db/pool.ts'
import { createRecordIds } from './db/records.ts'
import { createKeeping } from './kept.ts'
import type { Logger } from './log.ts'
import type { Domain } from './operation.ts'
import { createRateLimit } from './rate-limit.ts'
import { openRedis } from './redis.ts'
import { buildRegistry } from './registry.ts'
import { createRoom } from './room.ts'
import { createPipeline } from './run.ts'
import { createSecrets } from './secrets.ts'
import type { Services } from './services.ts'
import { createLocalStorage } from './storage/local.ts'
import { createTemporalGate } from './temporal.ts'
import { createWake } from './wake.ts'

export interface Platform {
  readonly services: Services
  readonly pipeline: Pipeline
  end(): Promise<void>
}

export interface PlatformOptions {
  readonly config: Config
  readonly log: Logger
  readonly urls: DatabaseUrls
  /** The database without a pooler between. */
  readonly directUrl: string
  readonly secretsKey: Buffer
  readonly domains: readonly Domain[]
  readonly checksOutput?: boolean
  /** Told of each statement of the application's pool, for measuring. */
  readonly onStatement?: OnStatement
}

export async function createPlatform(options: PlatformOptions): Promise<Platform> {
  const { config, log } = options
  const databases = createDatabases({
    urls: options.urls,
    directUrl: options.directUrl,
    poolSize: config.database.pool,
    log,
    onStatement: options.onStatement,
  })
  const { redisUrl } = config
  const redis = redisUrl === undefined ? undefined : await openRedis({ url: redisUrl, name: 'limits and wake-ups', log })
  const wake = await createWake({
    directUrl: options.directUrl,
    redis: redis && redisUrl ? { commands: redis, url: redisUrl } : undefined,
    log,
  })
  const secrets = createSecrets(options.secretsKey)
  const storage = await createLocalStorage(join(config.dataDir, 'files'))
  const temporal = createTemporalGate({ namespace: config.temporal.namespace, log })
  const keeping = createKeeping()
  let pipeline: Pipeline | undefined
  const services: Services = {
    config,
    log,
    databases,
    recordIds: createRecordIds(databases),
    secrets,
    storage,
    temporal,
    wake,
    redis,
    keeping,
    get pipeline() {
      if (!pipeline) throw new Error('A call from inside came before the pipeline was there')
      return pipeline
    },
  }
  const authenticator = createAuthenticator({ databases, secrets, wake })
  const rateLimit = createRateLimit({ callsPerMinute: config.limits.callsPerMinute, redis })
  pipeline = createPipeline({
    registry: buildRegistry(options.domains),
    services,
    authenticator,
    rateLimit,
    room: createRoom({ bytes: config.limits.bytesInFlight }),
    checksOutput: options.checksOutput === true,
  })
  return {
    services,
    pipeline,
    async end() {
      keeping.end()
      authenticator.end()
      await temporal.end()
      await wake.end()
      await redis?.end()
      await databases.end(config.shutdownSeconds)
    },
  }
}
