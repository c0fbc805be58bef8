/** The door of the floor for stored definitions: keeping, finding, showing and taking away what people author about entities. */
import { constraintOf } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'
import { readJson } from '#platform/json.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { decodeCursor, type Found, notOfThisList, type PageRequest } from '#platform/paging.ts'
import { quoted } from '#platform/suggest.ts'
import { mapInTurns } from '#platform/turns.ts'
import { type Finding, finding, unknownName } from '#platform/validation.ts'

import { type DefinitionKind, definitionNouns, maxBodyCharacters } from './definitions.schema.ts'
import {
  type DefinitionRow,
  deleteDefinitionRow,
  deleteParts,
  findDefinition,
  findDefinitionNames,
  findDefinitions,
  insertDefinition,
  listDefinitionNames,
  listDefinitions,
  measureDefinitions,
  replaceUses,
  updateDefinition,
} from './definitions.store.ts'
import { findGone, maxReferences, type Reference, subjectsOf, type Vocabulary, withTodaysNames } from './references.rules.ts'
import { refuseUsed } from './uses.ts'
import { viewerOf, whyNotChanged } from './visibility.rules.ts'

export { type DefinitionRow, findDefinitionNames, listDefinitionsAfter, listHeads, listOfEntities } from './definitions.store.ts'
export { type JoinedNames, referencesOfField, referencesOfFilter, referencesOfSort } from './naming.rules.ts'
export { optionsOf, type Reference, type Renames, renamesOf, todaysBody, type Vocabulary, withTodaysNames } from './references.rules.ts'
export { findTokenReferences, type FlatRecords, recordsNamed, referencesOfPathRules, referencesOfTokens } from './token-naming.rules.ts'
export { refuseUsed, usesOf } from './uses.ts'
export { type Viewer, viewerOf } from './visibility.rules.ts'

/** Of one kind in a tenant. */
export const maxDefinitions = 2_000
/** Of all kinds in a tenant. */
const maxBytes = 64 * 1024 * 1024

export type Body = Readonly<Record<string, unknown>>

/** The JSON of a definition, whichever way it was sent; `path` is where it stands in the call. */
export async function readBody(said: unknown, path: string): Promise<{ readonly body: Body } | { readonly findings: readonly Finding[] }> {
  let value = said
  if (typeof said === 'string') {
    if (said.length > maxBodyCharacters)
      return { findings: [finding(path, `At most ${maxBodyCharacters} characters, got ${said.length}.`)] }
    try {
      const parsed = await readJson(Buffer.from(said))
      if (parsed.refusal) return { findings: [finding(path, parsed.refusal.issues?.[0]?.message ?? parsed.refusal.message)] }
      ;({ value } = parsed)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { findings: [finding(path, `${quoted(said)} is no JSON. Send an object, or its JSON text.`)] }
    }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { findings: [finding(path, `Expected an object or its JSON text, got ${quoted(said)}.`)] }
  // Not null and no list: what is left is an object of JSON.
  const body = value as Body
  const { length } = typeof said === 'string' ? said : JSON.stringify(body)
  return length > maxBodyCharacters ? { findings: [finding(path, `At most ${maxBodyCharacters} characters, got ${length}.`)] } : { body }
}

/** A stored definition, read. */
export interface Definition extends Omit<DefinitionRow, 'body' | 'refs'> {
  /** With today's names. */
  readonly body: Body
  /** What it names and is gone. Paths begin at the body. */
  readonly gone: readonly Finding[]
}

function parsed(row: DefinitionRow): { body: Body; references: readonly Reference[] } {
  // Both were written by `written` below.
  return { body: JSON.parse(row.body) as Body, references: JSON.parse(row.refs) as Reference[] }
}

/** Reads rows as they are shown: under the names that everything has today. */
export async function readDefinitions(context: TxContext, rows: readonly DefinitionRow[], vocabulary: Vocabulary): Promise<Definition[]> {
  const read = await mapInTurns(rows, (row) => ({ row, ...parsed(row) }))
  const named = new Set(read.flatMap(({ references }) => references.flatMap((one) => one.definitionId ?? [])))
  const names = await findDefinitionNames(context.tx, context.tenantId, [...named])
  return mapInTurns(read, ({ row, body, references }) => ({
    ...row,
    body: withTodaysNames(body, references, vocabulary, names),
    gone: findGone(body, references, vocabulary, names),
  }))
}

/** Where a kind of definition stands: under an entity, or by itself. */
export interface Place {
  readonly kind: DefinitionKind
  readonly entityId: number | null
  /** The definition whose part it is. */
  readonly partOf?: number
  /** The operation that lists them. */
  readonly lister: string
  /** The parameter that names one. */
  readonly field: string
}

/** The definition that a path names. Throws 404 with the nearest name; what the caller may not see is not there. `isHiddenToo` finds what is hidden from keys. */
export async function mustFindDefinition(
  context: TxContext,
  place: Place,
  slot: IdOrName,
  { isHiddenToo = false }: { readonly isHiddenToo?: boolean } = {},
): Promise<DefinitionRow> {
  const { tx, tenantId } = context
  const viewer = isHiddenToo ? { ...viewerOf(context), isApi: false } : viewerOf(context)
  const row = await findDefinition(tx, tenantId, { ...place, slot, viewer })
  if (row) return row
  const noun = definitionNouns[place.kind]
  if (readIdOrName(slot).name === null) throw new AppError('not_found', `No such ${noun}.`)
  const names = await listDefinitionNames(tx, tenantId, { ...place, viewer })
  throw new AppError('not_found', `No such ${noun}.`, { issues: [unknownName(`$.${place.field}`, noun, slot, names, place.lister)] })
}

/** A page of what the caller sees, in the order of the names; all of it unless a size was asked for. */
export async function listDefinitionPage(context: TxContext, place: Place, page: PageRequest): Promise<Found<DefinitionRow>> {
  const [after] = page.cursor === undefined ? [undefined] : decodeCursor(page.cursor, 1)
  if (after !== undefined && typeof after !== 'string') throw notOfThisList()
  return listDefinitions(context.tx, context.tenantId, { ...place, viewer: viewerOf(context), after }, page)
}

/** What stands in the cursor behind a definition. */
export const placeOf = (row: { readonly internalName: string }) => [row.internalName.toLowerCase()]

export interface DefinitionDraft {
  readonly internalName: string
  readonly description: string
  readonly body: Body
  readonly references: readonly Reference[]
  readonly isShared: boolean
  readonly isApiVisible: boolean
}

function nameTaken(kind: DefinitionKind, name: string): AppError {
  return new AppError(
    'already_exists',
    `There is a ${definitionNouns[kind]} ${quoted(name)} already. Names are compared without regard to case.`,
  )
}

function written({ body, references }: Pick<DefinitionDraft, 'body' | 'references'>): { body: string; refs: string } {
  if (references.length > maxReferences)
    throw new AppError('too_large', `A definition names at most ${maxReferences} things, and this one ${references.length}.`)
  return { body: JSON.stringify(body), refs: JSON.stringify(references) }
}

const bytesOf = ({ body, refs }: Pick<DefinitionRow, 'body' | 'refs'>) => Buffer.byteLength(body) + Buffer.byteLength(refs)

/** Whoever stands beyond a limit may still make a definition smaller. */
async function refuseTooMuch({ tx, tenantId }: TxContext, kind: DefinitionKind, more: { count: number; bytes: number }): Promise<void> {
  if (more.count <= 0 && more.bytes <= 0) return
  const { count, bytes } = await measureDefinitions(tx, tenantId, kind)
  if (more.count > 0 && count + more.count > maxDefinitions)
    throw new AppError(
      'too_large',
      `A tenant has at most ${maxDefinitions} of each kind of definition. Delete a ${definitionNouns[kind]} first.`,
    )
  if (bytes + more.bytes > maxBytes)
    throw new AppError('too_large', `The definitions of a tenant take at most ${maxBytes} bytes. Delete some first.`)
}

/** Keeps a new definition, the caller's own. Inside `changeOtherDefinitions`, checked against the catalog. Throws `already_exists` and `too_large`. */
export async function createDefinition(context: TxContext, place: Place, draft: DefinitionDraft): Promise<DefinitionRow> {
  const { tx, tenantId, actor, stamp } = context
  const text = written(draft)
  await refuseTooMuch(context, place.kind, { count: 1, bytes: bytesOf(text) })
  const { internalName, isShared, isApiVisible } = draft
  const row = {
    kind: place.kind,
    entityId: place.entityId,
    internalName,
    description: draft.description,
    ...text,
    ownerId: actor.tenantUserId,
    isShared,
    isApiVisible,
  }
  const definitionId = await insertDefinition(tx, tenantId, stamp, row)
  if (definitionId === undefined) throw nameTaken(place.kind, internalName)
  await replaceUses(tx, tenantId, definitionId, subjectsOf(draft.references))
  context.audit({ definitionId, internalName })
  return { ...row, definitionId, isSystem: false, createdDate: stamp, modifiedDate: stamp }
}

/** Throws AppError `forbidden` where the caller sees a definition and may not change it. */
export function refuseChange(context: TxContext, row: DefinitionRow): void {
  const why = whyNotChanged(viewerOf(context), row, definitionNouns[row.kind])
  if (why !== undefined) throw new AppError('forbidden', why)
}

/** Changes a definition. Inside `changeOtherDefinitions`; what is not named stays. Throws `forbidden`, `already_exists` and `too_large`. */
export async function changeDefinition(
  context: TxContext,
  row: DefinitionRow,
  change: { readonly [name in keyof DefinitionDraft]?: DefinitionDraft[name] | undefined },
): Promise<DefinitionRow> {
  const { tx, tenantId, stamp } = context
  refuseChange(context, row)
  const { body, references } = change
  const text = body !== undefined && references !== undefined ? written({ body, references }) : { body: row.body, refs: row.refs }
  await refuseTooMuch(context, row.kind, { count: 0, bytes: bytesOf(text) - bytesOf(row) })
  const {
    internalName = row.internalName,
    description = row.description,
    isShared = row.isShared,
    isApiVisible = row.isApiVisible,
  } = change
  const changed = { ...row, ...text, internalName, description, isShared, isApiVisible, modifiedDate: stamp }
  try {
    await updateDefinition(tx, tenantId, stamp, changed)
  } catch (error) {
    if (constraintOf(error) === 'definition_name') throw nameTaken(row.kind, internalName)
    throw error
  }
  if (references !== undefined) await replaceUses(tx, tenantId, row.definitionId, subjectsOf(references))
  context.audit({ definitionId: row.definitionId, internalName })
  return changed
}

/** Keeps a copy of a definition as the caller's own, not shared, with what is gone in it. Inside `changeOtherDefinitions`. */
export async function copyDefinition(context: TxContext, place: Place, row: DefinitionRow, internalName: string): Promise<DefinitionRow> {
  const { description, isApiVisible } = row
  return createDefinition(context, place, { internalName, description, ...parsed(row), isShared: false, isApiVisible })
}

/** A definition whoever owns it, for another one that stands on it. */
export async function findAnyDefinition(
  { tx, tenantId }: TxContext,
  kind: DefinitionKind,
  slot: IdOrName,
): Promise<DefinitionRow | undefined> {
  return findDefinition(tx, tenantId, { kind, slot, entityId: null, viewer: { tenantUserId: 0, seesAll: true, isApi: false } })
}

/** The same of several. */
export async function findAnyDefinitions(
  { tx, tenantId }: TxContext,
  kind: DefinitionKind,
  slots: readonly IdOrName[],
): Promise<DefinitionRow[]> {
  return slots.length === 0 ? [] : findDefinitions(tx, tenantId, kind, slots)
}

/** The names of a kind that the caller sees, for suggestions. */
export async function namesSeen(context: TxContext, place: Place): Promise<string[]> {
  return listDefinitionNames(context.tx, context.tenantId, { ...place, viewer: viewerOf(context) })
}

/** Whether a definition of the kind, whoever owns it, has this name. */
export async function isNameTaken(context: TxContext, kind: DefinitionKind, name: string): Promise<boolean> {
  return (await findAnyDefinition(context, kind, name)) !== undefined
}

/** Deletes a definition that nothing can use. */
export async function dropDefinition(context: TxContext, row: DefinitionRow): Promise<void> {
  await deleteDefinitionRow(context.tx, context.tenantId, row.definitionId)
}

/** Deletes all of a kind that nobody reaches without the definition that they are part of. */
export async function dropParts({ tx, tenantId }: TxContext, kind: DefinitionKind, partOf: number): Promise<void> {
  await deleteParts(tx, tenantId, kind, partOf)
}

/** Deletes a definition. Throws `forbidden`, and `conflict` while another definition uses it, unless `force`. */
export async function removeDefinition(context: TxContext, row: DefinitionRow, force: boolean | undefined): Promise<void> {
  refuseChange(context, row)
  await refuseUsed(context, { definitionId: row.definitionId }, `The ${definitionNouns[row.kind]} ${row.internalName}`, force)
  await deleteDefinitionRow(context.tx, context.tenantId, row.definitionId)
  context.audit({ definitionId: row.definitionId, internalName: row.internalName })
}
