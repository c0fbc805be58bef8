/** What a caller may see and do: the access rules that reach them, as conditions on rows. */
import { createHmac } from 'node:crypto'

import type { AccessRule, AccessVerb, CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'

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
  /** Some rule looks at related records or at the time, of whose changes nothing is told. */
  readonly mayLag: boolean
}

export function rulesFor({ rules }: Sight, verb: AccessVerb): SightRule[] {
  return rules.filter((rule) => rule.verbs.has(verb))
}

/** Whether the rule shows the property in the rows that it holds for. */
export function shows(rule: SightRule, { propertyId, isSensitive }: CatalogProperty): boolean {
  return !rule.hidden.has(propertyId) && (!isSensitive || rule.seesSensitive)
}

/** Whether these reading rules show all that the key follows from. */
export function isKeyShown({ properties }: Pick<CatalogEntity, 'properties'>, rules: readonly SightRule[]): boolean {
  return properties.every((property) => property.keyPart === null || rules.some((rule) => shows(rule, property)))
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
/** Sight of every row and of nothing in it: of a record that somebody has made and may not read. */
export function blind(sight: Sight, properties: readonly CatalogProperty[]): Sight {
  const hidden = new Set(properties.map((property) => property.propertyId))
  return { ...sight, rules: [{ verbs: new Set(['read']), hidden, readOnly: new Set(), seesSensitive: false, holds: undefined }] }
}

/** What stands in for a row hash, for who may not see all of the record: it changes with the record and tells nothing. */
export function sealedHash({ hashKey }: Sight, rowHash: string): string {
  const key = Buffer.from(hashKey, 'hex').subarray(0, blockBytes)
  return createHmac('sha256', key).update(Buffer.from(rowHash, 'hex')).digest('hex').slice(0, 40).toUpperCase()
}

/** Which of the caller's rules hold for a row, in their order. */
export type Holding = readonly boolean[]

/** The rules that give a verb on a row. */
export function holdingRules({ rules }: Sight, holding: Holding, verb: AccessVerb): SightRule[] {
  return rules.filter((rule, index) => holding[index] === true && rule.verbs.has(verb))
}
