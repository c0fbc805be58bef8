/** Until when and in which hours a key is to hold, as a call asks for it. */
import { AppError } from '#platform/errors.ts'
import { weekdays } from '#platform/key-reach.ts'
import { findTimeZone } from '#tools/users/service.ts'

import { findExpiryIssue } from './auth.rules.ts'
import type { ValidHours } from './auth.schema.ts'

/** The hours with the zone's own name, each day once and in the week's order. Throws AppError `invalid_input` for what can never be. */
export function soundHours(
  { expiresAt, validHours }: { readonly expiresAt?: string | null | undefined; readonly validHours?: ValidHours | null | undefined },
  stamp: string,
): ValidHours | null | undefined {
  const zone = validHours ? findTimeZone(validHours.timeZoneIana, '$.validHours.timeZoneIana') : undefined
  const expiry = findExpiryIssue(expiresAt, stamp)
  const issues = [...(expiry ? [expiry] : []), ...(zone?.isOk === false ? [zone.issue] : [])]
  if (issues[0]) throw new AppError('invalid_input', issues[0].message, { issues })
  if (!validHours || zone?.isOk !== true) return validHours
  return { ...validHours, timeZoneIana: zone.value, days: weekdays.filter((day) => validHours.days.includes(day)) }
}
