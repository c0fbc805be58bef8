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

export interface DatabaseAlone {
  readonly databaseUrl: string
  readonly directUrl: string
  stop(): Promise<void>
}

/** The database and nothing else, for a command that is over at once. Rejects with a sentence where it cannot be started, also where a process that embeds it is running. */
export async function startDatabase({ config, log }: { config: Config; log: Logger }): Promise<DatabaseAlone> {
  const { url, directUrl } = config.database
  if (url !== undefined) return { databaseUrl: url, directUrl: directUrl ?? url, stop: async () => {} }
  const lock = lockDataDir(config.dataDir)
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log })
    return {
      databaseUrl: postgres.url,
      directUrl: postgres.directUrl,
      async stop() {
        await postgres.stop()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
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
