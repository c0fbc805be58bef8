/** Records as they were in single versions, as the caller sees them: what is told of a change, and asked of it. */
import { inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { nextTurn } from '#platform/turns.ts'
import type { CatalogProperty } from '#tools/entities/catalog.types.ts'

import { showing } from './document.rules.ts'
import type { ReadFrame } from './frame.ts'
import { queryOf } from './pages.ts'
import { openSource } from './source.rules.ts'
import { type FlatRecord, flatRecord } from './related.ts'
import {
  listFulfilling,
  listFulfillingEach,
  readToldVersions,
  readVersionDocuments,
  type ToldVersion,
  type VersionName,
} from './told.store.ts'
import type { QueryNode } from './tree.types.ts'

export type { ToldVersion, VersionName } from './told.store.ts'

/** What names a version in a map. */
export const versionKey = ({ id, version }: VersionName) => `${id}:${version}`

/** Of the longest filters together they are still a statement that is quickly planned. */
const filtersAtOnce = 50

/** Of 256 KiB each they are as much as one answer holds. */
const versionsAtOnce = 16

/** These versions by `versionKey`: those that are still there, of records that the caller sees, with these properties. */
export async function readVersions(
  context: TxContext,
  frame: ReadFrame,
  versions: readonly VersionName[],
  shown: { readonly properties: readonly CatalogProperty[]; readonly bytes: number },
): Promise<ReadonlyMap<string, ToldVersion>> {
  const read = new Map<string, ToldVersion>()
  for (let from = 0; frame.hasTable && from < versions.length; from += versionsAtOnce) {
    const some = versions.slice(from, from + versionsAtOnce)
    const statement = showing(frame, { properties: shown.properties, withDataJson: false }, { rows: 'versions' })
    const found = await inRecords(context.tx, context.tenantId, () => readToldVersions(context.tx, statement, some, shown.bytes))
    for (const one of found) read.set(versionKey(one), one)
  }
  return read
}

/**
 * The same as whole records, flat, as tokens read them: null where one takes more than `bytes`. Values that are withheld are left out.
 */
export async function readFlatVersions(
  context: TxContext,
  frame: ReadFrame,
  versions: readonly VersionName[],
  shown: { readonly properties: readonly CatalogProperty[]; readonly bytes: number },
): Promise<ReadonlyMap<string, FlatRecord | null>> {
  const read = new Map<string, FlatRecord | null>()
  for (let from = 0; frame.hasTable && from < versions.length; from += versionsAtOnce) {
    const some = versions.slice(from, from + versionsAtOnce)
    const statement = showing(frame, { properties: shown.properties, withDataJson: false }, { rows: 'versions' })
    const found = await inRecords(context.tx, context.tenantId, () => readVersionDocuments(context.tx, statement, some, shown.bytes))
    for (const { id, version, document } of found) {
      const { record, withheld } = document === null ? { record: null, withheld: [] } : flatRecord(document)
      const known = record && Object.fromEntries(Object.entries(record).filter(([name]) => !withheld.includes(name)))
      read.set(versionKey({ id, version }), known)
    }
  }
  return read
}

/** The keys of those of these versions that the caller sees and that fulfil a filter, as a list takes it. Throws 400 where it is not sound. */
export async function findFulfilling(
  context: TxContext,
  frame: ReadFrame,
  versions: readonly VersionName[],
  filterRules: unknown,
): Promise<ReadonlySet<string>> {
  const source = openSource(frame, { rows: 'versions' })
  const { filter } = await queryOf(context, frame, source, { filterRules })
  if (!frame.hasTable || versions.length === 0) return new Set()
  const found = await inRecords(context.tx, context.tenantId, () => listFulfilling(context.tx, source, versions, filter))
  return new Set(found.map(versionKey))
}

/**
 * The same of many filters, asked together: of each the keys, or why it is not sound. Where the database cannot compute one of them, it throws for all.
 */
export async function findFulfillingEach(
  context: TxContext,
  frame: ReadFrame,
  versions: readonly VersionName[],
  filters: readonly unknown[],
): Promise<readonly (ReadonlySet<string> | AppError)[]> {
  const source = openSource(frame, { rows: 'versions' })
  const sound: { readonly filter: QueryNode | undefined; readonly keys: Set<string> }[] = []
  const answers: (ReadonlySet<string> | AppError)[] = []
  for (const filterRules of filters) {
    try {
      const { filter } = await queryOf(context, frame, source, { filterRules })
      const keys = new Set<string>()
      sound.push({ filter, keys })
      answers.push(keys)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      answers.push(error)
    }
    await nextTurn()
  }
  for (let from = 0; frame.hasTable && versions.length > 0 && from < sound.length; from += filtersAtOnce) {
    const some = sound.slice(from, from + filtersAtOnce)
    const asked = some.map(({ filter }) => filter)
    const found = await inRecords(context.tx, context.tenantId, () => listFulfillingEach(context.tx, source, versions, asked))
    for (const { places, ...name } of found) for (const place of places) some[place]?.keys.add(versionKey(name))
  }
  return answers
}
