/** What a refusal looks like. */
import { expect } from 'vitest'

import type { AppError } from '#platform/errors.ts'

/** Of a call that rejects: its code, and its sentence where that matters. */
export function refused(code: string, message: RegExp = /./): { code: string; message: unknown } {
  return { code, message: expect.stringMatching(message) }
}

/** Where its findings are. */
export const pathsOf = (error: AppError) => (error.issues ?? []).map((issue) => issue.path)
