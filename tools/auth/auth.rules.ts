/** What a key may be. */
import { isDeepStrictEqual } from 'node:util'

import type { Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'

import type { ValidHours } from './auth.schema.ts'

/** A key that is dead at its birth is a mistake. `stamp` is the transaction's time. */
export function findExpiryIssue(expiresAt: string | null | undefined, stamp: string): Issue | undefined {
  if (expiresAt === null || expiresAt === undefined || Date.parse(expiresAt) > Date.parse(stamp)) return undefined
  return finding('$.expiresAt', 'The time is past. Give one in the future, or none.')
}

interface KeyReach {
  readonly roleFlag: number
  /** Null: never. */
  readonly expiresAt: string | null
  /** None: from anywhere. */
  readonly allowedAddresses: readonly string[]
  /** Null: always. */
  readonly validHours: ValidHours | null
}

/** Whether a change lets a key's secret open what it did not: more roles, a longer time, other addresses or other hours. */
export function isWidened(before: KeyReach, after: KeyReach): boolean {
  const ends = ({ expiresAt }: KeyReach) => (expiresAt === null ? Infinity : Date.parse(expiresAt))
  const isFromElsewhere =
    before.allowedAddresses.length > 0 &&
    (after.allowedAddresses.length === 0 || after.allowedAddresses.some((address) => !before.allowedAddresses.includes(address)))
  const isAtOtherTimes = before.validHours !== null && !isDeepStrictEqual(before.validHours, after.validHours)
  return (after.roleFlag & ~before.roleFlag) !== 0 || ends(after) > ends(before) || isFromElsewhere || isAtOtherTimes
}

const dayMs = 86_400_000
/** How many days before its end people are told of a key. */
export const warningDays = [14, 3] as const

/** Of which warning there is no need: whoever gives a key so short a time knows it. Null: of none. */
export function needlessWarning(expiresAt: string | null, stamp: string): number | null {
  if (expiresAt === null) return null
  const left = Date.parse(expiresAt) - Date.parse(stamp)
  return warningDays.findLast((days) => left <= days * dayMs) ?? null
}
