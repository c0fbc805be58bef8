/** What a key may be. */
import type { Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'

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
}

/** Whether a change lets a key's secret open what it did not: more roles, a longer time, or other addresses. */
export function isWidened(before: KeyReach, after: KeyReach): boolean {
  const ends = ({ expiresAt }: KeyReach) => (expiresAt === null ? Infinity : Date.parse(expiresAt))
  const isFromElsewhere =
    before.allowedAddresses.length > 0 &&
    (after.allowedAddresses.length === 0 || after.allowedAddresses.some((address) => !before.allowedAddresses.includes(address)))
  return (after.roleFlag & ~before.roleFlag) !== 0 || ends(after) > ends(before) || isFromElsewhere
}
