/** What a call outside may say, and what is shown of its answer. */
import { AppError } from '#platform/errors.ts'
import { quoted } from '#platform/suggest.ts'
import { isObject } from '#tools/workflows/service.ts'

export const maxBodyBytes = 262_144
export const maxFileBytes = 64 * 1024 * 1024
const maxHeaders = 50

/** An address to call. Throws AppError `unprocessable`; what a log shows of it must hold no password. */
export function readUrl(said: unknown): URL {
  const url = typeof said === 'string' ? URL.parse(said) : null
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new AppError('unprocessable', `${quoted(said)} is no address that can be called, such as https://erp.example.com/orders.`)
  if (url.username !== '' || url.password !== '')
    throw new AppError('unprocessable', 'An address holds no password: keep it with save_secret, and name it in secretHeaders.')
  return url
}

/** What the connection says for itself. */
const own = new Set(
  'connection content-length expect host keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(' '),
)

/** Headers in lower case; those whose token has no value are left out. Throws AppError `unprocessable`. */
export function readHeaders(said: unknown): Record<string, string> {
  const entries = Object.entries(isObject(said) ? said : {}).filter(([, value]) => value !== null && value !== undefined)
  if (entries.length > maxHeaders) throw new AppError('unprocessable', `A call has at most ${maxHeaders} headers.`)
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const header = name.toLowerCase()
      if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(header) || own.has(header))
        throw new AppError('unprocessable', `${quoted(name)} is no header that a step can set.`)
      const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      const text = isPlain ? String(value) : ''
      if (!isPlain || !/^[\t\x20-\x7e\x80-\xff]*$/.test(text))
        throw new AppError('unprocessable', `The header ${quoted(name)} holds what no header can: it is one line of text.`)
      return [header, text]
    }),
  )
}

/** Whether a redirect leads on a call that brings nothing which was meant for the first address alone. */
export function mayBeFollowed({
  method,
  headers,
}: {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
}): boolean {
  return (method === 'GET' || method === 'HEAD') && headers['authorization'] === undefined && headers['cookie'] === undefined
}

export interface HttpResult {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly assetKey?: string
}

// A shorter one stands in many a text by chance.
const shortestSecret = 6

/** What goes along to another address than the call is for. */
const sentAnywhere = ['user-agent', 'accept', 'accept-encoding']

export function headersElsewhere(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => sentAnywhere.includes(name)))
}

/** What the other end says back of a secret is not shown either. */
export function withoutSecrets<T>(result: T, secrets: readonly string[]): T {
  const hidden = secrets.flatMap((secret) => [secret, secret.split(' ').at(-1) ?? '']).filter(({ length }) => length >= shortestSecret)
  if (hidden.length === 0) return result
  const visit = (value: unknown): unknown => {
    if (typeof value === 'string') return hidden.reduce((text, secret) => text.replaceAll(secret, '•••'), value)
    if (Array.isArray(value)) return value.map(visit)
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, visit(one)])) : value
  }
  // Nothing but texts inside it changes.
  return visit(result) as T
}
