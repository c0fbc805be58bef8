/** What one resolving may cost: a text of a thousand tokens, each with six filters, must not hold up everybody else. */
import { AppError } from '../errors.ts'

/** Counted in characters and list elements that are read or written, about 15 ms of them. */
const unitsAtOnce = 1_500_000

/** No single value that a filter, an operator or a token makes is longer. */
export const maxValueLength = 262_144

export interface Budget {
  left: number
}

/** One for all that is resolved in one turn of the event loop. */
export function newBudget(): Budget {
  return { left: unitsAtOnce }
}

/** Throws AppError `too_large` where more was resolved than one call may. */
export function spend(budget: Budget, units: number): void {
  budget.left -= units
  if (budget.left >= 0) return
  throw new AppError('too_large', 'Resolving this takes too much work. Use fewer tokens and filters, or name narrower values.')
}

/** Counts a text that was made, and answers it. Throws AppError `too_large` for one that is longer than a value may be. */
export function made(budget: Budget, text: string): string {
  spend(budget, text.length)
  if (text.length <= maxValueLength) return text
  const sentence = `A value grows past ${maxValueLength} characters when it is resolved. Name a narrower one, or shorten it with truncate.`
  throw new AppError('too_large', sentence)
}
