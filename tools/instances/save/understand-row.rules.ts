/** Decisions of a save: what a row means, before anything is read or written. */
import type { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { type Finding, finding } from '#platform/findings.ts'
import { type ParsedJson, parseJson } from '#platform/json.ts'
import type { PatternMatcher } from '#platform/patterns.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import type { Value } from '#tools/properties/service.ts'
import { findKeyIssues, type Keys, keyTextOf } from '#tools/query/service.ts'

import type { saveRow } from '../instances.schema.ts'
import { checkData } from './row-data.rules.ts'

export type SaveRowInput = Omit<z.output<typeof saveRow>, 'key1'> & { readonly key1?: string | undefined }
export type ImportMode = 'upsert' | 'overwrite' | 'insertOnly'

/** What a row says of its parent: nothing, none, an id, or a key. */
export type ParentWish =
  | { readonly kind: 'unsaid' }
  | { readonly kind: 'none' }
  | { readonly kind: 'id'; readonly id: number }
  | { readonly kind: 'key'; readonly keys: Keys; readonly entity: string | number | undefined }

/** A row that was understood; `issues` holds what is wrong with it. */
export interface SaveWish {
  readonly index: number
  /** Where the row stands in the body, for issues: `$` or `$.rows[3]`. */
  readonly path: string
  /** The record that the path names, where it names one by id. */
  readonly targetId: number | undefined
  /** What the record is found by. Undefined: no key part was sent and none follows from a property. */
  readonly keys: Keys | undefined
  /** The key parts that were sent, as they were. */
  readonly said: SaidKeys
  readonly values: ReadonlyMap<number, Value>
  readonly parent: ParentWish
  readonly expectedRowHash: string | undefined
  readonly mode: ImportMode
  readonly issues: readonly Finding[]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function dataOf(
  row: SaveRowInput,
  path: string,
  issues: Finding[],
  known: ReadonlyMap<string, ParsedJson> | undefined,
): Record<string, unknown> {
  if (row.data !== undefined && row.dataJson !== undefined) {
    issues.push(finding(`${path}.dataJson`, 'Send data or dataJson, not both.'))
    return {}
  }
  if (row.dataJson === undefined) return row.data ?? {}
  try {
    const parsed = keptOf(known?.get(row.dataJson)) ?? parseJson(row.dataJson)
    if (isObject(parsed)) return parsed
    issues.push(finding(`${path}.dataJson`, 'dataJson must hold a JSON object of values by property.'))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    issues.push(
      ...(error.issues?.map((issue) => ({ ...issue, path: `${path}.dataJson${issue.path.slice(1)}` })) ?? [
        finding(`${path}.dataJson`, error.message),
      ]),
    )
  }
  return {}
}

/** The value of JSON that was parsed already; throws what it was refused for. */
function keptOf(known: ParsedJson | undefined): unknown {
  if (known?.refusal) throw known.refusal
  return known?.value
}

function parentOf(row: SaveRowInput, path: string, issues: Finding[]): ParentWish {
  const hasKey = row.parentKey1 !== undefined && row.parentKey1 !== ''
  if (row.parentEIRecordId !== undefined) {
    if (hasKey) issues.push(finding(`${path}.parentEIRecordId`, 'Send parentEIRecordId or parentKey1..3, not both.'))
    return row.parentEIRecordId === null ? { kind: 'none' } : { kind: 'id', id: row.parentEIRecordId }
  }
  if (!hasKey) {
    if (row.parentKey2 || row.parentKey3)
      issues.push(finding(`${path}.parentKey1`, 'parentKey1 is needed before parentKey2 and parentKey3.'))
    // An empty parentKey1 says that there is none, as the cell of a file does.
    else if (row.parentEntity !== undefined && row.parentKey1 === undefined)
      issues.push(
        finding(
          `${path}.parentEntity`,
          'parentEntity alone names no parent. Send parentKey1 or parentEIRecordId with it, or leave it out.',
        ),
      )
    return { kind: 'unsaid' }
  }
  return { kind: 'key', keys: [row.parentKey1 ?? '', row.parentKey2 ?? '', row.parentKey3 ?? ''], entity: row.parentEntity }
}

type KeyProperties = readonly (CatalogEntity['properties'][number] | undefined)[]

const keyProperties = new WeakMap<CatalogEntity, KeyProperties>()

/** The properties that key1..3 follow from. */
function keyPropertiesOf(entity: CatalogEntity): KeyProperties {
  const known = keyProperties.get(entity)
  if (known) return known
  const found = [1, 2, 3].map((part) => entity.properties.find((property) => property.keyPart === part))
  keyProperties.set(entity, found)
  return found
}

/** Their names. */
export function keySourcesOf(entity: CatalogEntity): (string | undefined)[] {
  return keyPropertiesOf(entity).map((property) => property?.internalName)
}

/** Key parts that follow from properties of the entity; undefined where a part has no such property. */
function derivedParts(entity: CatalogEntity, values: ReadonlyMap<number, Value>): (string | undefined)[] {
  return keyPropertiesOf(entity).map((property) => {
    if (!property) return undefined
    const value = values.get(property.entityPropertyId)
    return value === undefined ? undefined : keyTextOf(property, value)
  })
}

export type SaidKeys = Pick<SaveRowInput, 'key1' | 'key2' | 'key3'>

/** The keys that a row says or that follow from its values, else those of `present`; one said that differs from what follows is an issue. */
export function keysOf(
  entity: CatalogEntity,
  said: SaidKeys,
  values: ReadonlyMap<number, Value>,
  path: string,
  issues: Finding[],
  present?: Keys,
): Keys | undefined {
  const parts = [said.key1, said.key2, said.key3]
  const derived = derivedParts(entity, values)
  const keys = parts.map((part, index) => {
    const follows = derived[index]
    if (part !== undefined && follows !== undefined && part !== follows) {
      issues.push(
        finding(
          `${path}.key${index + 1}`,
          `key${index + 1} follows from a property of ${entity.internalName} and would be "${follows.slice(0, 60)}".`,
        ),
      )
    }
    return follows ?? part ?? present?.[index]
  })
  if (keys.every((part) => part === undefined)) return undefined
  return [keys[0] ?? '', keys[1] ?? '', keys[2] ?? '']
}

/** Understands one row. Nothing is read; every finding is in `issues`. */
export function toWish(
  entity: CatalogEntity,
  row: SaveRowInput,
  at: {
    readonly index: number
    readonly path: string
    readonly targetId?: number | undefined
    readonly modeOfCall?: ImportMode | undefined
    readonly patterns: PatternMatcher
    /** Long dataJson that was parsed already. */
    readonly parsed?: ReadonlyMap<string, ParsedJson> | undefined
    /** How many mistakes of its data are told. */
    readonly most?: number | undefined
  },
): SaveWish {
  const { index, path } = at
  const issues: Finding[] = []
  const checked = checkData(
    entity.properties,
    dataOf(row, path, issues, at.parsed),
    `${path}.${row.dataJson === undefined ? 'data' : 'dataJson'}`,
    at,
  )
  issues.push(...checked.issues)
  const isPartly = issues.length > 0
  const keys = keysOf(entity, row, checked.values, path, issues)
  // Of a record that is named by its id the parts that are not said stay, so only the merged key tells whether it is one.
  if (keys && at.targetId === undefined) issues.push(...findKeyIssues(keys, path, keySourcesOf(entity), isPartly))
  return {
    index,
    path,
    targetId: at.targetId,
    keys,
    said: row,
    values: checked.values,
    parent: parentOf(row, path, issues),
    expectedRowHash: row.expectedRowHash?.toUpperCase(),
    mode: row.importMode ?? at.modeOfCall ?? 'upsert',
    issues,
  }
}

/** Whether the row names every property, so that the record it makes is known without the one that it replaces. */
export function namesAll(entity: CatalogEntity, values: ReadonlyMap<number, Value>): boolean {
  return entity.properties.every((property) => values.has(property.entityPropertyId))
}

/** The values after the save: named ones over the present ones, or over nothing when the row overwrites. */
export function mergeValues(
  entity: CatalogEntity,
  present: ReadonlyMap<number, Value> | undefined,
  named: ReadonlyMap<number, Value>,
): ReadonlyMap<number, Value> {
  if (namesAll(entity, named)) return named
  const merged = new Map<number, Value>()
  for (const { entityPropertyId: id } of entity.properties) merged.set(id, (named.has(id) ? named.get(id) : present?.get(id)) ?? null)
  return merged
}

/** Text that identifies keys in a map. */
export function keyName(keys: Keys): string {
  return keys.join('\u0000')
}
