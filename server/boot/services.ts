/** Everything the product runs on: what the configuration names is used, the rest is started under DATA_DIR. */
import type { Config } from '#platform/config.ts'
import type { Logger } from '#platform/log.ts'

import { lockDataDir, makeDataDir } from './data-dir.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from './postgres.ts'
import { startTemporal, type TemporalHandle, type TemporalState } from './temporal.ts'

export interface Services {
  /** As the schema's owner. */
  readonly databaseUrl: string
  /** The same without a pooler between. */
  readonly directUrl: string
  readonly temporal: TemporalHandle
  /** Undefined when the database is external. */
  readonly postgres: EmbeddedPostgres | undefined
  /** Stops what was started here, and only that; at most 30 s. */
  stop(): Promise<void>
}

/**
 * Resolves when the database accepts connections; Temporal may still be on its way. Rejects with a sentence when another process has
 * DATA_DIR or the database cannot be started. Redis is never embedded. Where nothing is embedded DATA_DIR is not locked, so that
 * several processes may share its files.
 */
export async function startServices(o: {
  config: Config
  log: Logger
  onTemporalState?: (state: TemporalState) => void
}): Promise<Services> {
  const { config, log, onTemporalState } = o
  const isEmbedding = config.database.url === undefined || config.temporal.address === undefined
  makeDataDir(config.dataDir)
  const lock = isEmbedding ? lockDataDir(config.dataDir) : undefined
  const temporal = startTemporal({ config, log, ...(onTemporalState ? { onState: onTemporalState } : {}) })
  try {
    const postgres = config.database.url === undefined ? await startEmbeddedPostgres({ dataDir: config.dataDir, log }) : undefined
    const databaseUrl = config.database.url ?? postgres?.url ?? ''
    return {
      databaseUrl,
      directUrl: postgres?.directUrl ?? config.database.directUrl ?? databaseUrl,
      temporal,
      postgres,
      async stop() {
        await Promise.all([temporal.stop(), postgres?.stop()])
        lock?.release()
      },
    }
  } catch (error) {
    await temporal.stop()
    lock?.release()
    throw error
  }
}
