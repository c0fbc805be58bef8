/** What a password may be, and how often a signed-in person may show theirs wrong. */
import type { AttemptLimit } from '#platform/attempts.ts'
import type { Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'

import { logInOf } from '../sign-in/sign-in.rules.ts'

const shortest = 12
const longest = 256

/** Of a person, which sign in. */
export const mostEmails = 10

/** What is wrong with a new password, else undefined. Counted and compared in the form in which it is hashed. */
export function findPasswordIssue(
  password: string,
  of: { readonly path: string; readonly userNames: readonly string[]; readonly isCommon: (text: string) => boolean },
): Issue | undefined {
  const text = password.normalize('NFKC')
  const { length } = Array.from(text)
  if (length < shortest || length > longest)
    return finding(of.path, `A password has ${shortest} to ${longest} characters, and this has ${length}.`)
  if (of.userNames.some((name) => text.toLowerCase() === name.normalize('NFKC').toLowerCase()))
    return finding(of.path, 'The password is the log-in name. Choose another one.')
  if (of.isCommon(text)) return finding(of.path, 'This is one of the passwords that everybody tries first. Choose another one.')
  return undefined
}

/** What is wrong with a log-in name that came with the link of a reset: it changes none, and a person without one takes it. */
export function findResetNameIssue(wanted: string | undefined, present: string | null): Issue | undefined {
  if (wanted === undefined || present === null || logInOf(wanted).value === logInOf(present).value) return undefined
  return finding('$.userName', 'A reset changes no log-in name, and this is not the one of the link. Leave userName out.')
}

/** What a person who takes an invitation may be called, the best first: nothing where the tenant calls them by an e-mail. */
export function proposedNames(label: string | null, subDomain: string | null): string[] {
  if (label === null || label.includes('@')) return []
  return [label, `${label}-${subDomain ?? ''}`]
}

/** Of a session: whoever found it open must not try passwords for long. */
export function proofLimits(userId: number): AttemptLimit[] {
  return [
    { of: ['proof', String(userId)], most: 10, seconds: 15 * 60 },
    { of: ['proof of the hour', String(userId)], most: 50, seconds: 3_600 },
  ]
}
