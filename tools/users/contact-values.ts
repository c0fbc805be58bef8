/** E-mails and phones in the one form in which equal ones are equal. */
import { parsePhoneNumberWithError, ParseError } from 'libphonenumber-js'
import { z } from 'zod'

export type Normalized = { readonly isOk: true; readonly value: string } | { readonly isOk: false; readonly message: string }

const emailForm = z.email().max(254)

/** Lower case: no mail system in use tells people apart by case. */
export function normalizeEmail(text: string): Normalized {
  const value = text.trim().toLowerCase()
  if (emailForm.safeParse(value).success) return { isOk: true, value }
  return { isOk: false, message: 'This is no e-mail address. It looks like name@example.com.' }
}

const phoneProblems: Readonly<Record<string, string>> = {
  INVALID_COUNTRY: 'The number needs its country code in front: +14155552671, +34612345678.',
  NOT_A_NUMBER: 'This is no phone number. It looks like +14155552671.',
  TOO_SHORT: 'The number is too short for its country.',
  TOO_LONG: 'The number is too long for its country.',
  INVALID_LENGTH: 'The number has the wrong length for its country.',
}

/** E.164: + and at most 15 digits. Numbers are held to their country's lengths, not to its present ranges, which change. */
export function normalizePhone(text: string): Normalized {
  try {
    const number = parsePhoneNumberWithError(text.trim(), { extract: false })
    if (number.ext) return { isOk: false, message: 'Extensions cannot be reached by messages. Give the number without one.' }
    if (number.isPossible()) return { isOk: true, value: number.number }
    return { isOk: false, message: phoneProblems['INVALID_LENGTH'] ?? '' }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    return { isOk: false, message: phoneProblems[error.message] ?? phoneProblems['NOT_A_NUMBER'] ?? '' }
  }
}

export function normalizeContact(kind: 'email' | 'phone', text: string): Normalized {
  return kind === 'email' ? normalizeEmail(text) : normalizePhone(text)
}
