/** URLs that carry their own credential for 15 minutes. */
import { signedText } from '#platform/authenticate.ts'
import { AppError } from '#platform/errors.ts'
import type { CallContext } from '#platform/operation.ts'

/** How long a signed URL is good for. */
export const signedUrlSeconds = 15 * 60

export interface SignedUrl {
  readonly url: string
  readonly expiresAt: string
}

/** A URL for a GET of `path` in the name of the caller. Throws AppError `forbidden` for a caller who is nobody's user. */
export function signedUrl(
  { services, actor }: { readonly services: CallContext['services']; readonly actor: Pick<CallContext['actor'], 'tenantUserId'> },
  path: string,
): SignedUrl {
  if (actor.tenantUserId === 0) throw new AppError('forbidden', 'Only a user or a key can be given a signed URL.')
  const exp = String(Math.floor(Date.now() / 1000) + signedUrlSeconds)
  const u = String(actor.tenantUserId)
  const query = new URLSearchParams({ sig: services.secrets.sign('url', signedText('GET', path, exp, u)), exp, u })
  return { url: `${services.config.publicUrl}${path}?${query.toString()}`, expiresAt: new Date(Number(exp) * 1000).toISOString() }
}

export function downloadPath(assetKey: string): string {
  return `/api/v1/assets/${assetKey}/download`
}
