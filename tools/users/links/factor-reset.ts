/** A reset of a person's second factors: it waits for a day, in which the person may object by a link that is mailed at once. */
import type { Tx } from '#platform/db/pool.ts'
import { queueMail } from '#platform/person-mail.ts'
import type { Services } from '#platform/services.ts'
import { hashToken } from '#platform/sessions.ts'

import { findFactorReset, insertFactorReset, readFactorsOf } from './factor-reset.store.ts'
import { linkUrl, newLinkToken } from './person-links.ts'

export const resetHours = 24

export type AskedReset = { readonly kind: 'nobody' | 'noFactor' } | { readonly kind: 'waiting' | 'asked'; readonly dueAt: string }

export async function askForFactorReset(tx: Tx, services: Services, userId: number): Promise<AskedReset> {
  const found = await readFactorsOf(tx, userId)
  if (!found.isPerson) return { kind: 'nobody' }
  if (!found.hasFactor) return { kind: 'noFactor' }
  const token = newLinkToken()
  const dueAt = await insertFactorReset(tx, { userId, hash: hashToken(token), hours: resetHours })
  if (dueAt === undefined) return { kind: 'waiting', dueAt: (await findFactorReset(tx, userId)) ?? '' }
  await queueMail(tx, services, { kind: 'factorReset', userId, url: linkUrl(services.config, token) })
  return { kind: 'asked', dueAt }
}
