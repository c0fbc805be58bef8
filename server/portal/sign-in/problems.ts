/** What a refusal is called on a page. The operations' own sentences are for programs. */
import { AppError } from '#platform/errors.ts'

import { factorOfOneselfFirst, onlyByProvider } from '#tools/auth/service.ts'

import type { SignInTexts } from './texts.ts'

export interface Told {
  readonly status: number
  readonly problem: string
  readonly retryAfterSeconds: number | undefined
}

/** `refused`: what a 401 means at this step. Undefined for what is no refusal. */
export function toldOf(error: unknown, texts: SignInTexts, refused: string): Told | undefined {
  if (!(error instanceof AppError)) return undefined
  const { status, code, retryAfterSeconds } = error
  const told = (problem: string) => ({ status, problem, retryAfterSeconds })
  if (code === 'rate_limited') return told(texts.busy(Math.ceil((retryAfterSeconds ?? 60) / 60)))
  if (code === 'unavailable') return told(texts.busy(1))
  if (code === 'tenant_suspended') return told(texts.suspended)
  if (error.message === onlyByProvider) return told(texts.onlyByProvider)
  if (error.message === factorOfOneselfFirst) return told(texts.factorOfOneselfFirst)
  if (status === 401 || status === 404 || status === 400) return told(refused)
  return status === 403 ? told(texts.foreign) : undefined
}
