/** The record that a path or a body names, and what of it is shown. */
import { rawJson, type RawJson } from '#platform/answer.ts'
import { entityOfRecord, inRecords, lastInRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import type { Finding } from '#platform/findings.ts'
import { maxIssues } from '#platform/issues.ts'
import type { TxContext } from '#platform/operation.ts'
import { quoted } from '#platform/suggest.ts'
import { type CatalogEntity, type CatalogProperty, propertyIndex } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { showing, type Shown, type ShownColumn } from './document.rules.ts'
import { readFrameOf, type ReadFrame } from './frame.ts'
import { type Keys, splitExternalKey } from './keys.rules.ts'
import { findDocument, findId, type RecordName } from './read.store.ts'
import { openSource } from './source.rules.ts'
import { unknownProperty } from './unknown-name.rules.ts'

/** What a path names: digits are always an id, anything else is key1, `-5` among them. */
export function recordName(record: string | number): RecordName {
  const text = String(record)
  return /^\d+$/.test(text) ? { id: Number(text) } : { keys: [text, '', ''] }
}

/** `byKey` is the tool that does the same by a whole key. */
export function noSuchRecord(record: string | number, byKey = 'get_instance_by_key'): AppError {
  const reading = byKey === 'get_instance_by_key' ? '' : ' (to read it: get_instance_by_key)'
  const hint = /^\d+$/.test(String(record))
    ? ` Digits alone are always an eiRecordId; a key made of digits is reached by ${byKey}${reading}.`
    : ` Keys with several parts are reached by ${byKey}.`
  return new AppError('not_found', `No such record.${hint}`)
}

/** Ids above this were never handed out, and PostgreSQL would refuse to compare them. */
function isPossibleId(id: number): boolean {
  return Number.isSafeInteger(id)
}

/** Whether the id is that of a record of this tenant, of whichever entity, which is not deleted and which the caller sees. */
export async function isLiveRecord(context: TxContext, eiRecordId: number): Promise<boolean> {
  const { tx, tenantId } = context
  const entityId = await entityOfRecord(tx, tenantId, eiRecordId)
  const catalog = await cachedCatalog(context)
  const entity = catalog.byIdOrName.get(String(entityId))
  const frame = entity && (await readFrameOf(context, catalog, entity))
  if (!frame?.hasTable) return false
  const id = await inRecords(tx, tenantId, () => findId(tx, openSource(frame), { id: eiRecordId }))
  return id !== undefined
}

/** The properties of these names or ids, in the order of the entity. Throws 400 with every name that it lacks. */
export function chosenProperties(of: CatalogEntity, names: readonly (string | number)[], path: string): readonly CatalogProperty[] {
  const index = propertyIndex(of.properties)
  const issues: Finding[] = []
  const chosen = new Set<CatalogProperty>()
  names.forEach((name, position) => {
    const property = index.get(String(name).toLowerCase())
    if (property) return void chosen.add(property)
    if (issues.length >= maxIssues) return
    const known = of.properties.map((one) => one.internalName)
    issues.push(unknownProperty(of.internalName, name, known, `${path}[${position}]`))
  })
  if (issues[0]) throw new AppError('unknown_property', issues[0].message, { issues })
  return of.properties.filter((property) => chosen.has(property))
}

export interface Narrowing {
  readonly properties?: readonly string[] | undefined
  readonly withDataJson?: boolean | undefined
  /** Of a stored definition: what stands in `data`, and what `properties` may name. */
  readonly columns?: readonly ShownColumn[] | undefined
}

/** What the caller wants of each record. A model pays for each value that it reads, so that over MCP, and for runs, they stand there once. Throws 400. */
export function shownOf(context: Pick<TxContext, 'transport'>, frame: ReadFrame, input: Narrowing): Shown {
  const { properties } = frame.entity
  if (input.columns !== undefined) return shownColumns(context, frame, { ...input, columns: input.columns })
  return {
    properties: input.properties === undefined ? properties : chosenProperties(frame.entity, input.properties, '$.properties'),
    withDataJson: input.withDataJson ?? context.transport === 'rest',
  }
}

function shownColumns(
  context: Pick<TxContext, 'transport'>,
  { entity }: ReadFrame,
  { columns, properties, withDataJson }: Narrowing & { readonly columns: readonly ShownColumn[] },
): Shown {
  const known = columns.map((column) => column.name)
  const asked = new Set(properties?.map((name) => name.toLowerCase()))
  const issues = (properties ?? []).flatMap((name, index) =>
    known.some((one) => one.toLowerCase() === name.toLowerCase())
      ? []
      : [unknownProperty(`The view of ${entity.internalName}`, name, known, `$.properties[${index}]`)],
  )
  if (issues[0]) throw new AppError('unknown_property', issues[0].message, { issues: issues.slice(0, maxIssues) })
  const chosen = properties === undefined ? columns : columns.filter((column) => asked.has(column.name.toLowerCase()))
  const named = new Set(chosen.flatMap((column) => ('property' in column ? column.property : [])))
  return {
    properties: entity.properties.filter((property) => named.has(property)),
    withDataJson: withDataJson ?? context.transport !== 'mcp',
    columns: chosen,
  }
}

/** The live record as JSON text. Throws 404. */
export async function readDocument(context: TxContext, frame: ReadFrame, record: string | number, narrowing: Narrowing): Promise<RawJson> {
  const document = await lastDocumentOf(context, frame, recordName(record), shownOf(context, frame, narrowing))
  if (document === undefined) throw noSuchRecord(record)
  return rawJson(document)
}

function isAbsent(frame: ReadFrame, name: RecordName): boolean {
  return !frame.hasTable || ('id' in name && !isPossibleId(name.id))
}

export async function documentOf(context: TxContext, frame: ReadFrame, name: RecordName): Promise<string | undefined> {
  if (isAbsent(frame, name)) return undefined
  return inRecords(context.tx, context.tenantId, () => findDocument(context.tx, showing(frame), name))
}

/** The same as the last statement of a read. */
export async function lastDocumentOf(context: TxContext, frame: ReadFrame, name: RecordName, shown: Shown): Promise<string | undefined> {
  if (isAbsent(frame, name)) return undefined
  return lastInRecords(context, () => findDocument(context.tx, showing(frame, shown), name))
}

/** The id of a record, live or deleted. Throws 404. */
export async function anyRecordId(context: TxContext, frame: ReadFrame, record: string | number): Promise<number> {
  return recordIdIn(context, frame, record, 'withDeleted')
}

/** The id of a live record. Throws 404. */
export async function liveRecordId(context: TxContext, frame: ReadFrame, record: string | number): Promise<number> {
  return recordIdIn(context, frame, record, 'live')
}

async function recordIdIn(context: TxContext, frame: ReadFrame, record: string | number, rows: 'live' | 'withDeleted'): Promise<number> {
  const { tx, tenantId } = context
  const name = recordName(record)
  if (frame.hasTable && !('id' in name && !isPossibleId(name.id))) {
    const id = await inRecords(tx, tenantId, () => findId(tx, openSource(frame, { rows }), name))
    if (id !== undefined) return id
  }
  throw noSuchRecord(record)
}

/** The keys that a by-key body names: key1..3 or externalKey, never both. */
export function keysInBody(input: {
  key1?: string | undefined
  key2?: string | undefined
  key3?: string | undefined
  externalKey?: string | undefined
}): Keys {
  if (input.externalKey !== undefined) {
    if (input.key1 !== undefined) throw new AppError('invalid_input', 'Send key1..3 or externalKey, not both.')
    const keys = splitExternalKey(input.externalKey)
    if (!keys || keys[0] === '')
      throw new AppError('invalid_input', `${quoted(input.externalKey)} is no external key: one to three parts joined by " / ".`)
    return keys
  }
  if (input.key1 === undefined || input.key1 === '')
    throw new AppError('invalid_input', 'Send key1 (and key2, key3 where the key has more parts), or externalKey.')
  return [input.key1, input.key2 ?? '', input.key3 ?? '']
}
