/** What a key may be. */
import type { Issue } from '#platform/errors.ts'

/** A key that is dead at its birth is a mistake. `stamp` is the transaction's time. */
export function findExpiryIssue(expiresAt: string | null | undefined, stamp: string): Issue | undefined {
  if (expiresAt === null || expiresAt === undefined || Date.parse(expiresAt) > Date.parse(stamp)) return undefined
  return { path: '$.expiresAt', severity: 'error', message: 'The time is past. Give one in the future, or none.' }
}
