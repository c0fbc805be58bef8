/** URLs that carry their own credential for 15 minutes. */
import { askerOf, signedText } from '#platform/authenticate.ts'
import { AppError } from '#platform/errors.ts'
import type { Actor, CallContext } from '#platform/operation.ts'

/** How long a signed URL is good for. */
export const signedUrlSeconds = 15 * 60

export interface SignedUrl {
  readonly url: string
  readonly expiresAt: string
}

/**
 * A URL for a GET of `path` in the name of whoever asks; it holds only while their credential and their right do. Throws AppError `forbidden` for a
 * caller who is nobody's user.
 */
export function signedUrl(
  {
    services,
    actor,
  }: { readonly services: CallContext['services']; readonly actor: Pick<Actor, 'tenantUserId' | 'kind' | 'credentialId'> },
  path: string,
): SignedUrl {
  const asker = askerOf(actor)
  if (actor.tenantUserId === 0 || asker === undefined) throw new AppError('forbidden', 'Only a user or a key can be given a signed URL.')
  const exp = String(Math.floor(Date.now() / 1000) + signedUrlSeconds)
  const u = String(actor.tenantUserId)
  const sig = `${asker}.${services.secrets.sign('url', signedText('GET', path, exp, u, asker))}`
  const query = new URLSearchParams({ sig, exp, u })
  return { url: `${services.config.publicUrl}${path}?${query.toString()}`, expiresAt: new Date(Number(exp) * 1000).toISOString() }
}

/** Throws AppError `forbidden` for a file that must not lie behind a URL of its own. */
export function refuseSensitive(asset: { readonly assetKey: string; readonly isSensitive: boolean }): void {
  if (!asset.isSensitive) return
  throw new AppError(
    'forbidden',
    `The asset is sensitive, so no signed URL opens it. Read it with a credential: GET ${downloadPath(asset.assetKey)}.`,
  )
}

export function downloadPath(assetKey: string): string {
  return `/api/v1/assets/${assetKey}/download`
}
