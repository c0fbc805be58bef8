/** What a caller may see and do: the access rules that reach them, as conditions on rows. */
import type { AccessRule, AccessVerb, CatalogProperty } from '#tools/entities/catalog.schema.ts'

import type { Parameters } from './columns.rules.ts'

export interface SightRule extends Pick<AccessRule, 'verbs' | 'hidden' | 'readOnly' | 'seesSensitive'> {
  /** Whether it holds for a row under this alias, as SQL; undefined: for every row. */
  readonly holds: ((parameters: Parameters, alias: string) => string) | undefined
}

export interface Sight {
  /** Those that reach the caller. */
  readonly rules: readonly SightRule[]
  /** Changes with the rules, with the caller's roles and with the values that tokens take. */
  readonly fingerprint: string
  /** Of the hashes that stand in for row hashes, as hexadecimal digits. */
  readonly hashKey: string
  /** Some rule looks at related records, of whose changes nothing is told. */
  readonly mayLag: boolean
}

export function rulesFor({ rules }: Sight, verb: AccessVerb): SightRule[] {
  return rules.filter((rule) => rule.verbs.has(verb))
}

/** Whether the rule shows the property in the rows that it holds for. */
export function shows(rule: SightRule, { propertyId, isSensitive }: CatalogProperty): boolean {
  return !rule.hidden.has(propertyId) && (!isSensitive || rule.seesSensitive)
}

/** In which rows a caller sees a property, of those that they see: by which of their reading rules. */
export function showingRules(sight: Sight, property: CatalogProperty): 'everywhere' | 'nowhere' | readonly number[] {
  const reading = rulesFor(sight, 'read')
  const showing = reading.flatMap((rule, index) => (shows(rule, property) ? [index] : []))
  if (showing.length === 0) return 'nowhere'
  return showing.length === reading.length || showing.some((index) => reading[index]?.holds === undefined) ? 'everywhere' : showing
}

/** Whether all rows are seen. */
export function seesEveryRow(sight: Sight): boolean {
  return rulesFor(sight, 'read').some((rule) => rule.holds === undefined)
}

const blockBytes = 64

/** The two keys of an HMAC with SHA-256, as hexadecimal digits: PostgreSQL has the hash and not the HMAC. */
export function hashPads(hashKey: string): [inner: string, outer: string] {
  const key = Buffer.alloc(blockBytes)
  Buffer.from(hashKey, 'hex').subarray(0, blockBytes).copy(key)
  const padded = (byte: number) => Buffer.from(key.map((one) => one ^ byte)).toString('hex')
  return [padded(0x36), padded(0x5c)]
}
