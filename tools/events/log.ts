/** Pages of the log: the records of a row one by one, those that the caller sees. */
import { decodeCursor, notOfThisList } from '#platform/paging.ts'
import type { TxContext } from '#platform/operation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import type { Event, EventKindName } from './events.schema.ts'
import type { LoggedEvent } from './events.types.ts'
import { type EventPlace, listLogged, recordsAtOnce } from './log.store.ts'
import { eventName, type Tellable, tellablesOf, tellAll } from './telling.ts'

export interface LogRequest {
  readonly kinds: readonly EventKindName[]
  readonly dateFrom?: string | undefined
  readonly dateTo?: string | undefined
  readonly pageSize: number
  readonly cursor?: string | undefined
}

/** What one call looks at, whatever of it the caller sees: a page ends there, and the next goes on. */
const lookedAtMost = recordsAtOnce
const rowsAtOnce = 20
const toldAtOnce = 16

interface Place extends EventPlace {
  /** How many records of the row are behind us. */
  readonly done: number
}

function placeIn(cursor: string | undefined): Place | null {
  if (cursor === undefined) return null
  const [at, eventId, done] = decodeCursor(cursor, 3)
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at)) || !Number.isSafeInteger(eventId) || !Number.isSafeInteger(done))
    throw notOfThisList()
  return { at, eventId: Number(eventId), done: Number(done) }
}

interface Step {
  readonly one: Tellable
  /** Behind it. */
  readonly place: readonly [at: string, eventId: number, done: number]
}

function stepsOf(rows: readonly LoggedEvent[], from: Place | null): Step[] {
  return rows.flatMap((row) => {
    const done = from?.eventId === row.eventId ? from.done : 0
    // About no record it is one by itself: nothing of it is left to go on with.
    if (!row.recordIds && done > 0) return []
    return tellablesOf(row).map((one, index): Step => ({ one, place: [row.at, row.eventId, done + index + 1] }))
  })
}

/** A page, and what its cursor holds where there may be more. */
export async function readLog(
  context: TxContext,
  { cursor, pageSize, dateFrom, dateTo, kinds }: LogRequest,
): Promise<{ readonly items: readonly Event[]; readonly next: readonly unknown[] | undefined }> {
  const catalog = await cachedCatalog(context)
  const items: Event[] = []
  let bytes = 2
  let looked = 0
  for (let from = placeIn(cursor); ;) {
    const query = { kinds, dateFrom: dateFrom ?? null, dateTo: dateTo ?? null, upTo: from, limit: rowsAtOnce }
    const rows = await listLogged(context.tx, context.tenantId, query)
    const steps = stepsOf(rows, from)
    for (let at = 0; at < steps.length; at += toldAtOnce) {
      const some = steps.slice(at, at + toldAtOnce)
      const told = await tellAll(
        context,
        catalog,
        some.map(({ one }) => one),
      )
      for (const { one, place } of some) {
        const data = told.get(one)
        looked++
        if (data) {
          // The kinds that were asked for are those of the schema.
          const shown: Event = {
            eventId: eventName(one),
            type: one.event.kind as EventKindName,
            timestamp: one.event.at,
            data: { ...data },
          }
          bytes += Buffer.byteLength(JSON.stringify(shown)) + 1
          if (items.length > 0 && bytes > context.answerBytes) return { items, next: before(place) }
          items.push(shown)
        }
        if (items.length === pageSize || looked >= lookedAtMost) return { items, next: place }
      }
    }
    const last = rows.at(-1)
    if (rows.length < rowsAtOnce || !last) return { items, next: undefined }
    from = { at: last.at, eventId: last.eventId, done: steps.at(-1)?.place[2] ?? from?.done ?? 0 }
  }
}

/** In front of a record that does not fit any more. */
const before = ([at, eventId, done]: Step['place']): Step['place'] => [at, eventId, done - 1]
