/** The token in an upload URL: whose asset, until when, by which key or grant, and a signature over all. It is kept nowhere; the asset's row says whether it was used. */

/** How long an upload URL waits for its PUT. */
export const uploadUrlSeconds = 3600

export interface UploadToken {
  readonly tenantId: number
  readonly assetKey: string
  /** Seconds since the epoch. */
  readonly exp: number
  /** The key (`12`) or the application (`g3`) that asked: what it may do when the bytes come, the URL may. */
  readonly asker: string
}

export type Sign = (text: string) => string

function signedPart({ tenantId, assetKey, exp, asker }: UploadToken): string {
  return `${tenantId}.${assetKey.replaceAll('-', '')}.${exp}.${asker}`
}

export function writeUploadToken(token: UploadToken, sign: Sign): string {
  const part = signedPart(token)
  return `${part}.${sign(part)}`
}

/** The token of a URL, or undefined where `verify` does not know its signature. */
export function readUploadToken(text: string, verify: (text: string, signature: string) => boolean): UploadToken | undefined {
  const [, part = '', tenantId, key, exp, asker, signature = ''] =
    /^((\d{1,9})\.([0-9a-f]{32})\.(\d{1,11})\.(g?\d{1,9}))\.([\w-]{20,100})$/.exec(text) ?? []
  if (tenantId === undefined || key === undefined || exp === undefined || asker === undefined || !verify(part, signature)) return undefined
  const assetKey = key.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { tenantId: Number(tenantId), assetKey, exp: Number(exp), asker }
}

/** Who asks, as a token names it; undefined for anybody but a key and an application. */
export function uploadAskerOf({ kind, credentialId }: { readonly kind: string; readonly credentialId: string }): string | undefined {
  if (kind === 'key') return credentialId.slice('key:'.length)
  return kind === 'grant' ? `g${credentialId.slice('grant:'.length)}` : undefined
}

/** The credential that a token names. */
export function credentialOfAsker(asker: string): { readonly kind: 'key' | 'grant'; readonly credentialId: string } {
  return asker.startsWith('g') ? { kind: 'grant', credentialId: `grant:${asker.slice(1)}` } : { kind: 'key', credentialId: `key:${asker}` }
}
