/** Tokens that others signed (JWT), held against the keys that they publish. Keys are fetched through the guard, kept, and fetched anew when one is missing. */
import { createRemoteJWKSet, customFetch, decodeJwt, errors, type JWTPayload, jwtVerify, type RemoteJWKSet } from 'jose'
import { LRUCache } from 'lru-cache'

import type { Config } from './config.ts'
import { AppError } from './errors.ts'
import { fetchText } from './outbound.ts'

const keySets = new LRUCache<string, RemoteJWKSet>({ max: 100 })

const maxBytes = 256 * 1024
const waitMs = 5_000
const toleranceSeconds = 300

function keysAt(config: Config, url: string): RemoteJWKSet {
  const known = keySets.get(url)
  if (known) return known
  const made = createRemoteJWKSet(new URL(url), {
    timeoutDuration: waitMs,
    [customFetch]: async (at, { signal }) => {
      const { status, text } = await fetchText(config, new URL(at), { signal, maxBytes })
      return new Response(text, { status })
    },
  })
  keySets.set(url, made)
  return made
}

const notTheirs = [
  errors.JWSSignatureVerificationFailed,
  errors.JWSInvalid,
  errors.JWTInvalid,
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
]

/**
 * The claims of a token that this issuer signed for this audience, and that holds now; undefined for every other. Throws AppError `unavailable` where the
 * keys cannot be had.
 */
export async function readSignedToken(
  config: Config,
  token: string,
  by: { readonly keysUrl: string; readonly issuer: string; readonly audience: string },
): Promise<JWTPayload | undefined> {
  const { keysUrl, issuer, audience } = by
  try {
    // What names another issuer or audience is worth no call for keys.
    const told = decodeJwt(token)
    if (told.iss !== issuer || told.aud !== audience) return undefined
    const { payload } = await jwtVerify(token, keysAt(config, keysUrl), {
      issuer,
      audience,
      clockTolerance: toleranceSeconds,
      algorithms: ['RS256', 'ES256'],
    })
    return payload
  } catch (error) {
    if (notTheirs.some((kind) => error instanceof kind)) return undefined
    throw new AppError('unavailable', 'The keys that the signature is checked with cannot be fetched now. Try again later.', {
      cause: error,
      retryAfterSeconds: 30,
    })
  }
}
