/**
 * Browsers that somebody signed in with before: a signed mark that the browser keeps for 90 days. Where strangers have tried too many passwords for a name,
 * these may still try.
 */
import type { Secrets } from '#platform/secrets.ts'

/** How long a browser is known. */
export const knownSeconds = 90 * 24 * 3_600
const mostPersons = 5
const purpose = 'known browser'

type Signing = Pick<Secrets, 'sign' | 'verify'>

interface Mark {
  readonly userId: number
  /** In seconds since the epoch. */
  readonly at: number
  /** As it is signed. */
  readonly text: string
}

/** The marks that were signed here and hold still, the latest first. */
function marksIn(secrets: Signing, known: string | undefined, now: number): Mark[] {
  return (known ?? '')
    .split('~')
    .slice(0, mostPersons)
    .flatMap((text) => {
      const [, userId = '', at = '', signature = ''] = /^(\d{1,9})\.(\d{1,12})\.([\w-]{43})$/.exec(text) ?? []
      const isOurs = signature !== '' && secrets.verify(purpose, `${userId}.${at}`, signature)
      const age = now / 1000 - Number(at)
      return isOurs && age >= 0 && age < knownSeconds ? [{ userId: Number(userId), at: Number(at), text }] : []
    })
}

/** Whether the person signed in with this browser before. */
export function isKnownTo(secrets: Signing, known: string | undefined, userId: number, now: number): boolean {
  return marksIn(secrets, known, now).some((mark) => mark.userId === userId)
}

/** The marks with that of a person who has just signed in. */
export function knownWith(secrets: Signing, known: string | undefined, userId: number, now: number): string {
  const text = `${userId}.${Math.floor(now / 1000)}`
  const others = marksIn(secrets, known, now).filter((mark) => mark.userId !== userId)
  return [`${text}.${secrets.sign(purpose, text)}`, ...others.map((mark) => mark.text)].slice(0, mostPersons).join('~')
}
