/** How much a run may hold: of each value, and of all together. */
import { AppError } from '#platform/errors.ts'

export const maxValueBytes = 262_144
export const maxRunBytes = 2 * 1024 * 1024

/** The bytes of a value as JSON, as far as `most`: one object may stand in many places, and what is too large is not walked to its end. */
function jsonBytes(value: unknown, most: number): number {
  let bytes = 0
  const visit = (one: unknown): void => {
    if (bytes > most) return
    if (typeof one === 'string') {
      // A character is a byte at least.
      bytes += one.length > most ? one.length : Buffer.byteLength(JSON.stringify(one))
      return
    }
    if (typeof one !== 'object' || one === null) {
      bytes += JSON.stringify(one ?? null).length
      return
    }
    bytes += 2
    if (Array.isArray(one)) {
      for (const part of one) {
        if (bytes > most) return
        visit(part)
        bytes++
      }
      return
    }
    for (const [name, part] of Object.entries(one)) {
      if (bytes > most) return
      bytes += name.length + 4
      visit(part)
    }
  }
  visit(value)
  return bytes
}

/** The bytes of a value as JSON. Throws AppError `too_large` past what one may have; `what` names it, `narrow` says how it gets smaller. */
export function bytesOf(value: unknown, what: string, narrow: string): number {
  const bytes = jsonBytes(value, maxValueBytes)
  if (bytes <= maxValueBytes) return bytes
  throw new AppError('too_large', `${what} is larger than ${maxValueBytes / 1024} KB. ${narrow}`)
}

/** Throws AppError `too_large` where a run would hold more than it may. */
export function refuseTooMuch(bytes: number): void {
  if (bytes <= maxRunBytes) return
  const sentence = `The values of this run are larger than ${maxRunBytes / 1024 / 1024} MB together. Read fewer rows and properties, or pass on ids instead of records.`
  throw new AppError('too_large', sentence)
}
