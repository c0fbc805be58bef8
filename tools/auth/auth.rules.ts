/** What a key may be. */
import type { Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'

/** A key that is dead at its birth is a mistake. `stamp` is the transaction's time. */
export function findExpiryIssue(expiresAt: string | null | undefined, stamp: string): Issue | undefined {
  if (expiresAt === null || expiresAt === undefined || Date.parse(expiresAt) > Date.parse(stamp)) return undefined
  return finding('$.expiresAt', 'The time is past. Give one in the future, or none.')
}
