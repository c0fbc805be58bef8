/** The one error type of the product, and the catalogue of its codes. */
import { type Finding, toIssue } from './findings.ts'

/** What each code means on the wire. `retryable` says whether the same call may succeed later without being changed. */
export const errorCatalogue = {
  invalid_json: { status: 400, retryable: false, title: 'The body is not valid JSON' },
  invalid_input: { status: 400, retryable: false, title: 'The input is not valid' },
  unknown_property: { status: 400, retryable: false, title: 'Unknown property' },
  unknown_entity: { status: 400, retryable: false, title: 'Unknown entity' },
  unauthenticated: { status: 401, retryable: false, title: 'Credential missing or not accepted' },
  second_factor_required: { status: 401, retryable: false, title: 'A second factor is needed' },
  forbidden: { status: 403, retryable: false, title: 'Not allowed' },
  fresh_proof_required: { status: 403, retryable: false, title: 'A fresh proof of identity is needed' },
  tenant_suspended: { status: 403, retryable: false, title: 'The tenant is suspended' },
  not_found: { status: 404, retryable: false, title: 'Not found' },
  method_not_allowed: { status: 405, retryable: false, title: 'The path takes another method' },
  conflict: { status: 409, retryable: false, title: 'Conflict with the present state' },
  already_exists: { status: 409, retryable: false, title: 'Already exists' },
  stale_layout: { status: 422, retryable: false, title: 'The layout has changed' },
  watermark_reset: { status: 409, retryable: false, title: 'The watermark is from another epoch' },
  idempotency_conflict: { status: 409, retryable: false, title: 'The idempotency key was used with another body' },
  idempotency_in_progress: { status: 409, retryable: true, title: 'A call with this idempotency key is still running' },
  unprocessable: { status: 422, retryable: false, title: 'Understood, but cannot be done' },
  too_large: { status: 413, retryable: false, title: 'Too large' },
  unsupported_type: { status: 415, retryable: false, title: 'Type not accepted' },
  rate_limited: { status: 429, retryable: true, title: 'Too many calls' },
  unavailable: { status: 503, retryable: true, title: 'A dependency is away' },
  timeout: { status: 503, retryable: true, title: 'Took too long' },
  internal: { status: 500, retryable: false, title: 'Unexpected error' },
} as const

export type ErrorCode = keyof typeof errorCatalogue

/** One finding about an input, as the wire shows it. `path` is a JSON path from the root of the body, such as `$.rows[3].data.Title`. */
export interface Issue {
  readonly path: string
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly suggestion?: string
}

export interface AppErrorDetails {
  readonly issues?: readonly Finding[]
  /** Seconds after which the call may be tried again; becomes the Retry-After header. */
  readonly retryAfterSeconds?: number
  /** Instead of the code's own: a `timeout` whose reason is the caller's pace, a `conflict` with what is over for ever. */
  readonly status?: 408 | 410
  /** What the log says beside the sentence; never shown to a caller. */
  readonly cause?: unknown
}

/**
 * Thrown where the truth is learnt. The sentence is ours, says what to do next, and never repeats what a database or a vendor said;
 * `issues` may quote the caller's own names.
 */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly issues: readonly Issue[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly status: number

  constructor(code: ErrorCode, sentence: string, details: AppErrorDetails = {}) {
    super(sentence, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.issues = details.issues?.map(toIssue)
    this.retryAfterSeconds = details.retryAfterSeconds
    this.status = details.status ?? errorCatalogue[code].status
  }
}

/** The body of every error, on every transport (RFC 9457). */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode
  readonly requestId: string
  readonly issues?: readonly Issue[]
}

/** The problem body of any thrown value; what is not an AppError becomes `internal`, without its text. */
export function toProblem(error: unknown, requestId: string): Problem {
  const known =
    error instanceof AppError ? error : new AppError('internal', 'Something failed on our side. Quote the requestId when you report it.')
  return {
    type: `urn:fieldloop:error:${known.code}`,
    title: errorCatalogue[known.code].title,
    status: known.status,
    detail: known.message,
    code: known.code,
    requestId,
    ...(known.issues ? { issues: known.issues } : {}),
  }
}

/** The row, or a 404 that reads the same for a missing record and for another tenant's. `what` is a noun: "asset", "entity". */
export function mustExist<T>(row: T | undefined | null, what: string): T {
  if (row === undefined || row === null) throw new AppError('not_found', `No such ${what}.`)
  return row
}
