import { expect } from 'vitest'

/** What a rejected call looks like: its code, and its sentence where that matters. */
export function refused(code: string, message: RegExp = /./): { code: string; message: unknown } {
  return { code, message: expect.stringMatching(message) }
}
