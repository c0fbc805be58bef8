/** Every failure as application/problem+json, with the headers that its status asks for. */
import type { FastifyReply } from 'fastify'

import { AppError, errorCatalogue, type ErrorCode, type Problem, toProblem } from '#platform/errors.ts'

import type { Exchange } from './exchange.ts'

const problemType = 'application/problem+json; charset=utf-8'

// What a caller waits where the thrower knows no better figure.
const retryAfterSeconds: Partial<Record<ErrorCode, number>> = { idempotency_in_progress: 1, rate_limited: 1, unavailable: 5, timeout: 1 }

// Of an answer that was being prepared when it failed.
const answerHeaders = ['content-length', 'content-disposition', 'content-range', 'accept-ranges', 'etag', 'content-security-policy']

/** The AppError that says to a caller what Fastify says to its author; anything else as it is. */
function fromFramework(error: unknown): unknown {
  if (error instanceof AppError || typeof error !== 'object' || error === null || !('code' in error)) return error
  switch (error.code) {
    case 'FST_ERR_BAD_URL':
      return new AppError('invalid_input', 'The path holds a % sequence that is no UTF-8 text. Percent-encode it anew.')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new AppError('not_found', 'The path holds a part that is longer than any id, name or key.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('unsupported_type', 'The Content-Type is not a media type. Send application/json.')
    default:
      return error
  }
}

function problemHeaders(error: unknown, requestId: string): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': problemType,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  }
  if (!(error instanceof AppError)) return headers
  if (error.status === 401) headers['www-authenticate'] = 'Bearer'
  const seconds = error.retryAfterSeconds ?? retryAfterSeconds[error.code]
  if (errorCatalogue[error.code].retryable && seconds !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(seconds)))
  return headers
}

/** The status, headers and body that tell a caller of any thrown value. */
export function problemResponse(thrown: unknown, requestId: string): { problem: Problem; headers: Record<string, string>; body: string } {
  const error = fromFramework(thrown)
  const problem = toProblem(error, requestId)
  return { problem, headers: problemHeaders(error, requestId), body: JSON.stringify(problem) }
}

/** Keeps the code and the cause of a failure for the log. */
export function noteFailure(exchange: Exchange, thrown: unknown, problem: Problem): void {
  exchange.code = problem.code
  if (problem.status >= 500) exchange.error = thrown instanceof AppError ? thrown.cause : thrown
}

/** Answers with the problem of any thrown value and leaves its cause to the log. */
export function sendProblem(reply: FastifyReply, exchange: Exchange, thrown: unknown): FastifyReply {
  const { problem, headers, body } = problemResponse(thrown, exchange.requestId)
  noteFailure(exchange, thrown, problem)
  for (const name of answerHeaders) reply.removeHeader(name)
  return reply.code(problem.status).headers(headers).send(body)
}

/** A range behind the end: whoever resumes a download learns from the size that it has everything. */
export function sendNoSuchRange(reply: FastifyReply, exchange: Exchange, size: number): FastifyReply {
  const error = new AppError('invalid_input', `The Range begins behind the last of the ${size} bytes. Leave it out for the whole file.`)
  const { problem, headers } = problemResponse(error, exchange.requestId)
  noteFailure(exchange, error, problem)
  for (const name of answerHeaders) reply.removeHeader(name)
  const body = JSON.stringify({ ...problem, status: 416 })
  return reply.code(416).headers(headers).header('accept-ranges', 'bytes').header('content-range', `bytes */${size}`).send(body)
}

/** The same as the text of a whole HTTP answer, for connections on which no request came into being. */
export function rawProblem(error: AppError, requestId: string, more: Readonly<Record<string, string>> = {}): string {
  const { problem, headers, body } = problemResponse(error, requestId)
  const all = { ...more, ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${problem.status} ${problem.title}\r\n${lines.join('')}\r\n${body}`
}
