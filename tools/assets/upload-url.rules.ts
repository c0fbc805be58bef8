/** The token in an upload URL: whose asset, until when, and a signature over both. It is kept nowhere; the asset's row says whether it was used. */

/** How long an upload URL waits for its PUT. */
export const uploadUrlSeconds = 3600

export interface UploadToken {
  readonly tenantId: number
  readonly assetKey: string
  /** Seconds since the epoch. */
  readonly exp: number
}

export type Sign = (text: string) => string

function signedPart({ tenantId, assetKey, exp }: UploadToken): string {
  return `${tenantId}.${assetKey.replaceAll('-', '')}.${exp}`
}

export function writeUploadToken(token: UploadToken, sign: Sign): string {
  const part = signedPart(token)
  return `${part}.${sign(part)}`
}

/** The token of a URL, or undefined where `verify` does not know its signature. */
export function readUploadToken(text: string, verify: (text: string, signature: string) => boolean): UploadToken | undefined {
  const [, tenantId, key, exp, signature] = /^(\d{1,9})\.([0-9a-f]{32})\.(\d{1,11})\.([\w-]{20,100})$/.exec(text) ?? []
  if (tenantId === undefined || key === undefined || exp === undefined || signature === undefined) return undefined
  if (!verify(`${tenantId}.${key}.${exp}`, signature)) return undefined
  return { tenantId: Number(tenantId), assetKey: key.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'), exp: Number(exp) }
}
