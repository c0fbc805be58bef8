/** Transactions: begun and prepared in the first statement's round trip, committed or nothing. */
import { AppError } from '../errors.ts'
import type { Pool, Tx } from './pool.ts'

export interface TransactionOptions {
  /** Rows of this tenant alone are visible on the platform's tables. */
  readonly tenantId: number | null
  /** Whose share of the connections it counts to, where that is not the tenant or the product. */
  readonly caller?: string | undefined
  readonly isReadOnly?: boolean
  /** One snapshot for several statements, as a report's rows and count need it. */
  readonly isolation?: 'repeatable read'
  /** Sees every tenant's row of the tenant table: for global administrators alone. */
  readonly isGlobal?: boolean
}

export interface OpenTransaction {
  readonly tx: Tx
  /** The transaction's time, ISO 8601 UTC with milliseconds. */
  readonly stamp: () => Promise<string>
  /** Sends the commit behind the statements sent so far, in their round trip. Only where nothing follows: a later statement is refused. */
  readonly endHere: () => void
  /** A statement that has just been sent and whose answer nobody needs before the commit. Where it fails, nothing is committed. */
  readonly trail: (last: Promise<unknown>) => void
}

const silent = () => {}

/**
 * Thrown inside a handler that worked with something read before its transaction began (a compiled catalog, an epoch): it is run again.
 * `prepare` is done first, outside of any transaction: making a table, say.
 */
export class StaleRead extends Error {
  override readonly name = 'StaleRead'
  readonly prepare: (() => Promise<void>) | undefined

  constructor(reason: string, prepare?: () => Promise<void>) {
    super(reason)
    this.prepare = prepare
  }
}

const maxAttempts = 3
const maxPreparations = 5

/**
 * Runs `attempt` again where a concurrent change asks for it: three times at most, and after each preparation that it asks for.
 * `attempt` is given the number of its run, from 1.
 */
export async function rerun<T>(attempt: (number: number) => Promise<T>): Promise<T> {
  let preparations = 0
  for (let number = 1; ; number++) {
    try {
      return await attempt(number - preparations)
    } catch (error) {
      if (error instanceof StaleRead && error.prepare && preparations < maxPreparations) {
        preparations++
        await error.prepare()
        continue
      }
      const isRetried = error instanceof StaleRead || retriedStates.has(sqlState(error) ?? '')
      if (!isRetried || number - preparations >= maxAttempts) throw error
    }
  }
}

/** SQLSTATEs after which the whole handler is run again: serialisation, deadlock, and a plan or a table that changed under it. */
export const retriedStates: ReadonlySet<string> = new Set(['40001', '40P01', '0A000', '42703', '42P01'])

/** The SQLSTATE of a thrown database error, else undefined. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  const { code } = error
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** The name of the constraint that a database error is about. */
export function constraintOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'constraint_name' in error ? String(error.constraint_name) : undefined
}

const endings = new WeakMap<Tx, (() => void)[]>()

/** Calls once the transaction has ended, committed or not, before whoever ran it goes on. */
export function onEnd(tx: Tx, run: () => void): void {
  const runs = endings.get(tx)
  if (runs) runs.push(run)
  else endings.set(tx, [run])
}

/**
 * Runs `work` in one transaction of the pool. Throws what `work` throws, after a rollback; an AppError `unavailable` where the connection is lost.
 */
export async function transact<T>(pool: Pool, options: TransactionOptions, work: (open: OpenTransaction) => Promise<T>): Promise<T> {
  const lease = await pool.lease(options.caller ?? (options.tenantId === null ? 'product' : String(options.tenantId)))
  const { sql: tx } = lease
  let isBroken = false
  try {
    const mode = `${options.isolation ? ` isolation level ${options.isolation}` : ''}${options.isReadOnly ? ' read only' : ''}`
    // Sent without waiting, so that they travel with the handler's first statement.
    const begun = tx.unsafe(`begin${mode}`).execute()
    const prologue = tx<{ stamp: string }[]>`
      select set_config('app.tenant_id', ${options.tenantId === null ? '' : String(options.tenantId)}, true),
        set_config('app.is_global', ${options.isGlobal ? 'on' : 'off'}, true),
        date_trunc('milliseconds', now()) as stamp`.execute()
    begun.catch(silent)
    prologue.catch(silent)
    let ending: Promise<{ readonly command: string }> | undefined
    const endHere = () => {
      if (ending) return
      ending = tx.unsafe('commit').execute()
      ending.catch(silent)
      lease.seal()
    }
    const trailing: Promise<unknown>[] = []
    const trail = (last: Promise<unknown>) => {
      last.catch(silent)
      trailing.push(last)
    }
    let result: T
    try {
      result = await work({ tx, stamp: async () => (await prologue)[0]?.stamp ?? '', endHere, trail })
    } catch (error) {
      isBroken = lease.isLost() || isConnectionLoss(error) || (await (ending ? isUnended(ending) : rollback(tx)))
      throw error
    }
    endHere()
    const [end] = await Promise.all([ending, begun, prologue, ...trailing]).catch(async (cause: unknown) => {
      isBroken = lease.isLost() || isConnectionLoss(cause) || (await isUnended(ending))
      throw cause
    })
    // A commit of an aborted transaction answers ROLLBACK and no error.
    if (end?.command !== 'COMMIT') throw new Error('The transaction was rolled back because one of its statements had failed')
    return result
  } catch (error) {
    // A statement that was not sent any more fails as cancelled; what it means is the lost connection.
    if (isConnectionLoss(error) || (lease.isLost() && !(error instanceof AppError))) {
      isBroken = true
      throw new AppError('unavailable', 'The database connection was lost. Try again.', { cause: error, retryAfterSeconds: 1 })
    }
    throw error
  } finally {
    const runs = endings.get(tx) ?? []
    endings.delete(tx)
    for (const run of runs) run()
    lease.release(isBroken)
  }
}

/** Whether the commit that was sent has failed as a statement, so that the connection can no longer be trusted. */
async function isUnended(ending: Promise<unknown> | undefined): Promise<boolean> {
  try {
    await ending
    return false
  } catch (error) {
    return sqlState(error) === undefined
  }
}

/** Whether the connection can no longer be trusted. */
async function rollback(tx: Tx): Promise<boolean> {
  try {
    await tx.unsafe('rollback')
    return false
  } catch {
    return true
  }
}

function isConnectionLoss(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false
  const { code } = error
  return (
    code === 'CONNECTION_CLOSED' ||
    code === 'CONNECTION_ENDED' ||
    code === 'CONNECTION_DESTROYED' ||
    code === 'CONNECT_TIMEOUT' ||
    code === 'ECONNREFUSED' ||
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    code === '57P01' ||
    code === '57P02' ||
    code === '57P03' ||
    // transaction_timeout and idle_in_transaction_session_timeout end the session.
    code === '25P03' ||
    code === '25P04'
  )
}
