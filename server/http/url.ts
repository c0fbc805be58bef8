/** The request target taken apart by ourselves, strictly: routers and query parsers forgive what must not pass. */
import { AppError } from '#platform/errors.ts'
import { hasForbiddenCharacter } from '#platform/json.ts'
import { quoted } from '#platform/suggest.ts'

export interface Target {
  /** As it stood on the wire, still percent-encoded. */
  readonly path: string
  /** After the question mark; empty where there is none. */
  readonly query: string
}

/** Splits a request target. An absolute one (`http://host/path`) loses its host; a fragment is dropped. */
export function splitTarget(url: string): Target {
  const local = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '') || '/'
  const fragment = local.indexOf('#')
  const whole = fragment < 0 ? local : local.slice(0, fragment)
  const mark = whole.indexOf('?')
  return mark < 0 ? { path: whole, query: '' } : { path: whole.slice(0, mark), query: whole.slice(mark + 1) }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The parameters of a query in their order, each with all its values. Throws `invalid_input` on what is no text. */
export function parseQuery(query: string): Map<string, string[]> {
  const parameters = new Map<string, string[]>()
  for (const part of query.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode((equals < 0 ? part : part.slice(0, equals)).replaceAll('+', ' '))
    const value = decode((equals < 0 ? '' : part.slice(equals + 1)).replaceAll('+', ' '))
    if (name === undefined || value === undefined || hasForbiddenCharacter(name) || hasForbiddenCharacter(value)) {
      throw new AppError(
        'invalid_input',
        `The query parameter ${quoted(part, 40)} holds what is no UTF-8 text, or a NUL. Percent-encode it anew.`,
      )
    }
    const values = parameters.get(name)
    if (values) values.push(value)
    else parameters.set(name, [value])
  }
  return parameters
}

/**
 * The text of one path parameter. An empty segment, an encoded slash and a NUL are in no id, name or key, so they answer 404, although a
 * router would match them. `what` is a noun.
 */
export function decodeSegment(segment: string, what: string): string {
  const text = decode(segment)
  if (text === undefined || text === '' || text.includes('/') || hasForbiddenCharacter(text)) {
    const hint = text?.includes('/')
      ? ' A path takes no encoded slash: use the numeric id, or the operation that takes the key in its body.'
      : ''
    throw new AppError('not_found', `No such ${what}.${hint}`)
  }
  return text
}
