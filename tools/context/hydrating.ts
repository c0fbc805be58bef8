/** A record and what a context says belongs to it, read as one bundle: one statement an include, however many rows there are. */
import { inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { envelopeBytes } from '#platform/paging.ts'
import { eachInTurns } from '#platform/turns.ts'
import { findRecordsOfUser, findUserOfRecord } from '#tools/entities/service.ts'
import {
  everythingOf,
  findDocument,
  type FlatRecord,
  flatRecord,
  type Keys,
  noSuchRecord,
  readFrame,
  readRelated,
  showing,
} from '#tools/query/service.ts'

import type { Plan, PlannedInclude } from './context.rules.ts'
import { openReports } from './reporting.ts'
import { namedUser } from './roots.ts'

const maxRows = 10_000

export interface Anchor {
  readonly eiRecordId?: number | undefined
  readonly key1?: string | undefined
  readonly key2?: string | undefined
  readonly key3?: string | undefined
  readonly tenantUserId?: number | undefined
}

export interface Hydrated {
  readonly anchor: FlatRecord
  /** By the entity's name, and by the names of the includes. */
  readonly data: Readonly<Record<string, unknown>>
  readonly truncated: readonly string[]
  /** Names with dots, each once, however many rows there are. */
  readonly withheld: readonly string[]
}

/** A record where it stands in the bundle, and the object that gets what is inside: one record may stand in several places. */
interface Place {
  readonly record: FlatRecord
  readonly target: Record<string, unknown>
}

interface Hydrating {
  readonly context: TxContext
  readonly asOf: string | undefined
  readonly truncated: Set<string>
  readonly withheld: Set<string>
  rows: number
  bytes: number
}

/** Whom the call is about, by exactly one of the three ways to say it. Throws 400. */
async function anchorName(context: TxContext, plan: Plan, { eiRecordId, key1, key2, key3, tenantUserId }: Anchor) {
  const said = [eiRecordId, key1, tenantUserId].filter((one) => one !== undefined)
  if (said.length !== 1 || key1 === '' || (key1 === undefined && (key2 !== undefined || key3 !== undefined)))
    throw new AppError('invalid_input', 'Send eiRecordId, or key1 (and key2, key3), or tenantUserId.')
  if (eiRecordId !== undefined) return { id: eiRecordId }
  if (key1 !== undefined) return { keys: [key1, key2 ?? '', key3 ?? ''] satisfies Keys }
  const { internalName, entityId } = plan.entity
  const [id, other] = await findRecordsOfUser(context.tx, context.tenantId, entityId, tenantUserId ?? 0, 2)
  if (id === undefined)
    throw new AppError('not_found', `No record of ${internalName} is linked to this user. list_identity_links shows which are linked.`)
  if (other !== undefined)
    throw new AppError(
      'conflict',
      `Several records of ${internalName} are linked to this user, ${id} and ${other} among them. Send eiRecordId.`,
    )
  return { id }
}

async function readAnchor(at: Hydrating, plan: Plan, anchor: Anchor): Promise<FlatRecord> {
  const { tx, tenantId } = at.context
  const frame = await readFrame(at.context, plan.entity.entityId)
  const name = await anchorName(at.context, plan, anchor)
  const shown = { ...everythingOf(plan.entity), withDataJson: false }
  const document = frame.hasTable
    ? await inRecords(tx, tenantId, () => findDocument(tx, showing(frame, shown, { asOf: at.asOf }), name))
    : undefined
  if (document === undefined && at.asOf !== undefined) throw new AppError('not_found', `The record did not live at ${at.asOf}.`)
  if (document === undefined)
    throw 'id' in name ? noSuchRecord(name.id) : new AppError('not_found', 'No such record. list_instances finds keys.')
  at.rows--
  at.bytes -= Buffer.byteLength(document)
  // The statement built it as one object.
  const { record, withheld } = flatRecord(JSON.parse(document) as FlatRecord)
  for (const property of withheld) at.withheld.add(`${plan.entity.internalName}.${property}`)
  return record
}

const idOf = (record: FlatRecord) => Number(record['eiRecordId'])
const parentOf = ({ parentEIRecordId: id }: FlatRecord) => (typeof id === 'number' ? id : undefined)

/** Reads what an include brings for all places at once, puts it there, and goes on inside it. */
async function readInclude(at: Hydrating, include: PlannedInclude, places: readonly Place[]): Promise<void> {
  const { name, path, via, entity, properties, filter, sort, limit } = include
  const isParent = via === 'parent'
  const keyOf = ({ record }: Place) => (isParent ? parentOf(record) : idOf(record))
  const of = [...new Set(places.flatMap((place) => keyOf(place) ?? []))]
  const by = isParent ? 'itself' : via
  const frame = await readFrame(at.context, entity.entityId)
  const budget = { limit: Math.max(0, at.rows), bytes: Math.max(0, at.bytes) }
  const related = await readRelated(at.context, frame, { by, of, properties, filter, sort, each: limit, ...budget, asOf: at.asOf })
  if (related.isCut) at.truncated.add(path)
  const named = new Set(properties.map((property) => property.internalName))
  for (const property of related.withheld) if (named.has(property)) at.withheld.add(`${path}.${property}`)
  const sizes = new Map<FlatRecord, number>()
  const inside: Place[] = []
  await eachInTurns(places, (place) => {
    const key = keyOf(place)
    const placed = (key === undefined ? [] : (related.records.get(key) ?? [])).flatMap((record): Place[] => {
      const size = sizes.get(record) ?? Buffer.byteLength(JSON.stringify(record)) + 1
      sizes.set(record, size)
      if (at.rows <= 0 || at.bytes < size) {
        at.truncated.add(path)
        return []
      }
      at.rows--
      at.bytes -= size
      return [{ record, target: { ...record } }]
    })
    at.bytes -= Buffer.byteLength(name) + 8
    place.target[name] = isParent ? (placed[0]?.target ?? null) : placed.map(({ target }) => target)
    inside.push(...placed)
  })
  for (const one of include.includes) await readInclude(at, one, inside)
}

/** Reads the rows of the reports, after all that their parameters may name. */
async function readReports(at: Hydrating, { reports }: Plan, data: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
  const read: Record<string, unknown> = {}
  if (reports.length === 0) return read
  const run = await openReports(at.context, data, at.asOf)
  for (const one of reports) {
    const { name } = one
    at.bytes -= Buffer.byteLength(name) + 8
    const { rows, hasMore, withheld } = await run(one, Math.max(0, at.bytes))
    for (const column of withheld) at.withheld.add(`${name}.${column}`)
    const placed: unknown[] = []
    let isFull = false
    await eachInTurns(rows, (row) => {
      if (isFull) return
      const size = Buffer.byteLength(JSON.stringify(row)) + 1
      // Rows have an order: none follows one that has no place.
      isFull = at.rows <= 0 || at.bytes < size
      if (isFull) return
      at.rows--
      at.bytes -= size
      placed.push(row)
    })
    if (hasMore || isFull) at.truncated.add(name)
    read[name] = placed
  }
  return read
}

/** Reads a bundle. Throws 400 where the anchor is not said, 404 where there is none. */
export async function hydrate(context: TxContext, plan: Plan, anchor: Anchor, asOf: string | undefined): Promise<Hydrated> {
  const at: Hydrating = {
    context,
    asOf,
    truncated: new Set(),
    withheld: new Set(),
    rows: maxRows,
    bytes: context.answerBytes - 2 * envelopeBytes,
  }
  const record = await readAnchor(at, plan, anchor)
  const included: Record<string, unknown> = {}
  for (const include of plan.includes) await readInclude(at, include, [{ record, target: included }])
  const user = plan.hasUser ? { user: await userOf(context, idOf(record)) } : {}
  const data = { [plan.entity.internalName]: record, ...included, ...user }
  return {
    anchor: record,
    data: { ...data, ...(await readReports(at, plan, data)) },
    truncated: [...at.truncated],
    withheld: [...at.withheld],
  }
}

async function userOf(context: TxContext, eiRecordId: number) {
  const tenantUserId = await findUserOfRecord(context.tx, context.tenantId, eiRecordId)
  return tenantUserId === undefined ? null : namedUser(context, tenantUserId)
}
