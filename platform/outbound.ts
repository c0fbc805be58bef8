/**
 * The guard of every call to an address that a tenant chose. It looks at the address that is connected to, at connect time: a redirect or a name
 * that resolves differently the second time meets the same guard.
 */
import { lookup as resolveName, type LookupAddress, type LookupOptions } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

import ipaddr from 'ipaddr.js'
import { Agent, buildConnector, fetch, request } from 'undici'

import type { Config } from './config.ts'
import { AppError } from './errors.ts'

type Allowed = Pick<Config, 'outboundAllow'>

// undici connects, resolves and waits for the answer; each has a limit of its own.
const connectMs = 5_000

function refusal(host: string): AppError {
  return new AppError(
    'unprocessable',
    `${host.slice(0, 200)} is a private, link-local or loopback address, or leads to one. An operator can permit it with OUTBOUND_ALLOW.`,
  )
}

const bare = (host: string) => host.replace(/^\[|\]$/g, '')

/** Of public IPv6, the only block that is handed out; what lies outside is no host's, or some old form of another address. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** The IPv4 address that an IPv6 address stands for (mapped, or through a NAT64 gateway), else the address itself. */
function meant(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  if (address.range() === 'rfc6052') return new ipaddr.IPv4(address.toByteArray().slice(12))
  return address
}

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
  address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(globalUnicast))

/** Whether an IP address may be connected to: public ones, and those within OUTBOUND_ALLOW. */
export function isAllowedAddress(config: Allowed, address: string): boolean {
  const text = bare(address).replace(/%.*$/, '')
  if (!ipaddr.isValid(text)) return false
  const parsed = meant(ipaddr.parse(text))
  if (isPublic(parsed)) return true
  return config.outboundAllow.some((cidr) => {
    const [network, bits] = ipaddr.parseCIDR(cidr)
    return network.kind() === parsed.kind() && parsed.match(network, bits)
  })
}

/**
 * Whether a text is a name that DNS may know. What ends in digits is none: resolvers read `0`, `127.1` and `0x7f000001` as addresses in old forms, and would
 * so pass by whoever looks for the usual one.
 */
export function isHostName(text: string): boolean {
  if (text.length > 253) return false
  const labels = text.replace(/\.$/, '').split('.')
  const isNumber = /^(?:\d+|0x[0-9a-f]*)$/i.test(labels.at(-1) ?? '')
  return !isNumber && labels.every((label) => /^(?!-)[A-Za-z0-9_-]{1,63}$/.test(label) && !label.endsWith('-'))
}

/** Refuses a host that is written as a forbidden address, before anything is resolved or stored. Throws AppError `unprocessable`. */
export function assertAllowedHost(config: Allowed, host: string): void {
  const name = bare(host).toLowerCase().replace(/\.$/, '')
  if (isIP(name) !== 0 && !isAllowedAddress(config, name)) throw refusal(host)
  // The resolver would find out too, but only when the first message is on its way.
  if ((name === 'localhost' || name.endsWith('.localhost')) && !isAllowedAddress(config, '127.0.0.1')) throw refusal(host)
}

/** A `lookup` for sockets: every address of the name must be allowed, so that which one is taken makes no difference. */
export function guardedLookup(config: Allowed): LookupFunction {
  return (
    hostname: string,
    options: LookupOptions,
    callback: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
  ) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) callback(error, [])
      else if (addresses.length === 0 || !addresses.every(({ address }) => isAllowedAddress(config, address)))
        callback(refusal(hostname), [])
      else if (options.all) callback(null, addresses)
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
    })
  }
}

/** A dispatcher for undici's `request` and `fetch`. Close it when its owner ends. */
export function guardedDispatcher(config: Allowed, limits: { headersMs?: number; bodyMs?: number } = {}): Agent {
  const connect = buildConnector({ lookup: guardedLookup(config), timeout: connectMs })
  return new Agent({
    headersTimeout: limits.headersMs ?? 10_000,
    bodyTimeout: limits.bodyMs ?? 10_000,
    // Sockets look a name up, but not an address that is written out.
    connect(options, callback) {
      const host = bare(options.hostname)
      if (isIP(host) !== 0 && !isAllowedAddress(config, host)) callback(refusal(host), null)
      else connect(options, callback)
    },
  })
}

/** The address to connect to for this host, for clients that take neither a dispatcher nor a lookup. Throws AppError `unprocessable`, or what DNS threw. */
export function resolveAllowed(config: Allowed, host: string, timeoutMs: number): Promise<string> {
  const name = bare(host)
  if (isIP(name) !== 0) {
    return isAllowedAddress(config, name) ? Promise.resolve(name) : Promise.reject(refusal(host))
  }
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(Object.assign(new Error('The name was not resolved in time'), { code: 'ETIMEOUT' })), timeoutMs)
    guardedLookup(config)(name, { all: true }, (error, found) => {
      clearTimeout(limit)
      const [first] = Array.isArray(found) ? found : []
      if (error) reject(error)
      else if (first) resolve(first.address)
      else reject(refusal(host))
    })
  })
}

/**
 * Refuses a call that carries a password where it would cross the public network unencrypted; inside a network that an operator permitted it may. Throws
 * AppError `unprocessable`, or what DNS threw.
 */
export async function assertEncrypted(config: Allowed, url: URL): Promise<void> {
  if (url.protocol === 'https:') return
  const address = await resolveAllowed(config, url.hostname, connectMs)
  if (isAllowedAddress({ outboundAllow: [] }, address))
    throw new AppError('unprocessable', `A password does not go to ${url.hostname.slice(0, 200)} unencrypted. Use https.`)
}

/** Whether calls to this host may cross the public network: also where nobody knows yet what its name leads to. Resolves within the time. */
export async function leadsOutside(config: Allowed, host: string, timeoutMs: number): Promise<boolean> {
  const name = bare(host).toLowerCase()
  const isPublicAddress = (address: string) => isAllowedAddress({ outboundAllow: [] }, address)
  if (isIP(name) !== 0) return isPublicAddress(name)
  // Inside nothing is ever called.
  if (config.outboundAllow.length === 0) return true
  const found = new Promise<readonly LookupAddress[]>((resolve) =>
    resolveName(name, { all: true }, (error, addresses) => resolve(error ? [] : addresses)),
  )
  const late = new AbortController()
  const nothing = pause<readonly LookupAddress[]>(timeoutMs, [], { signal: late.signal, ref: false }).catch(() => [])
  const addresses = await Promise.race([found, nothing])
  late.abort()
  return addresses.length === 0 || addresses.some(({ address }) => isPublicAddress(address))
}

interface FetchLimits {
  readonly signal: AbortSignal
  readonly maxBytes: number
}

interface SmallRequest extends FetchLimits {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

interface SmallAnswer {
  readonly status: number
  readonly contentType: string | undefined
  readonly bytes: Buffer
}

/** A small answer of an address, within its limits; no redirect is followed. Throws AppError `unprocessable`, `too_large`, or what the connection threw. */
export async function fetchBytes(
  config: Allowed,
  url: URL,
  { signal, maxBytes, method = 'GET', headers = {}, body: sent }: SmallRequest,
): Promise<SmallAnswer> {
  const dispatcher = guardedDispatcher(config)
  try {
    const { statusCode, headers: answered, body } = await request(url, { dispatcher, signal, method, headers, body: sent ?? null })
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new AppError('too_large', `What that address gives is larger than ${maxBytes} bytes.`)
      chunks.push(chunk)
    }
    const { 'content-type': contentType } = answered
    return { status: statusCode, contentType: typeof contentType === 'string' ? contentType : undefined, bytes: Buffer.concat(chunks) }
  } finally {
    await dispatcher.destroy()
  }
}

/** A small text from an address, within its limits; no redirect is followed. Throws AppError `unprocessable`, or what the connection threw. */
export async function fetchText(
  config: Allowed,
  url: URL,
  limits: FetchLimits,
): Promise<{ readonly status: number; readonly text: string }> {
  await assertEncrypted(config, url)
  const { status, bytes } = await fetchBytes(config, url, limits)
  return { status, text: bytes.toString('utf8') }
}

export interface GuardedFetch {
  /** Of https alone; no redirect is followed. Throws AppError `unprocessable`, or what the connection threw. */
  fetch(url: string | URL, options: { readonly headers: Headers; readonly maxMs: number }): Promise<Response>
  end(): Promise<void>
}

/** For a library that fetches by itself what strangers name. It bounds the body that it reads. */
export function createGuardedFetch(config: Allowed): GuardedFetch {
  const dispatcher = guardedDispatcher(config)
  return {
    async fetch(url, { headers, maxMs }) {
      if (new URL(url).protocol !== 'https:') throw new AppError('unprocessable', 'Only https addresses are read.')
      const options = { dispatcher, headers: [...headers], redirect: 'manual' as const, signal: AbortSignal.timeout(maxMs) }
      return await fetch(url, options)
    },
    end: () => dispatcher.destroy(),
  }
}
