/** Whom a sign-in names, and how often somebody may try. */
import { networkOf } from '#platform/client-address.ts'
import type { AttemptLimit } from '#platform/attempts.ts'

/** What a person typed as who they are, in the one form in which equal ones are equal. */
export interface LogIn {
  readonly kind: 'name' | 'email'
  readonly value: string
}

/** A name has no @, so what has one is an e-mail, wherever it was typed. */
export function logInOf(text: string): LogIn {
  const value = text.trim().normalize('NFC').toLowerCase()
  return { kind: value.includes('@') ? 'email' : 'name', value }
}

const minute = 60
const hour = 3600

/**
 * Wrong passwords of this log-in from here, from here at all, and of this log-in from anywhere; the same whether it exists or not. A browser that the person
 * signed in with before is not shut out by what strangers tried.
 */
export function passwordLimits({ kind, value }: LogIn, ip: string | undefined, isKnownBrowser = false): AttemptLimit[] {
  const network = networkOf(ip)
  return [
    { of: ['password', kind, value, network], most: 10, seconds: 15 * minute },
    { of: ['password', network], most: 100, seconds: 15 * minute },
    { of: [isKnownBrowser ? 'password of a known browser' : 'password', kind, value], most: 50, seconds: hour },
  ]
}

/** Wrong codes of a person, from anywhere. */
export function codeLimits(userId: number): AttemptLimit[] {
  return [{ of: ['code', String(userId)], most: 10, seconds: hour }]
}

/** Addresses that a person says are theirs, and has a code sent to. */
export function enrolmentSendLimits(userId: number): AttemptLimit[] {
  return [{ of: ['enrolment', String(userId)], most: 20, seconds: 24 * hour }]
}

/** Calls of whoever has not signed in. */
export function publicLimits(ip: string | undefined): AttemptLimit[] {
  return [{ of: ['public', networkOf(ip)], most: 60, seconds: minute }]
}
