/**
 * What open awaits share: reads of many conversations go to the database together, and so do checks of credentials. Alone, a read starts at once;
 * when thousands look again after a lost line, they become a few statements. Whether a wake-up was lost is asked for all of them in one.
 */
import { AppError } from '#platform/errors.ts'
import { gather, type Gathered } from '#platform/gather.ts'
import { holdingOf } from '#platform/holding.ts'
import { kept } from '#platform/kept.ts'
import type { Actor } from '#platform/operation.ts'
import { envelopeBytes, fitting } from '#platform/paging.ts'
import { roleBits } from '#platform/roles.ts'
import { createRounds, type Waiting } from '#platform/rounds.ts'
import type { Services } from '#platform/services.ts'
import { throttle } from '#platform/throttle.ts'

import { listReplies, listStates, type MessageRow, type StateRow, type Watched } from './messages.store.ts'
import { toMessage } from '../shown.ts'
import { listStirred, type Sleeping } from './waiting.store.ts'

export interface Look {
  readonly state: 'open' | 'ended'
  /** What the cursor was: the one asked for, else the last outbound message's. */
  readonly afterSeq: number
  readonly messages: readonly MessageRow[]
  /** The record that the conversation is about, and whom it is with. */
  readonly about: Pick<StateRow, 'eiRecordId' | 'tenantUserId' | 'assignedTo'>
}

/** Poked after each commit that stores an inbound message or ends the conversation. */
export const conversationTopic = (conversationId: number) => `conversation:${conversationId}`

/**
 * Replies that one look answers at most; the cursor leads to the rest. Hundreds of waits are looked at together, over whichever transport they came, so
 * that each has the smaller of their limits.
 */
export function repliesAtOnce({ config }: Services): { readonly limit: number; readonly bytes: number } {
  return { limit: 100, bytes: config.limits.mcpAnswerBytes - envelopeBytes }
}

/** As many of these as one answer holds. */
export function repliesShown(services: Services, rows: readonly MessageRow[]): readonly ReturnType<typeof toMessage>[] {
  return fitting(repliesAtOnce(services).bytes, rows.map(toMessage))
}

/** A lost wake-up costs this much at most. */
export const lookAgainMs = 15_000

/** Of all conversations, so that a crowd of tenants leaves connections to everybody else. */
const batchesAtOnce = 2

interface Waits {
  look(tenantId: number, watched: Watched): Promise<Look | 'gone'>
  /** From now on the conversation's waiters are woken where a wake-up was lost. Answers what ends it. */
  watch(sleeping: Sleeping): () => void
}

async function readAll(services: Services, tenantId: number, watched: readonly Watched[]): Promise<(Look | 'gone')[]> {
  // All in one round trip. The states first: an end that is seen here comes after every message that is seen below it.
  const [states, rows] = await services.databases.transact({ tenantId, isReadOnly: true }, ({ tx, endHere }) => {
    const states = listStates(tx, tenantId, [...new Set(watched.map((one) => one.conversationId))])
    const replies = listReplies(tx, tenantId, watched, repliesAtOnce(services))
    endHere()
    return Promise.all([states, replies])
  })
  const byId = new Map(states.map((row) => [row.conversationId, row]))
  const byNumber = Map.groupBy(rows, (row) => row.n)
  return watched.map((one, index) => {
    const row = byId.get(one.conversationId)
    const about = row && { eiRecordId: row.eiRecordId, tenantUserId: row.tenantUserId, assignedTo: row.assignedTo }
    return row && about
      ? { state: row.state, about, afterSeq: one.afterSeq ?? row.lastOutboundSeq, messages: byNumber.get(index + 1) ?? [] }
      : 'gone'
  })
}

function createWaits(services: Services): Waits & { readonly end: () => void } {
  const limited = throttle(batchesAtOnce)
  const tenants = new Map<number, Gathered<Watched, Look | 'gone'>>()
  const rounds = createRounds<Sleeping & Waiting>({
    againMs: lookAgainMs,
    async look(some) {
      const stirred = await services.databases.lookUp((tx) => listStirred(tx, some))
      for (const conversationId of stirred) services.wake.stir(conversationTopic(conversationId))
    },
    log: services.log,
    complaint: 'conversations that are awaited could not be looked at and are looked at again',
  })
  return {
    end: rounds.end,
    watch(sleeping) {
      const waiting = { ...sleeping, lookedAt: performance.now() }
      rounds.add(waiting)
      return () => rounds.remove(waiting)
    },
    async look(tenantId, watched) {
      const gathered = tenants.get(tenantId) ?? gather((all: readonly Watched[]) => limited(() => readAll(services, tenantId, all)))
      tenants.set(tenantId, gathered)
      try {
        return await gathered.ask(watched)
      } finally {
        if (gathered.isIdle()) tenants.delete(tenantId)
      }
    },
  }
}

const waitsOf = kept(createWaits, ({ end }) => end())

export interface AwaitRequest extends Watched {
  readonly tenantId: number
  readonly actor: Actor
  /** Whence the call came. */
  readonly ip: string | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Throws where the caller does not see the record that the conversation is about. */
  readonly mustSee: (about: Look['about']) => Promise<void>
}

/**
 * Waits for a message after the cursor, or the end of the conversation, or the time to be up. Holds no transaction while it waits. Throws
 * AppError `not_found`; `unauthenticated`, `tenant_suspended` or `forbidden` where the credential ceased to hold meanwhile.
 */
export async function awaitReplies(services: Services, request: AwaitRequest): Promise<Look & { timedOut: boolean }> {
  const { tenantId, actor, signal } = request
  const shared = waitsOf(services)
  const held = holdingOf(services, actor, request.ip)
  const deadline = performance.now() + request.timeoutMs
  // Listening begins before the first look, or a commit between the two would only be seen at the next look.
  const line = services.wake.listen(conversationTopic(request.conversationId))
  let { afterSeq } = request
  try {
    for (;;) {
      const found = await shared.look(tenantId, { conversationId: request.conversationId, afterSeq })
      if (found === 'gone') throw new AppError('not_found', 'No such conversation.')
      // Before it waits, too: when somebody answers is not for who does not see what about. A crowd that waits costs one look; this is asked where there is a record.
      if (found.about.eiRecordId !== null) await request.mustSee(found.about)
      // A message sent meanwhile must not move the cursor past a reply to the one before.
      afterSeq = found.afterSeq
      const remaining = deadline - performance.now()
      if (found.messages.length > 0 || found.state === 'ended') return { ...found, timedOut: false }
      if (remaining <= 0 || signal.aborted) return { ...found, timedOut: true }
      const unwatch = shared.watch({ tenantId, conversationId: request.conversationId, afterSeq })
      await held.next(line, remaining, signal).finally(unwatch)
      if (((await held.roles()) & roleBits.DataView) === 0)
        throw new AppError('forbidden', 'The credential lost the role DataView while the call was waiting.')
    }
  } finally {
    line.close()
    held.close()
  }
}
