/**
 * Our own pool over postgres.js: clients of one connection each. After a dropped connection postgres.js reconnects by itself and would
 * run the rest of a transaction outside of it; here a handle dies with its connection, and refuses statements before postgres.js sees them.
 */
import postgres from 'postgres'

import { AppError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { createShares, type SharesOptions } from '../shares.ts'
import { arrayOidOf, arrayTypes } from './arrays.ts'

/** A transaction's statements: tagged templates, `unsafe` for compiled text, `json` and `array` for parameters. */
export type Tx = postgres.TransactionSql<Record<string, unknown>>

export interface PoolOptions {
  readonly url: string
  /** Shown in pg_stat_activity. */
  readonly name: string
  readonly size: number
  /** Connections beyond the size, for callers that hold none: a tenant whose slow calls have all the others keeps nobody waiting. */
  readonly reserve?: number
  /** The most connections of one tenant, alone and among others. All of them where this is absent. */
  readonly ofCaller?: SharesOptions['ofCaller']
  /** Keeps one connection more than is in use open: to open one takes long while the processors are busy, and that is when a quiet tenant comes. */
  readonly keepsSpare?: boolean
  readonly log: Logger
  /** How long a caller waits for a free connection before 503. */
  readonly waitMs?: number
  /** How many may wait for one, of all callers. */
  readonly mostWaiting?: number
  /** A connection is closed after this many transactions: each touched table costs it memory that only closing gives back. */
  readonly recycleAfter?: number
  /** Told of each statement as it is sent, for measuring; `connection` tells one connection's statements from another's. */
  readonly onStatement?: OnStatement | undefined
}

export type OnStatement = (text: string, parameters: readonly unknown[], connection: number) => void

interface Slot {
  client: postgres.Sql
  /** Its connection is gone: the slot is thrown away with its client, and no statement of its lease is sent any more. */
  isLost: boolean
  isOpen: boolean
  uses: number
  /** The statements of the lease, for the moment when the connection goes. */
  statements: Statement[]
}

/** What postgres.js keeps in a query: whether it was asked for, and for which session it was put on the wire. */
interface Statement {
  readonly executed: boolean
  readonly state: unknown
  cancel(): void
}

/** A checked-out connection. */
export interface Lease {
  readonly sql: Tx
  /** Whether the connection went meanwhile, with whatever stood in its transaction. */
  readonly isLost: () => boolean
  /** From now on statements are refused: the transaction's end is on its way. */
  readonly seal: () => void
  /** Gives the connection back; `isBroken` throws it away instead. */
  release(isBroken?: boolean): void
}

export interface Pool {
  /** `caller` is whose share it counts to: a tenant, or the product itself. */
  lease(caller: string): Promise<Lease>
  /** Waits for leases to come back, at most `timeoutSeconds`, then closes every connection. */
  end(timeoutSeconds?: number): Promise<void>
  readonly stats: () => { readonly size: number; readonly busy: number; readonly waiting: number }
}

const isoTime = (text: string) => {
  // "2026-11-21 10:00:00.5+00" → "2026-11-21T10:00:00.500Z"; sessions run in UTC.
  const match = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00(?::00)?$/.exec(text)
  return match ? `${match[1]}T${match[2]}.${(match[3] ?? '').padEnd(3, '0').slice(0, 3)}Z` : text
}

const passText = (value: unknown) => String(value)

/** The options that every connection of the product shares; see the findings on what postgres.js does to times and big numbers. */
export function connectionOptions(name: string): postgres.Options<Record<string, postgres.PostgresType>> {
  return {
    max: 1,
    idle_timeout: 0,
    // postgres.js would otherwise close a connection in the middle of a lease; the pool recycles between leases.
    max_lifetime: null,
    connect_timeout: 5,
    // See arrays.ts.
    fetch_types: false,
    onnotice: () => {},
    transform: { column: { from: postgres.toCamel } },
    connection: { application_name: name, TimeZone: 'UTC' },
    types: {
      // Times are text on both ways: a Date would cut microseconds and turn an impossible day into another one.
      timestamptz: { to: 25, from: [1184, 1114], serialize: passText, parse: isoTime },
      date: { to: 1082, from: [1082], serialize: passText, parse: (text: string) => text },
      // Every bigint of ours is below 2^53.
      bigint: { to: 20, from: [20], serialize: passText, parse: Number },
      ...arrayTypes(isoTime),
    },
  }
}

const silent = () => {}

const stopping = () => new AppError('unavailable', 'The server is shutting down. Try again on another instance.', { retryAfterSeconds: 2 })

/** Opens a pool. Connections are made when first needed. */
export function createPool(options: PoolOptions): Pool {
  const {
    url,
    name,
    size,
    reserve = 0,
    ofCaller,
    keepsSpare = false,
    log,
    waitMs = 10_000,
    mostWaiting = 10_000,
    recycleAfter = 20_000,
    onStatement,
  } = options
  const shares = createShares({
    capacity: size,
    reserve,
    ...(ofCaller ? { ofCaller } : {}),
    waitMs,
    waitingOfCaller: 1_000,
    waitingInAll: mostWaiting,
    what: 'database connection',
  })
  const idle: Slot[] = []
  let made = 0
  let spare: Promise<void> | undefined
  let isEnding = false
  let whenIdle: (() => void) | undefined

  function makeSlot(): Slot {
    const slot: Slot = { client: undefined as unknown as postgres.Sql, isLost: false, isOpen: false, uses: 0, statements: [] }
    slot.client = postgres(url, {
      ...connectionOptions(name),
      ...(onStatement ? { debug: (connection, text, parameters) => onStatement(text, parameters, connection) } : {}),
      onclose: () => dropClient(slot),
    })
    return slot
  }

  // Whoever has a share finds a slot: as many are made as there are shares.
  function takeSlot(): Slot {
    const slot = idle.pop()
    if (slot) return slot.isLost ? makeSlot() : slot
    made++
    return makeSlot()
  }

  function openSpare(): void {
    if (!keepsSpare || spare || isEnding || idle.length > 0 || made >= size + reserve) return
    const slot = makeSlot()
    spare = slot.client`select 1`.then(
      () => {
        slot.isOpen = true
        made++
        idle.unshift(slot)
        spare = undefined
      },
      () => {
        // Whoever needs one next opens it, and learns why it does not.
        dropClient(slot)
        spare = undefined
      },
    )
  }

  function giveBack(slot: Slot, isBroken: boolean): void {
    let next = slot
    if (isBroken || slot.isLost) {
      dropClient(slot)
      next = makeSlot()
    } else if (++slot.uses >= recycleAfter) {
      slot.client.end({ timeout: 1 }).catch(silent)
      next = makeSlot()
    }
    next.statements = []
    idle.push(next)
    if (idle.length === made) whenIdle?.()
  }

  return {
    async lease(caller) {
      const share = await shares.take(caller)
      const slot = takeSlot()
      const release = (returned: Slot, isBroken: boolean) => {
        giveBack(returned, isBroken)
        share.release()
      }
      try {
        if (!slot.isOpen) {
          await slot.client`select 1`
          slot.isOpen = true
        }
      } catch (cause) {
        release(slot, true)
        log.warn({ err: cause, pool: name }, 'no database connection')
        throw new AppError('unavailable', 'The database cannot be reached. Try again in a moment.', { cause, retryAfterSeconds: 2 })
      }
      openSpare()
      return leaseOf(slot, release)
    },
    async end(timeoutSeconds = 5) {
      shares.close(stopping())
      isEnding = true
      if (idle.length < made || spare) {
        await Promise.race([
          Promise.all([spare, idle.length < made && new Promise<void>((resolve) => (whenIdle = resolve))]),
          new Promise<void>((resolve) => setTimeout(resolve, timeoutSeconds * 1000).unref()),
        ])
      }
      await Promise.all(idle.map((slot) => slot.client.end({ timeout: 1 }).catch(silent)))
    },
    stats: () => ({ size, busy: made - idle.length, waiting: shares.stats().waiting }),
  }
}

/**
 * The end of a client whose connection is gone, or about to go. Left alone, postgres.js connects again and sends what was queued, outside of its transaction; and
 * after a reset connection it never settles what it had sent. Both fail here.
 */
function dropClient(slot: Slot): void {
  slot.isLost = true
  for (const statement of slot.statements) if (statement.executed && statement.state === null) statement.cancel()
  slot.client.end({ timeout: 0 }).catch(silent)
}

function leaseOf(slot: Slot, giveBack: (slot: Slot, isBroken: boolean) => void): Lease {
  let isReleased = false
  let isSealed = false
  const { client } = slot
  const guard = () => {
    if (isSealed) throw new Error('A statement came after the end of its transaction')
    if (isReleased || slot.isLost) {
      throw new AppError('unavailable', 'The database connection was lost. Try again.', { retryAfterSeconds: 1 })
    }
  }
  const keep = <T>(made: T): T => {
    // A query is a promise with these properties; what builds a part of one is neither.
    if (made instanceof Promise) slot.statements.push(made as unknown as Statement)
    return made
  }
  // postgres.js takes a template or a helper's arguments through the same function; both go through the guard.
  const call = (first: never, ...rest: never[]) => {
    guard()
    return keep(client(first, ...rest))
  }
  const guarded = Object.assign(call, {
    json: client.json,
    array: (values: readonly unknown[], elementOid?: number) => client.typed(values as never, arrayOidOf(values, elementOid)),
    typed: client.typed,
    types: client.types,
    unsafe: (...args: Parameters<typeof client.unsafe>) => {
      guard()
      return keep(client.unsafe(...args))
    },
  })
  return {
    // The parts of TransactionSql that we use are all here; savepoints and prepare are not, and no statement of ours calls them.
    sql: guarded as unknown as Tx,
    isLost: () => slot.isLost,
    seal: () => void (isSealed = true),
    release(isBroken = false) {
      if (isReleased) return
      isReleased = true
      giveBack(slot, isBroken)
    },
  }
}
