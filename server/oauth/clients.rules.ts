/** What an application may say of itself, where its person may be sent back to, and how it is shown to people. */
const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])
const longestUri = 2_000
const mostUris = 20
const longestName = 64
const mostBytes = 8 * 1024

export interface RedirectTarget {
  /** As a person reads it: the host, or the scheme of an application on the device. */
  readonly host: string
  readonly isLoopback: boolean
  /** Of the page's permission to lead there. */
  readonly source: string
}

/** Undefined for what nobody is sent to: a fragment, a password, plain http across a network, a scheme that was not permitted. */
export function redirectTarget(uri: string, schemes: readonly string[]): RedirectTarget | undefined {
  if (uri.length > longestUri || !URL.canParse(uri) || uri.includes('#') || /[\s\\]|\p{Cc}/u.test(uri)) return undefined
  const { protocol, hostname, host, username, password, origin } = new URL(uri)
  if (username !== '' || password !== '') return undefined
  const isLoopback = loopback.has(hostname)
  if (protocol === 'https:' && !isLoopback && hostname !== '') return { host, isLoopback, source: origin }
  if (protocol === 'http:' && isLoopback) return { host: hostname, isLoopback, source: origin }
  const scheme = protocol.slice(0, -1)
  return schemes.includes(scheme) ? { host: `${scheme}:`, isLoopback: false, source: protocol } : undefined
}

/** The address without its port, where it is the person's own machine: a program there listens where there is room. */
function withoutOwnPort(uri: string): string {
  if (!URL.canParse(uri)) return uri
  const { protocol, hostname } = new URL(uri)
  if (protocol !== 'http:' || !loopback.has(hostname)) return uri
  return uri.replace(/^(http:\/\/(?:\[[^\]]*\]|[^/:?]*)):\d{1,5}(?=[/?]|$)/i, '$1')
}

/** Letter by letter, but for the port of loopback. */
export function isRegistered(uri: string, registered: readonly string[], schemes: readonly string[]): boolean {
  if (!redirectTarget(uri, schemes)) return false
  return registered.some((one) => one === uri || withoutOwnPort(one) === withoutOwnPort(uri))
}

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

// Control and format characters, those among them that turn the direction of a text, and what stands for a line's end.
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu

/** A name for people's eyes, however its application wrote it. */
export function shownName(name: unknown, fallback: string): string {
  const text = typeof name === 'string' ? name.normalize('NFC').replaceAll(unseen, '').replaceAll(/\s+/g, ' ').trim() : ''
  if (text === '') return fallback
  if (text.length <= longestName) return text
  let shown = ''
  // A letter may be many characters, which are not parted.
  for (const { segment } of segments.segment(text.slice(0, 2 * longestName))) {
    if (shown.length + segment.length >= longestName) break
    shown += segment
  }
  return `${shown}…`
}

/** Where an application says who it is; null for one that registered. */
export function idHostOf(clientId: string): string | null {
  return /^https:\/\//i.test(clientId) && URL.canParse(clientId) ? new URL(clientId).host : null
}

/** Whether an address may name an application: it has a path, and is no longer than what is kept of it. */
export function isClientAddress(clientId: string): boolean {
  return clientId.length <= 500 && URL.canParse(clientId) && new URL(clientId).pathname.length > 1
}

/** What is of no use here, and what an application would otherwise be refused for. */
const dropped = [
  'scope',
  'default_max_age',
  'default_acr_values',
  'require_auth_time',
  'sector_identifier_uri',
  'subject_type',
  'id_token_signed_response_alg',
  'initiate_login_uri',
  'response_modes',
  'logo_uri',
  'contacts',
]
const grantTypes = ['authorization_code', 'refresh_token']

/** Brings what an application says of itself to what there is here, in place. Answers what is wrong with it. */
export function fitMetadata(metadata: Record<string, unknown>, schemes: readonly string[]): string | undefined {
  for (const name of dropped) delete metadata[name]
  if (JSON.stringify(metadata).length > mostBytes) return `The metadata is longer than ${mostBytes} bytes.`
  const clientId = typeof metadata['client_id'] === 'string' ? metadata['client_id'] : ''
  const isDocument = idHostOf(clientId) !== null
  // A document may hold no secret, so that one is meant only where nothing was said.
  if (isDocument && metadata['token_endpoint_auth_method'] === 'client_secret_basic') metadata['token_endpoint_auth_method'] = 'none'
  // Loopback and schemes of applications are those of native ones; which of them may be had is decided here.
  metadata['application_type'] = 'native'
  metadata['id_token_signed_response_alg'] = 'ES256'
  const wanted: unknown = metadata['grant_types']
  if (Array.isArray(wanted)) metadata['grant_types'] = wanted.filter((type) => grantTypes.includes(type))
  metadata['response_types'] = ['code']
  const uris: unknown = metadata['redirect_uris']
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > mostUris) return `redirect_uris has 1 to ${mostUris} addresses.`
  const isGood = (uri: unknown) => typeof uri === 'string' && redirectTarget(uri, schemes) !== undefined
  const good = uris.filter(isGood)
  // A document speaks to every server, this one takes of it what it can; who registers here is told.
  if (isDocument && good.length > 0) metadata['redirect_uris'] = good
  else if (good.length < uris.length)
    return 'Redirects are https, or http to localhost, without a fragment. Other schemes are permitted by OAUTH_REDIRECT_SCHEMES.'
  return undefined
}
