/** Where a request comes from: the other end of the connection, or where that is a proxy of ours, whom it says it speaks for. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'

/** The addresses and CIDR ranges as one list to ask. Throws on a text that is neither. */
export function addressList(addresses: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of addresses) {
    const [address = '', bits, ...rest] = text.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (isIP(address) === 0 || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)))
      throw new TypeError(`${text} is no address`)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

export function isOnList(list: BlockList, ip: string | undefined): boolean {
  return ip !== undefined && isIP(ip) !== 0 && list.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4')
}

/** An address of a header or a socket in one form: without a port, brackets, or IPv6 around an IPv4. Undefined for what is none. */
function plainAddress(text: string | undefined): string | undefined {
  const bare = text?.trim().replace(/^\[(.*)\](?::\d{1,5})?$/, '$1') ?? ''
  const address = /^[\d.]+:\d{1,5}$/.test(bare) ? bare.slice(0, bare.indexOf(':')) : bare.replace(/^::ffff:(?=[\d.]+$)/i, '')
  return isIP(address) === 0 ? undefined : address
}

const lists = new WeakMap<readonly string[], BlockList>()

function isTrusted(peer: string | undefined, trusted: readonly string[]): boolean {
  if (trusted.length === 0) return false
  const list = lists.get(trusted) ?? addressList(trusted)
  lists.set(trusted, list)
  return isOnList(list, peer)
}

export interface ToldOrigin {
  /** Host and port as the caller named them, in lower case; empty where it named none. */
  readonly host: string
  readonly isHttps: boolean
}

/** Of a header that each proxy adds to what it got, what the nearest one said. */
function lastOf(header: string | string[] | undefined): string | undefined {
  const said = [header ?? []].flat().join(',').slice(-1_000).split(',').at(-1)?.trim()
  return said === '' ? undefined : said
}

/** Which address the caller asked: by `X-Forwarded-Host` and `-Proto` where a trusted proxy says so, else by the request itself. */
export function toldOrigin(
  { socket, headers }: Pick<IncomingMessage, 'headers'> & { readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress'> },
  trusted: readonly string[],
): ToldOrigin {
  const isBelieved = isTrusted(plainAddress(socket.remoteAddress), trusted)
  const said = (isBelieved ? lastOf(headers['x-forwarded-host']) : undefined) ?? headers.host ?? ''
  return { host: said.toLowerCase(), isHttps: isBelieved && lastOf(headers['x-forwarded-proto'])?.toLowerCase() === 'https' }
}

/**
 * The caller's address. What `X-Forwarded-For` says is believed from `trusted` proxies alone: from its right the first address that is none of theirs, since
 * whatever stands left of it the caller may have written.
 */
export function clientAddress(
  { socket, headers }: Pick<IncomingMessage, 'headers'> & { readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress'> },
  trusted: readonly string[],
): string | undefined {
  const peer = plainAddress(socket.remoteAddress)
  if (peer === undefined || !isTrusted(peer, trusted)) return peer
  const said = [headers['x-forwarded-for'] ?? []].flat().join(',').slice(-4_000).split(',')
  let last = peer
  for (const text of said.toReversed()) {
    const address = plainAddress(text)
    // What is no address was not written by a proxy of ours.
    if (address === undefined) return last
    last = address
    if (!isTrusted(address, trusted)) return address
  }
  return last
}

/** How far callers of one network are told apart: of IPv6 a subscriber has a /64, and every address in it. */
export function networkOf(address: string | undefined): string {
  if (address === undefined || !isIPv6(address)) return address ?? 'unknown'
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const groups = (text: string | undefined) => (text ? text.split(':') : [])
  const left = groups(head)
  const right = groups(tail)
  const missing = tail === undefined ? 0 : 8 - left.length - right.length
  const whole = [...left, ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...right]
  return `${whole
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16).toString(16))
    .join(':')}::/64`
}
