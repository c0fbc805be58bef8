/** Statements on single versions of many records: what something was when it was told of. */
import type { Tx } from '#platform/db/pool.ts'
import { mapInTurns } from '#platform/turns.ts'

import { createParameters, isoSql, type Parameters } from './columns.rules.ts'
import { filterSql } from './conditions.rules.ts'
import { dataSql, documentSql, type Showing } from './document.rules.ts'
import { run } from './read.store.ts'
import { externalKeySql, fromSql, type Source, withheldSql } from './source.rules.ts'
import type { QueryNode } from './tree.types.ts'

export interface VersionName {
  readonly id: number
  readonly version: number
}

export interface ToldVersion extends VersionName {
  readonly changeNo: string
  readonly externalKey: string
  readonly modifiedBy: number | null
  readonly validFrom: string
  /** Wire values by internalName; null where they take more room than they may. */
  readonly data: Readonly<Record<string, unknown>> | null
  /** What of them is null because the caller does not see it. */
  readonly withheld: readonly string[]
}

/** The records by their index first, then the versions among theirs. */
function namesSql(parameters: Parameters, { alias }: Source, versions: readonly VersionName[]): string[] {
  const ids = `${parameters.add(versions.map(({ id }) => id))}::bigint[]`
  const numbers = `${parameters.add(versions.map(({ version }) => version))}::int[]`
  return [
    `${alias}.id = any(${ids})`,
    `(${alias}.id, ${alias}.version) in (select n.id, n.version from unnest(${ids}, ${numbers}) n(id, version))`,
  ]
}

/** These versions as far as the source shows them; of what takes more than `bytes` each, everything but the values. */
export async function readToldVersions(tx: Tx, showing: Showing, versions: readonly VersionName[], bytes: number): Promise<ToldVersion[]> {
  const { parameters, source } = showing
  const { alias } = source
  const rows = fromSql(parameters, source, ...namesSql(parameters, source, versions))
  const withheld = withheldSql(source)
  const head = [
    `'id': ${alias}.id`,
    `'version': ${alias}.version`,
    `'changeNo': ${alias}.change_no::text`,
    `'externalKey': ${externalKeySql(source)}`,
    `'modifiedBy': ${alias}.modified_by`,
    `'validFrom': ${isoSql(`${alias}.valid_from`)}`,
    `'withheld': ${withheld === undefined ? `'[]'::json` : `array_to_json(${withheld})`}`,
  ]
  const found = await run<{ head: string; data: string | null }>(
    tx,
    `select head, case when octet_length(data) <= ${bytes} then data end as data
     from (select (json_object(${head.join(', ')} null on null))::text as head, (${dataSql(showing)})::text as data from ${rows}) told`,
    parameters,
  )
  // The statement built these texts itself, in the shape of ToldVersion.
  return mapInTurns(found, (row) => ({
    ...(JSON.parse(row.head) as Omit<ToldVersion, 'data'>),
    data: row.data === null ? null : (JSON.parse(row.data) as Record<string, unknown>),
  }))
}

/** These versions as documents, as far as the source shows them; null for one that takes more than `bytes`. */
export async function readVersionDocuments(
  tx: Tx,
  showing: Showing,
  versions: readonly VersionName[],
  bytes: number,
): Promise<(VersionName & { readonly document: Readonly<Record<string, unknown>> | null })[]> {
  const { parameters, source } = showing
  const rows = fromSql(parameters, source, ...namesSql(parameters, source, versions))
  const found = await run<VersionName & { document: string | null }>(
    tx,
    `select id, version, case when octet_length(document) <= ${bytes} then document end as document
     from (select ${source.alias}.id, ${source.alias}.version, (${documentSql(showing)})::text as document from ${rows}) told`,
    parameters,
  )
  // The statement built these texts itself.
  return mapInTurns(found, ({ document, ...name }) => ({
    ...name,
    document: document === null ? null : (JSON.parse(document) as Record<string, unknown>),
  }))
}

/** Those of these versions that fulfil a filter. */
export async function listFulfilling(
  tx: Tx,
  source: Source,
  versions: readonly VersionName[],
  filter: QueryNode | undefined,
): Promise<VersionName[]> {
  const parameters = createParameters()
  const { alias } = source
  const conditions = [...namesSql(parameters, source, versions), ...(filter ? [filterSql(parameters, filter)] : [])]
  return run<VersionName>(tx, `select ${alias}.id, ${alias}.version from ${fromSql(parameters, source, ...conditions)}`, parameters)
}

/** Which of these versions fulfil which of many filters, all in one statement: by the filter's place. Versions that fulfil none are left out. */
export async function listFulfillingEach(
  tx: Tx,
  source: Source,
  versions: readonly VersionName[],
  filters: readonly (QueryNode | undefined)[],
): Promise<(VersionName & { readonly places: readonly number[] })[]> {
  const parameters = createParameters()
  const { alias } = source
  const rows = fromSql(parameters, source, ...namesSql(parameters, source, versions))
  const places = filters.map((filter, place) => (filter ? `case when ${filterSql(parameters, filter)} then ${place} end` : `${place}`))
  return run<VersionName & { readonly places: readonly number[] }>(
    tx,
    `select id, version, places
     from (select ${alias}.id, ${alias}.version, array_remove(array[${places.join(', ')}]::int[], null) as places from ${rows}) asked
     where cardinality(places) > 0`,
    parameters,
  )
}
