/** The process's connections: the application's pool, the look-up pool, and the owner's connection for changes of schema. */
import type { Logger } from '../log.ts'
import type { DatabaseUrls } from './migrate.ts'
import { createPool, type OnStatement, type Pool, type Tx } from './pool.ts'
import { endIndexBuilds } from './record-indexes.ts'
import { sqlState, transact, type TransactionOptions, type OpenTransaction } from './transaction.ts'

export interface Databases {
  readonly app: Pool
  readonly lookup: Pool
  /** Beside it, of the same role, for whoever has not signed in. */
  readonly strangers: Pool
  /** For LISTEN and other sessions of their own. */
  readonly directUrl: string
  /** A transaction of the application. */
  transact<T>(options: TransactionOptions, work: (open: OpenTransaction) => Promise<T>): Promise<T>
  /**
   * A transaction of the application beside one that is open, on a connection of its own: were it to wait for one of the pool, as many open ones as the
   * pool holds would wait for each other.
   */
  transactAside<T>(options: TransactionOptions, work: (open: OpenTransaction) => Promise<T>): Promise<T>
  /** A transaction of the look-up role, which sees named columns of every tenant. `caller` is whose share of its connections it counts to, the product's unless told. */
  lookUp<T>(work: (tx: Tx) => Promise<T>, caller?: string): Promise<T>
  /**
   * A change of schema, as the owner, in one transaction. It waits at most 200 ms for a lock and tries again up to 50 times, so that readers
   * queued behind it are never held for longer. An index that is being built gives way.
   */
  changeSchema<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Whether the database answers within two seconds. */
  isUp(): Promise<boolean>
  end(timeoutSeconds: number): Promise<void>
}

const pingMs = 2_000

const strangerMark = 'stranger '

/**
 * Whose share of the connections whoever has not signed in takes. Strangers have connections of their own: each address counts as a caller, so that thousands of
 * them would have thousands of turns before the key or the session of a customer is looked up.
 */
export const strangerAt = (ip: string | undefined) => `${strangerMark}${ip ?? ''}`

// Heavy statements keep a processor each: a tenant with all connections would take every one from the event loop and from others' short statements, and gain
// nothing, as more of them than there are processors only take turns.
const alonePart = 0.6
const amongOthersPart = 0.4
const partOf = (size: number, part: number) => Math.max(1, Math.ceil(size * part))

const mostStrangers = 1_000

const schemaLockMs = 200
const schemaAttempts = 50
const attemptsBesideBuild = 3

export function createDatabases(options: {
  urls: DatabaseUrls
  directUrl: string
  poolSize: number
  log: Logger
  onStatement?: OnStatement | undefined
}): Databases {
  const { urls, log, onStatement } = options
  const reserve = Math.ceil(options.poolSize / 5)
  const ofCaller = { alone: partOf(options.poolSize, alonePart), amongOthers: partOf(options.poolSize, amongOthersPart) }
  const app = createPool({
    url: urls.app,
    name: 'fieldloop',
    size: options.poolSize,
    reserve,
    ofCaller,
    keepsSpare: true,
    log,
    onStatement,
  })
  const aside = createPool({ url: urls.app, name: 'fieldloop aside', size: 1, log, onStatement })
  const lookup = createPool({ url: urls.lookup, name: 'fieldloop look-up', size: 2, reserve: 1, log })
  const strangers = createPool({ url: urls.lookup, name: 'fieldloop strangers', size: 2, log, mostWaiting: mostStrangers })
  const owner = createPool({ url: options.directUrl, name: 'fieldloop schema', size: 1, log, waitMs: 30_000 })
  const none = { tenantId: null }
  return {
    app,
    lookup,
    strangers,
    directUrl: options.directUrl,
    transact: (transaction, work) => transact(app, transaction, work),
    transactAside: (transaction, work) => transact(aside, transaction, work),
    lookUp: (work, caller) =>
      transact(caller?.startsWith(strangerMark) ? strangers : lookup, { tenantId: null, caller }, ({ tx }) => work(tx)),
    async changeSchema(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await transact(owner, none, async ({ tx }) => {
            await tx.unsafe(`set local lock_timeout = '${schemaLockMs}ms'`)
            await tx.unsafe(`set local transaction_timeout = '30s'`)
            return work(tx)
          })
        } catch (error) {
          if (sqlState(error) !== '55P03' || attempt >= schemaAttempts) throw error
          // Somebody waits for the change; an index can be built later. The next one may be begun meanwhile, on the same table.
          if (attempt % attemptsBesideBuild === 0) await transact(owner, none, ({ tx }) => endIndexBuilds(tx))
          await new Promise((resolve) => setTimeout(resolve, 20 * Math.min(attempt, 10)))
        }
      }
    },
    async isUp() {
      let limit: NodeJS.Timeout | undefined
      const late = new Promise<boolean>((resolve) => (limit = setTimeout(() => resolve(false), pingMs)))
      const answered = transact(lookup, none, async ({ tx }) => tx`select 1`).then(
        () => true,
        () => false,
      )
      return Promise.race([answered, late]).finally(() => clearTimeout(limit))
    },
    async end(timeoutSeconds) {
      await Promise.all([
        app.end(timeoutSeconds),
        aside.end(timeoutSeconds),
        lookup.end(timeoutSeconds),
        strangers.end(timeoutSeconds),
        owner.end(timeoutSeconds),
      ])
    },
  }
}
