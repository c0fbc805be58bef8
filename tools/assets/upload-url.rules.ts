/** The token in an upload URL: whose asset, until when, by which key, and a signature over all. It is kept nowhere; the asset's row says whether it was used. */

/** How long an upload URL waits for its PUT. */
export const uploadUrlSeconds = 3600

export interface UploadToken {
  readonly tenantId: number
  readonly assetKey: string
  /** Seconds since the epoch. */
  readonly exp: number
  /** The key that asked: what it may do when the bytes come, the URL may. */
  readonly apiKeyId: number
}

export type Sign = (text: string) => string

function signedPart({ tenantId, assetKey, exp, apiKeyId }: UploadToken): string {
  return `${tenantId}.${assetKey.replaceAll('-', '')}.${exp}.${apiKeyId}`
}

export function writeUploadToken(token: UploadToken, sign: Sign): string {
  const part = signedPart(token)
  return `${part}.${sign(part)}`
}

/** The token of a URL, or undefined where `verify` does not know its signature. */
export function readUploadToken(text: string, verify: (text: string, signature: string) => boolean): UploadToken | undefined {
  const [, part = '', tenantId, key, exp, apiKeyId, signature = ''] =
    /^((\d{1,9})\.([0-9a-f]{32})\.(\d{1,11})\.(\d{1,9}))\.([\w-]{20,100})$/.exec(text) ?? []
  if (tenantId === undefined || key === undefined || exp === undefined || !verify(part, signature)) return undefined
  const assetKey = key.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { tenantId: Number(tenantId), assetKey, exp: Number(exp), apiKeyId: Number(apiKeyId) }
}
