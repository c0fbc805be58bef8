/** How long a link lasts, what became of it, and what is said of one that is gone. */
import { AppError } from '#platform/errors.ts'

import type { LinkState } from './links.schema.ts'

const usualSeconds = 7 * 86_400
const leastSeconds = 5 * 60
const mostSeconds = 90 * 86_400

/** The seconds of an ISO 8601 duration of weeks, days, hours, minutes and seconds; undefined for what is none, or outside of what a link may last. */
export function readLifetime(text: string | undefined): number | undefined {
  if (text === undefined) return usualSeconds
  const weeks = /^P(\d{1,4})W$/.exec(text)
  const parts = /^P(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$/.exec(text)
  if (!weeks && (!parts || text === 'P')) return undefined
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts?.slice(1).map((part) => Number(part ?? 0)) ?? []
  const total = weeks ? Number(weeks[1]) * 7 * 86_400 : ((days * 24 + hours) * 60 + minutes) * 60 + seconds
  return total >= leastSeconds && total <= mostSeconds ? total : undefined
}

interface Times {
  readonly usedDate: string | null
  readonly revokedDate: string | null
  readonly expiresAt: string
}

/** What was used stays used, whatever came after. */
export function stateOf({ usedDate, revokedDate, expiresAt }: Times, now: string): LinkState {
  if (usedDate !== null) return 'used'
  if (revokedDate !== null) return 'revoked'
  return Date.parse(expiresAt) <= Date.parse(now) ? 'expired' : 'open'
}

const sentences: Readonly<Record<Exclude<LinkState, 'open'>, string>> = {
  used: 'The link has been used: it takes one answer. Ask whoever sent it for another.',
  expired: 'The link has expired. Ask whoever sent it for another.',
  revoked: 'The link was revoked. Ask whoever sent it.',
}

/** The refusal of a link that was there. */
export function goneLink(state: Exclude<LinkState, 'open'>): AppError {
  return new AppError('conflict', sentences[state], { status: 410 })
}

/** Which state a refusal tells of; undefined where it is another one. */
export function stateOfRefusal(error: AppError): Exclude<LinkState, 'open'> | undefined {
  if (error.status !== 410) return undefined
  return (['used', 'expired', 'revoked'] as const).find((state) => sentences[state] === error.message)
}
