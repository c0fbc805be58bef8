/** What handlers may use beside their transaction: made once for a process, passed in, never imported as a global. */
import type { Pipeline } from './call.ts'
import type { Config } from './config.ts'
import type { Databases } from './db/databases.ts'
import type { RecordIds } from './db/records.ts'
import type { Keeping } from './kept.ts'
import type { Logger } from './log.ts'
import type { RedisLink } from './redis.ts'
import type { Secrets } from './secrets.ts'
import type { StorageDriver } from './storage/driver.ts'
import type { TemporalGate } from './temporal.ts'
import type { Wake } from './wake.ts'

export interface Services {
  readonly config: Config
  readonly log: Logger
  readonly databases: Databases
  readonly recordIds: RecordIds
  readonly secrets: Secrets
  readonly storage: StorageDriver
  readonly temporal: TemporalGate
  readonly wake: Wake
  /** Where processes count together. */
  readonly redis?: RedisLink | undefined
  /** For calls from inside, in somebody's name: see acting.ts. */
  readonly pipeline: Pipeline
  /** See kept.ts. */
  readonly keeping: Keeping
}
