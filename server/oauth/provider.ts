/** oidc-provider as this product's authorization server: codes with PKCE, opaque tokens, for `/mcp` and nothing else. */
import { generateKeyPairSync } from 'node:crypto'

import { LRUCache } from 'lru-cache'
import { type Context, errors, interactionPolicy, Provider } from 'oidc-provider'

import { consentCookie } from '#platform/consents.ts'
import { type GrantTokenKind, newGrantToken } from '#platform/grants.ts'
import type { GuardedFetch } from '#platform/outbound.ts'
import { roleNames } from '#platform/roles.ts'

import { createAdapter, type Kept } from './adapter.ts'
import { fitMetadata, isClientAddress, isRegistered } from './clients.rules.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const documentMs = 5_000
/** How long what could not be read is not asked for again. */
const failedMs = 10_000
const documentBytes = 64 * 1024

/** What can be given; GlobalAdmin never is. */
export const scopes: readonly string[] = roleNames.filter((role) => role !== 'GlobalAdmin')

export interface ProviderParts extends Kept {
  readonly issuer: string
  readonly schemes: readonly string[]
  readonly fetch: GuardedFetch['fetch']
  /** A page that says what went wrong, where nobody may be sent back. */
  readonly errorPage: (context: Context, error: string, description: string | undefined) => void
}

/** A key for the tokens of identity that nobody is given: without one the library takes keys that everybody knows. */
function unusedKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }
}

const { Check, Prompt } = interactionPolicy

/** Always asked, since there is no session here: the page looks whether the person need see it. */
const policy = [
  new Prompt(
    { name: 'login', requestable: true },
    new Check('no_session', 'the person is to sign in', 'login_required', ({ oidc }) => oidc?.result?.consent === undefined),
  ),
  new Prompt({ name: 'consent', requestable: true }),
]

/** Tokens begin with what they are, by which they are known where one leaks. */
function nameTokens({ prototype }: { readonly prototype: { generateTokenId(): string } }, kind: GrantTokenKind): void {
  const { generateTokenId } = prototype
  prototype.generateTokenId = function namedToken() {
    // The library settles more than the name here.
    generateTokenId.call(this)
    return newGrantToken(kind)
  }
}

export function createProvider(parts: ProviderParts): Provider {
  const { issuer, schemes, resources } = parts
  // It asks again for what it needs to say that it could not be had, and so would whoever means to wear another's server out.
  const failed = new LRUCache<string, true>({ max: 1_000, ttl: failedMs })

  async function read(url: string, headers: Headers): Promise<Response> {
    try {
      const answer = await parts.fetch(url, { headers, maxMs: documentMs })
      if (answer.status !== 200) failed.set(url, true)
      return answer
    } catch (error) {
      failed.set(url, true)
      throw error
    }
  }

  const provider = new Provider(issuer, {
    adapter: createAdapter(parts),
    jwks: { keys: [unusedKey()] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    extraClientMetadata: {
      // The one that applications may send and nobody reads: the validator is asked once, before the library looks.
      properties: ['software_id'],
      validator(_context: Context, _key: string, _value: unknown, metadata: Record<string, unknown>) {
        const problem = fitMetadata(metadata, schemes)
        if (problem !== undefined) throw new errors.InvalidClientMetadata(problem)
      },
    },
    responseTypes: ['code'],
    scopes: ['offline_access'],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    conformIdTokenClaims: false,
    expiresWithSession: () => Promise.resolve(false),
    issueRefreshToken: (_context: Context, client: { grantTypeAllowed(type: string): boolean }) =>
      Promise.resolve(client.grantTypeAllowed('refresh_token')),
    rotateRefreshToken: true,
    revokeGrantPolicy: ({ oidc }: Context) => !(oidc?.route === 'revocation' && oidc.entities['AccessToken'] !== undefined),
    findAccount: (_context: Context, accountId: string) => ({ accountId, claims: () => Promise.resolve({ sub: accountId }) }),
    async loadExistingGrant({ oidc }: Context) {
      const grantId = oidc?.result?.consent?.grantId
      return grantId === undefined ? undefined : oidc?.provider.Grant.find(grantId)
    },
    interactions: { policy, url: (_context: Context, { uid }: { uid: string }) => `/oauth/consent/${uid}` },
    renderError(context: Context, out: { error: string; error_description?: string }) {
      parts.errorPage(context, out.error, out.error_description)
    },
    routes: { authorization: '/oauth/authorize', token: '/oauth/token', registration: '/oauth/register', revocation: '/oauth/revoke' },
    cookies: {
      names: { session: 'DevPortal.App', interaction: consentCookie, resume: 'DevPortal.Resume' },
      long: { httpOnly: true, sameSite: 'lax' },
      short: { httpOnly: true, sameSite: 'lax' },
    },
    ttl: {
      AccessToken: hour,
      AuthorizationCode: minute,
      Grant: 365 * day,
      Interaction: hour,
      Session: hour,
      // A month without use, a year in all.
      RefreshToken: (_context: Context, { iiat }: { iiat: number }) =>
        Math.max(1, Math.min(30 * day, iiat + 365 * day - Math.floor(Date.now() / 1000))),
    },
    // The library would ask by itself, with a guard that it drops with a warning where it cannot have it.
    fetch: (url: string | URL, { headers }: { headers: Headers }) => read(String(url), headers),
    fetchResponseBodyLimits: { 'client_id metadata document': documentBytes, jwks_uri: documentBytes, sector_identifier_uri: 0 },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_context: Context, client: { clientId: string }, token: { clientId?: string }) =>
          token.clientId === client.clientId,
      },
      registration: { enabled: true, issueRegistrationAccessToken: false, idFactory: () => `app_${newGrantToken('code').slice(4, 26)}` },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        cacheDuration: { min: 5 * minute, max: day },
        allowFetch: (_context: Context, clientId: string) => Promise.resolve(isClientAddress(clientId) && !failed.has(clientId)),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_context: Context, _client: unknown, oneOf?: readonly string[]) => Promise.resolve(oneOf ?? resources.main.url),
        useGrantedResource: () => Promise.resolve(true),
        async getResourceServerInfo({ oidc }: Context, resource: string) {
          if (Array.isArray(oidc?.params?.['resource'])) throw new errors.InvalidTarget('one resource is asked for at a time')
          if (!(await resources.named(resource, 'oauth'))) throw new errors.InvalidTarget('no such resource here')
          return { scope: scopes.join(' '), audience: resource, accessTokenTTL: hour, accessTokenFormat: 'opaque' }
        },
      },
    },
  })
  nameTokens(provider.AccessToken, 'access')
  nameTokens(provider.RefreshToken, 'refresh')
  nameTokens(provider.AuthorizationCode, 'code')
  // Its own rule knows no list of schemes, and any port of loopback for some applications alone.
  provider.Client.prototype.redirectUriAllowed = function redirectUriAllowed(
    this: { readonly redirectUris: readonly string[] },
    uri: string,
  ) {
    return isRegistered(uri, this.redirectUris, schemes)
  }
  provider.proxy = true
  provider.silent = true
  return provider
}
