/** Sentences of ours for what the network said. */
import { AppError } from '#platform/errors.ts'

/** Why a call outside failed; what the guard of outbound calls refused says so itself. */
export function networkReason(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AppError) return cause.message
    // An abort has a code, too, a number that says nothing.
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'Its name leads nowhere.'
    if (code === 'ECONNREFUSED') return 'It refused the connection.'
    if (code === 'TimeoutError' || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEOUT')
      return 'It did not answer in time.'
    if (code.includes('CERT') || code.includes('TLS') || code.includes('SIGNATURE')) return 'Its certificate is not valid.'
    if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'It closed the connection.'
  }
  return 'The call failed.'
}
