/**
 * A provider that a tenant chose, by OpenID Connect: the code flow with PKCE, its tokens of identity signed and looked at, and nothing fetched but through
 * the outbound guard, within a time and a size.
 */
import * as openid from 'openid-client'

import type { Config } from './config.ts'
import { AppError } from './errors.ts'
import { assertEncrypted, fetchBytes } from './outbound.ts'

const callMs = 5_000
const mostBytes = 128 * 1024
const clockToleranceSeconds = 30
const longestSub = 255
/** The last is what newer providers call EdDSA. */
const algorithms: readonly string[] = ['RS256', 'ES256', 'EdDSA', 'Ed25519']

type Outbound = Pick<Config, 'outboundAllow'>

export interface OpenIdClient {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
}

/** What ties an answer to the browser that asked. */
export interface OpenIdChecks {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Who the provider says that somebody is. */
export interface Asserted {
  readonly sub: string
  /** As people know the account. */
  readonly account: string
  /** The address that the provider vouches for; undefined where it vouches for none. */
  verifiedEmail(): Promise<string | undefined>
}

export interface OpenIdProvider {
  /** As it names itself. */
  readonly issuer: string
  /** Where the browser is sent. */
  authorizationUrl(asked: OpenIdChecks & { readonly redirectUri: string; readonly scopes: readonly string[] }): Promise<string>
  /** Throws AppError `unauthenticated` for an answer that is not good, `unavailable` where the provider is. `callback` is the address with what it was sent. */
  redeem(callback: URL, checks: OpenIdChecks): Promise<Asserted>
}

export const newChecks = (): OpenIdChecks => ({
  state: openid.randomState(),
  nonce: openid.randomNonce(),
  verifier: openid.randomPKCECodeVerifier(),
})

/** What a provider cannot be reached for is told without its words: they are a stranger's. */
const unavailable = (cause: unknown) =>
  new AppError('unavailable', 'The provider did not answer as it should. Try again in a while.', { retryAfterSeconds: 10, cause })

/** The library's own way out, as the guard lets it. */
function guarded(config: Outbound): openid.CustomFetch {
  return async (address, { method, headers, body, signal }) => {
    const url = new URL(address)
    const limit = AbortSignal.timeout(callMs)
    await assertEncrypted(config, url)
    const answer = await fetchBytes(config, url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      // Forms alone are sent.
      body: body === undefined || body === null ? undefined : String(body as string | URLSearchParams),
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
      maxBytes: mostBytes,
    })
    const { contentType, status, bytes } = answer
    return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), {
      status: status >= 200 && status < 600 ? status : 502,
      headers: contentType === undefined ? {} : { 'content-type': contentType },
    })
  }
}

/** Where the provider takes the secret in the body alone it goes there; else as the standard has it first. */
function authenticationOf({ clientSecret }: OpenIdClient, methods: readonly string[] | undefined): openid.ClientAuth {
  if (clientSecret === undefined) return openid.None()
  const isBodyAlone = methods?.includes('client_secret_post') === true && !methods.includes('client_secret_basic')
  return isBodyAlone ? openid.ClientSecretPost(clientSecret) : openid.ClientSecretBasic(clientSecret)
}

/** Throws AppError `unprocessable` with what to change, for whoever sets a provider; `unavailable` where it does not answer. */
export async function discoverProvider(config: Outbound, client: OpenIdClient): Promise<OpenIdProvider> {
  const issuer = new URL(client.issuer)
  const fetch = guarded(config)
  const discovered = await openid
    .discovery(issuer, client.clientId, undefined, openid.None(), {
      [openid.customFetch]: fetch,
      timeout: callMs / 1_000,
      // The guard looks at each address itself: plain http leads nowhere but into networks that an operator permitted.
      execute: issuer.protocol === 'http:' ? [openid.allowInsecureRequests] : [],
    })
    .catch((error: unknown) => Promise.reject(whyNotDiscovered(error)))
  const { supportsPKCE: _supports, ...told } = discovered.serverMetadata()
  const refuse = (message: string) => new AppError('unprocessable', message)
  if (new URL(told.issuer).href !== issuer.href)
    throw refuse('The discovery document is of another issuer. Give the issuer that it names, of one organisation alone.')
  const signing = (told.id_token_signing_alg_values_supported ?? ['RS256']).filter((one) => algorithms.includes(one))
  if (signing.length === 0) throw refuse('The provider signs by none of RS256, ES256 and EdDSA. Let it sign by one of them.')
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    const address = told[name]
    const isGood = address !== undefined && URL.canParse(address) && ['https:', issuer.protocol].includes(new URL(address).protocol)
    if (!isGood) throw refuse(`The discovery document has no ${name} that could be used.`)
  }
  if (told.code_challenge_methods_supported?.includes('S256') === false)
    throw refuse('The provider takes no PKCE by S256, which is asked for here.')
  const server = { ...told, id_token_signing_alg_values_supported: signing }
  const settings = new openid.Configuration(
    server,
    client.clientId,
    { [openid.clockTolerance]: clockToleranceSeconds },
    authenticationOf(client, told.token_endpoint_auth_methods_supported),
  )
  settings[openid.customFetch] = fetch
  settings.timeout = callMs / 1_000
  if (issuer.protocol === 'http:') openid.allowInsecureRequests(settings)
  // Without it the library trusts the connection in place of the signature.
  openid.enableNonRepudiationChecks(settings)
  return providerOf(settings, told.issuer)
}

function whyNotDiscovered(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof Error && error.cause instanceof AppError) return error.cause
  return new AppError(
    'unprocessable',
    'At this issuer no provider answers as it should. Look at the address with /.well-known/openid-configuration behind it.',
    {
      cause: error,
    },
  )
}

function providerOf(settings: openid.Configuration, issuer: string): OpenIdProvider {
  return {
    issuer,
    async authorizationUrl({ redirectUri, scopes, state, nonce, verifier }) {
      const url = openid.buildAuthorizationUrl(settings, {
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        response_type: 'code',
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return url.href
    },
    async redeem(callback, { state, nonce, verifier }) {
      try {
        const tokens = await openid.authorizationCodeGrant(settings, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        // An issuer of several organisations would tell the accounts of one as those of another.
        if (!claims || claims.iss !== issuer || claims.sub === '' || claims.sub.length > longestSub)
          throw new AppError('unauthenticated', 'The provider names nobody.')
        const { sub } = claims
        return {
          sub,
          account: [claims['email'], claims['preferred_username'], sub].find(isText)?.slice(0, 254) ?? '',
          async verifiedEmail() {
            const told = isText(claims['email']) ? claims : await openid.fetchUserInfo(settings, tokens.access_token, sub).catch(refused)
            return told['email_verified'] === true && isText(told['email']) ? told['email'] : undefined
          },
        }
      } catch (error) {
        return refused(error)
      }
    },
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** An answer that is none of ours, or wrong, apart from none at all. */
function refused(error: unknown): never {
  if (error instanceof AppError) throw error
  const isAnswer = error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError || isOfLibrary(error)
  if (!isAnswer) throw unavailable(error)
  throw new AppError('unauthenticated', 'The provider did not say who this is, or its answer is not good.', { cause: error })
}

/** What the library refuses after it was answered, by its codes. */
function isOfLibrary(error: unknown): boolean {
  const codes = [
    'OAUTH_INVALID_RESPONSE',
    'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
    'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
    'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
    'OAUTH_KEY_SELECTION_FAILED',
    'OAUTH_MISSING_SERVER_METADATA',
    'OAUTH_UNSUPPORTED_OPERATION',
  ]
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
