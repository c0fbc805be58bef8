/** A password that somebody shows, counted before it is looked at. */
import { takeAttempt } from '#platform/attempts.ts'
import { inPlace, verifyInPlace } from '#platform/passwords.ts'
import type { Services } from '#platform/services.ts'

import { sharerOf, wrongLogIn } from './attempts.ts'
import { isKnownTo } from './known-browsers.rules.ts'
import { logInOf, passwordLimits, publicLimits } from './sign-in.rules.ts'
import { findPersonByLogIn, type LogInRow } from './sign-in.store.ts'

export interface PasswordOfCall {
  readonly logIn: string
  readonly password: string
  readonly ip: string | undefined
  /** What the browser keeps of who signed in with it. */
  readonly knownBrowser?: string | undefined
}

export interface CheckedPassword {
  readonly person: LogInRow
  /** It counts as no wrong password: to be called once what follows has worked, too. */
  readonly giveBack: () => Promise<void>
}

/**
 * Counts it as a public call, too. Throws AppError `unauthenticated` for a wrong name and a wrong password alike, `rate_limited` where there were too many,
 * `unavailable` where too many sign in at once, which counts as nothing.
 */
export function checkPassword(services: Services, given: PasswordOfCall): Promise<CheckedPassword> {
  return inPlace(() => checkInPlace(services, given))
}

async function checkInPlace(services: Services, { logIn: given, password, ip, knownBrowser }: PasswordOfCall): Promise<CheckedPassword> {
  const { databases } = services
  const sharer = sharerOf({ ip })
  await takeAttempt(services, publicLimits(ip), sharer)
  const logIn = logInOf(given)
  const find = () => databases.lookUp((tx) => findPersonByLogIn(tx, logIn), sharer)
  // Looked up first for browsers that somebody signed in with alone: strangers are counted before anything is asked for them.
  const early = knownBrowser === undefined ? undefined : await find()
  const isKnown = early !== undefined && isKnownTo(services.secrets, knownBrowser, early.userId, Date.now())
  const attempt = await takeAttempt(services, passwordLimits(logIn, ip, isKnown), sharer)
  // Once for whoever it is: a second look-up of names that nobody has would tell them apart by the time.
  const person = knownBrowser === undefined ? await find() : early
  const isRight = await verifyInPlace(password, person?.passwordHash ?? null)
  if (!isRight || !person) throw wrongLogIn()
  return { person, giveBack: () => attempt.giveBack() }
}
