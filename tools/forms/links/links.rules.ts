/** How long a link lasts, what became of it, and what is said of one that is gone. */
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { nearest, quoted } from '#platform/suggest.ts'

import type { LinkState } from './links.schema.ts'
import type { Settled, TaskAction } from './tasks.types.ts'

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

/** The same. Throws 400. */
export function mustLifetime(text: string | undefined): number {
  const seconds = readLifetime(text)
  if (seconds !== undefined) return seconds
  const message = 'Expected an ISO 8601 duration from PT5M to P90D, such as P3D or PT12H.'
  throw new AppError('invalid_input', message, { issues: [finding('$.expiresIn', message, { suggestion: 'P7D' })] })
}

interface Times {
  readonly usedDate: string | null
  readonly revokedDate: string | null
  readonly expiresAt: string
  readonly isSettled: boolean
}

/** What was used stays used, whatever came after. */
export function stateOf({ usedDate, revokedDate, expiresAt, isSettled }: Times, now: string): LinkState {
  if (usedDate !== null) return 'used'
  if (revokedDate !== null) return 'revoked'
  if (isSettled) return 'settled'
  return Date.parse(expiresAt) <= Date.parse(now) ? 'expired' : 'open'
}

const sentences: Readonly<Record<Exclude<LinkState, 'open'>, string>> = {
  used: 'The link has been used: it takes one answer. Ask whoever sent it for another.',
  expired: 'The link has expired. Ask whoever sent it for another.',
  revoked: 'The link was revoked. Ask whoever sent it.',
  settled: 'The task of the link is over: nothing is left to do.',
}

/** The refusal of a link that was there. */
export function goneLink(state: Exclude<LinkState, 'open'>): AppError {
  return new AppError('conflict', sentences[state], { status: 410 })
}

const doneSentence = /^The task of the link was done by (.*) at (\d{4}-\S+Z): nothing is left to do\.$/s

/** The refusal of a link to a task that is over. */
export function settledLink({ by, at }: Settled): AppError {
  if (by === undefined) return goneLink('settled')
  return new AppError('conflict', `The task of the link was done by ${by} at ${at}: nothing is left to do.`, { status: 410 })
}

/** Who did the task that a refusal tells of, and when; undefined where it tells of none that somebody did. */
export function doneOfRefusal(error: AppError): { readonly by: string; readonly at: string } | undefined {
  const [, by, at] = (error.status === 410 && doneSentence.exec(error.message)) || []
  return by === undefined || at === undefined ? undefined : { by, at }
}

/** Which state a refusal tells of; undefined where it is another one. */
export function stateOfRefusal(error: AppError): Exclude<LinkState, 'open'> | undefined {
  if (error.status !== 410) return undefined
  if (doneOfRefusal(error)) return 'settled'
  return (['used', 'expired', 'revoked', 'settled'] as const).find((state) => sentences[state] === error.message)
}

interface Wish {
  readonly action?: string | undefined
  readonly choice?: string | undefined
  readonly comment?: string | undefined
}

const refuse = (path: string, message: string, suggestion?: string) =>
  new AppError('invalid_input', message, { issues: [finding(path, message, { suggestion })] })

/** The action that an answer means: the named one, or the only one. Throws 400 for none, another, and a comment that it requires. */
export function actionIn(actions: readonly TaskAction[], { action, choice, comment }: Wish): TaskAction {
  const names = actions.map(({ internalName }) => internalName)
  const path = action === undefined && choice !== undefined ? '$.choice' : '$.action'
  if (action !== undefined && choice !== undefined && action !== choice) throw refuse('$.choice', 'It is another one than action.')
  const said = action ?? choice ?? (actions.length === 1 ? names[0] : undefined)
  if (said === undefined) throw refuse(path, `Say which one in action: ${names.join(', ')}.`)
  const meant = actions.find(({ internalName }) => internalName.toLowerCase() === said.toLowerCase())
  if (!meant) throw refuse(path, `The task has no action ${quoted(said)}. It has ${names.join(', ')}.`, nearest(said, names))
  if (meant.requiresComment && (comment ?? '').trim() === '')
    throw refuse('$.comment', `The action ${meant.internalName} requires a comment.`)
  return meant
}
