/** What may be said of a user, and who may change whom. */
import type { AttemptLimit } from '#platform/attempts.ts'
import type { Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { roleBits, rolesOf } from '#platform/roles.ts'
import { nearest, nearestLanguage, quoted } from '#platform/suggest.ts'

export interface LanguageRow {
  readonly languageRegionId: number
  readonly languageCode: string
}

type Found<T> = { readonly isOk: true; readonly value: T } | { readonly isOk: false; readonly issue: Issue }

/** The language of this code, whatever its case. */
export function findLanguage(code: string, languages: readonly LanguageRow[], path = '$.language'): Found<LanguageRow> {
  const found = languages.find((language) => language.languageCode.toLowerCase() === code.toLowerCase())
  if (found) return { isOk: true, value: found }
  const codes = languages.map((language) => language.languageCode)
  return {
    isOk: false,
    issue: finding(path, `There is no language ${quoted(code)}. list_languages shows them.`, {
      suggestion: nearestLanguage(code, codes),
    }),
  }
}

const zones = Intl.supportedValuesOf('timeZone')

/** The zone by its IANA name, in the name's own case; other names of a zone (Asia/Calcutta) are kept as they are given. */
export function findTimeZone(name: string, path = '$.timezone'): Found<string> {
  const listed = ['UTC', ...zones].find((zone) => zone.toLowerCase() === name.toLowerCase())
  if (listed) return { isOk: true, value: listed }
  try {
    // An offset (+02:00) passes for a zone in JavaScript, but knows no summer.
    if (/^[A-Za-z]/.test(name)) {
      new Intl.DateTimeFormat('en-US', { timeZone: name }).format(0)
      return { isOk: true, value: name }
    }
  } catch {
    // Unknown: the issue below says so.
  }
  const city = zones.find((zone) => zone.toLowerCase().endsWith(`/${name.toLowerCase().replaceAll(' ', '_')}`))
  return {
    isOk: false,
    issue: finding(path, `There is no time zone ${quoted(name)}. Give an IANA name such as Europe/Madrid.`, {
      suggestion: nearest(name, zones) ?? city,
    }),
  }
}

/** Why a caller with these roles may not give them, else undefined: nobody grants a role they lack. */
export function whyNotGranted(held: number, wanted: number): string | undefined {
  const lacking = rolesOf(wanted & ~held)
  return lacking.length === 0 ? undefined : `Nobody grants a role they lack, and this credential lacks ${lacking.join(', ')}.`
}

/** Why a caller may not change the log-in or the contacts of whoever holds these roles, else undefined. */
export function whyNotChanged(held: number, target: number, what: string): string | undefined {
  const lacking = rolesOf(target & ~held)
  return lacking.length === 0 ? undefined : `The ${what} holds ${lacking.join(', ')}, which this credential lacks, so it may not change it.`
}

/** Why a caller with these roles may not get a key that acts as whoever holds others, else undefined: it would read and write as somebody who may more. */
export function whyNotActedAs(held: number, target: number): string | undefined {
  const lacking = rolesOf(target & ~held)
  return lacking.length === 0
    ? undefined
    : `The user holds ${lacking.join(', ')}, which this credential lacks, so it gets no key that acts as this user. Somebody who holds these roles may make it.`
}

/** Why roles may not become others, else undefined: each that is given or taken must be held. */
export function whyNotReplaced(held: number, before: number, after: number): string | undefined {
  const lacking = rolesOf((before ^ after) & ~held)
  return lacking.length === 0 ? undefined : `Nobody grants or takes away a role they lack, and this credential lacks ${lacking.join(', ')}.`
}

/** The administrators' roles that a change of one's own roles would give up, after which nobody might be left to give them back. */
export function rolesGivenUp(before: number, after: number): string[] {
  return rolesOf(before & ~after & (roleBits.AdminUser | roleBits.GlobalAdmin))
}

/** Whether a change leaves a tenant without somebody whom only this user may have been: an administrator of users who is not locked. */
export function givesUpAdministration(before: { readonly roleFlag: number; readonly isLocked: boolean }, after: number): boolean {
  return !before.isLocked && (before.roleFlag & ~after & roleBits.AdminUser) !== 0
}

/** Mails to one address, of whoever asks: nobody's mail box is filled from here. */
export function sendLimits(email: string): AttemptLimit[] {
  const address = email.toLowerCase()
  return [
    { of: ['send', address], most: 5, seconds: 3_600 },
    { of: ['send of the day', address], most: 20, seconds: 86_400 },
  ]
}
