/** What a browser is believed, and where it may be sent. */
import type { IncomingHttpHeaders } from 'node:http'

export const authCookie = 'DevPortal.Auth'
export const formCookie = 'DevPortal.Form'
export const knownCookie = 'DevPortal.Known'
export const providerCookie = 'DevPortal.Provider'

/** What a cookie of ours may be: 256 random bits. */
const secretText = /^[\w-]{43}$/

function valueOf({ cookie = '' }: Pick<IncomingHttpHeaders, 'cookie'>, name: string, form: RegExp): string | undefined {
  const values = cookie.split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : []
  })
  const [value] = values
  return values.length === 1 && value !== undefined && form.test(value) ? value : undefined
}

/** The value of a cookie of ours; undefined where it stands there twice, since a neighbouring host may have set one of them. */
export const cookieOf = (headers: Pick<IncomingHttpHeaders, 'cookie'>, name: string) => valueOf(headers, name, secretText)

/** What the browser keeps of who signed in with it before. */
export const knownBrowserOf = (headers: Pick<IncomingHttpHeaders, 'cookie'>) => valueOf(headers, knownCookie, /^[\w.~-]{1,500}$/)

/** What the browser keeps on the way to a tenant's own provider and back; sealed, and not believed yet. */
export const providerMemoryOf = (headers: Pick<IncomingHttpHeaders, 'cookie'>) => valueOf(headers, providerCookie, /^[\w-]{1,3800}$/)

/** As the browser is to keep it. */
export function setCookie(name: string, value: string, isSecure: boolean, seconds?: number): string {
  const until = seconds === undefined ? '' : `; Max-Age=${seconds}`
  return `${name}=${value}; Path=/${until}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}

export function dropCookie(name: string, isSecure: boolean): string {
  return `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}

type FromWhere = 'ours' | 'theirs' | 'unsaid'

/** Whose page sends a request: the browser says it, or the origin does. Programs say nothing. `host` is the address that was asked. */
export function fromWhere(headers: Pick<IncomingHttpHeaders, 'sec-fetch-site' | 'origin'>, host: string): FromWhere {
  const { 'sec-fetch-site': site, origin } = headers
  if (site !== undefined) return site === 'same-origin' ? 'ours' : 'theirs'
  // A page that sends no referrer sends this in its place: whose it is stays unsaid.
  if (origin === undefined || origin === 'null') return 'unsaid'
  const isOurs = URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol) && new URL(origin).host === host
  return isOurs ? 'ours' : 'theirs'
}

const longestPath = 2_000

/** The path to go to: one of this origin, as it was asked for, else `/`. */
export function returnPath(text: string | null | undefined): string {
  if (text === null || text === undefined || text.length > longestPath || !text.startsWith('/')) return '/'
  const base = 'http://here.invalid'
  if (!URL.canParse(text, base)) return '/'
  const { origin, pathname, search, hash } = new URL(text, base)
  // What a browser reads as the address of another host, as it stands or once its dots are gone.
  return origin !== base || pathname.startsWith('//') ? '/' : pathname + search + hash
}

/** The sub-domain of a path within a tenant. */
export function subDomainOf(path: string): string | undefined {
  return /^\/t\/([A-Za-z0-9][A-Za-z0-9-]{0,62})(?:[/?#]|$)/.exec(path)?.[1]?.toLowerCase()
}
