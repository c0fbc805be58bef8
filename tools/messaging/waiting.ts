/**
 * What open awaits share: reads of many conversations go to the database together, and so do checks of credentials. Alone, a read starts at once;
 * when thousands look again after a lost line, they become a few statements.
 */
import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError } from '#platform/errors.ts'
import { rolesHeldNow } from '#platform/holding.ts'
import type { Actor } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import type { Services } from '#platform/services.ts'

import { listReplies, listStates, type MessageRow, type Watched } from './messages.store.ts'

export interface Look {
  readonly state: 'open' | 'ended'
  /** What the cursor was: the one asked for, else the last outbound message's. */
  readonly afterSeq: number
  readonly messages: readonly MessageRow[]
}

/** Poked after each commit that stores an inbound message or ends the conversation. */
export const conversationTopic = (conversationId: number) => `conversation:${conversationId}`

/** Replies that one look answers at most; the cursor leads to the rest. */
export const repliesAtOnce = 100

/** A lost wake-up costs this much at most; a credential is looked at as often. */
export const lookAgainMs = 15_000

const batchSize = 500
const batchesAtOnce = 2

interface Waiting<I, O> {
  readonly input: I
  resolve(output: O): void
  reject(error: unknown): void
}

/** Runs inputs of one kind together: those that come while a batch is under way make up the next one. */
function gather<I, O>(run: (inputs: readonly I[]) => Promise<readonly O[]>): { ask(input: I): Promise<O>; isIdle(): boolean } {
  let queue: Waiting<I, O>[] = []
  let running = 0

  async function pump(): Promise<void> {
    running++
    while (queue.length > 0) {
      const batch = queue.slice(0, batchSize)
      queue = queue.slice(batchSize)
      try {
        const outputs = await run(batch.map((one) => one.input))
        batch.forEach((one, index) => {
          const output = outputs[index]
          if (output === undefined) one.reject(new Error('A batch answered fewer than it was asked'))
          else one.resolve(output)
        })
      } catch (error) {
        for (const one of batch) one.reject(error)
      }
    }
    running--
  }

  return {
    ask: (input) =>
      new Promise((resolve, reject) => {
        queue.push({ input, resolve, reject })
        if (running === 0) void pump()
      }),
    isIdle: () => running === 0,
  }
}

/** At most `limit` of these at once, so that a crowd of tenants leaves connections to everybody else. */
function throttle(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let free = limit
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}

interface Waits {
  look(tenantId: number, watched: Watched): Promise<Look | 'gone'>
  rolesHeld(actor: Actor): Promise<number | 'none'>
  /** Raised by each change of keys, users or tenants. */
  readonly changes: () => number
  /** Calls back at the next change. */
  onChange(callback: () => void): () => void
}

async function readAll(services: Services, tenantId: number, watched: readonly Watched[]): Promise<(Look | 'gone')[]> {
  // The states first: an end that is seen here comes after every message that is seen below it.
  const [states, rows] = await services.databases.transact({ tenantId, isReadOnly: true }, async ({ tx }) => {
    const first = await listStates(tx, tenantId, [...new Set(watched.map((one) => one.conversationId))])
    return [first, await listReplies(tx, tenantId, watched, repliesAtOnce)] as const
  })
  const byId = new Map(states.map((row) => [row.conversationId, row]))
  const byNumber = Map.groupBy(rows, (row) => row.n)
  return watched.map((one, index) => {
    const row = byId.get(one.conversationId)
    return row ? { state: row.state, afterSeq: one.afterSeq ?? row.lastOutboundSeq, messages: byNumber.get(index + 1) ?? [] } : 'gone'
  })
}

function createWaits(services: Services): Waits {
  const limited = throttle(batchesAtOnce)
  const tenants = new Map<number, ReturnType<typeof gather<Watched, Look | 'gone'>>>()
  const callbacks = new Set<() => void>()
  let changes = 0
  // For as long as the process lives, as its authenticator does.
  services.wake.subscribe(credentialsTopic, () => {
    changes++
    for (const callback of callbacks) callback()
  })
  const credentials = gather<Actor, number | 'none'>(async (actors) => {
    const held = await rolesHeldNow(services.databases, actors)
    return held.map((roleFlag) => roleFlag ?? 'none')
  })
  return {
    async look(tenantId, watched) {
      const gathered = tenants.get(tenantId) ?? gather((all: readonly Watched[]) => limited(() => readAll(services, tenantId, all)))
      tenants.set(tenantId, gathered)
      try {
        return await gathered.ask(watched)
      } finally {
        if (gathered.isIdle()) tenants.delete(tenantId)
      }
    },
    rolesHeld: (actor) => credentials.ask(actor),
    changes: () => changes,
    onChange(callback) {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
  }
}

const waits = new WeakMap<Services, Waits>()

function waitsOf(services: Services): Waits {
  const known = waits.get(services)
  if (known) return known
  const made = createWaits(services)
  waits.set(services, made)
  return made
}

export interface AwaitRequest extends Watched {
  readonly tenantId: number
  readonly actor: Actor
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * Waits for a message after the cursor, or the end of the conversation, or the time to be up. Holds no transaction while it waits. Throws
 * AppError `not_found`; `unauthenticated` or `forbidden` where the credential ceased to hold meanwhile.
 */
export async function awaitReplies(services: Services, request: AwaitRequest): Promise<Look & { timedOut: boolean }> {
  const { tenantId, actor, signal } = request
  const shared = waitsOf(services)
  const deadline = performance.now() + request.timeoutMs
  // Listening begins before the first look, or a commit between the two would only be seen at the next look.
  const line = services.wake.listen(conversationTopic(request.conversationId))
  let known = shared.changes()
  let checkedAt = performance.now()
  let { afterSeq } = request
  try {
    for (;;) {
      const found = await shared.look(tenantId, { conversationId: request.conversationId, afterSeq })
      if (found === 'gone') throw new AppError('not_found', 'No such conversation.')
      // A message sent meanwhile must not move the cursor past a reply to the one before.
      afterSeq = found.afterSeq
      const remaining = deadline - performance.now()
      if (found.messages.length > 0 || found.state === 'ended') return { ...found, timedOut: false }
      if (remaining <= 0 || signal.aborted) return { ...found, timedOut: true }
      if (known === shared.changes()) await next(line, shared, Math.min(remaining, lookAgainMs), signal)
      if (known !== shared.changes() || performance.now() - checkedAt >= lookAgainMs) {
        known = shared.changes()
        checkedAt = performance.now()
        refuseUnlessHeld(await shared.rolesHeld(actor))
      }
    }
  } finally {
    line.close()
  }
}

async function next(line: ReturnType<Services['wake']['listen']>, shared: Waits, ms: number, signal: AbortSignal): Promise<void> {
  const changed = new AbortController()
  const forget = shared.onChange(() => changed.abort())
  const onAbort = () => changed.abort()
  signal.addEventListener('abort', onAbort)
  try {
    await line.next(ms, changed.signal)
  } finally {
    signal.removeEventListener('abort', onAbort)
    forget()
  }
}

function refuseUnlessHeld(held: number | 'none'): void {
  if (held === 'none') throw new AppError('unauthenticated', 'The credential ceased to hold while the call was waiting.')
  if ((held & roleBits.DataView) === 0) throw new AppError('forbidden', 'The credential lost the role DataView while the call was waiting.')
}
