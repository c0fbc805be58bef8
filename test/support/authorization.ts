/** The authorization server on a port of its own, and a person who answers it without a page. */
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'

import type { Actor } from '#platform/operation.ts'
import { flagOf, type RoleName } from '#platform/roles.ts'
import { resourcesOf } from '#platform/resources.ts'
import { createOAuth, type OAuth } from '#server/oauth/server.ts'

import { type ApiWorld, openApi } from './connect.ts'
import { newPerson, newSession, type TestPerson } from './persons.ts'
import type { TestTenant } from './world.ts'
import { freePort } from './ports.ts'

export interface AuthorizationWorld extends ApiWorld {
  readonly issuer: string
  readonly oauth: OAuth
}

export async function openAuthorization(env: Record<string, string> = {}): Promise<AuthorizationWorld> {
  const port = await freePort()
  const issuer = `http://localhost:${port}`
  const api = await openApi({ PORTAL_PORT: String(port), ...env })
  const { services } = api.world.platform
  const oauth = createOAuth({
    services,
    resources: resourcesOf(services),
    errorPage: (_request, reason) => ({ headers: { 'content-type': 'text/plain' }, body: reason }),
  })
  const server = createServer((request, response) => {
    oauth.handle(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    ...api,
    issuer,
    oauth,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await oauth.end()
      await api.close()
    },
  }
}

export interface Signed {
  readonly person: TestPerson
  readonly session: Actor
}

/** A person who signed in, so many minutes ago. */
export async function signedIn(opened: ApiWorld, tenant: TestTenant, roles: readonly RoleName[], minutesAgo = 0): Promise<Signed> {
  const person = await newPerson(opened.world, tenant, roles)
  const token = await newSession(opened.world, person, minutesAgo)
  return { person, session: await opened.world.platform.pipeline.identify({ kind: 'bearer', token }) }
}

export interface Pkce {
  readonly verifier: string
  readonly challenge: string
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

const cookiesOf = (answer: Response) => answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')

/** Where the browser is led once the person has answered; `roles` null: they refuse. */
export async function answerAs(
  { oauth, issuer }: Pick<AuthorizationWorld, 'oauth' | 'issuer'>,
  address: string | URL,
  { session }: Pick<Signed, 'session'>,
  roles: readonly RoleName[] | null,
): Promise<URL> {
  const begun = await fetch(address, { redirect: 'manual' })
  const location = begun.headers.get('location')
  if (location === null) throw new Error(`No way on: ${begun.status} ${await begun.text()}`)
  const target = new URL(location, issuer)
  if (target.origin !== issuer) return target
  const cookies = cookiesOf(begun)
  const uid = target.pathname.split('/').at(-1) ?? ''
  const cookie = cookies.find((one) => one.startsWith('DevPortal.Consent='))?.split('=')[1]
  const consent = await oauth.consents.find(uid, cookie)
  if (!consent) throw new Error('The authorization is over')
  const told = { requestId: 'test', ip: undefined }
  const path = await (roles === null ? oauth.consents.refuse(consent) : oauth.consents.give(consent, session, flagOf(roles), told))
  const resumed = await fetch(new URL(path, issuer), { redirect: 'manual', headers: { cookie: cookies.join('; ') } })
  const back = resumed.headers.get('location')
  if (back === null) throw new Error(`No way back: ${resumed.status} ${await resumed.text()}`)
  return new URL(back)
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
  readonly scope: string
  readonly token_type: string
}

export interface TestClient {
  readonly clientId: string
  readonly redirectUri: string
  authorize(more?: Record<string, string>): { url: URL; pkce: Pkce }
  token(fields: Record<string, string>): Promise<Response>
  /** From the first step to tokens. */
  connect(signed: Pick<Signed, 'session'>, roles: readonly RoleName[], more?: Record<string, string>): Promise<Tokens>
  code(
    signed: Pick<Signed, 'session'>,
    roles: readonly RoleName[],
    more?: Record<string, string>,
  ): Promise<{ code: string; verifier: string }>
  redeem(code: string, verifier: string, more?: Record<string, string>): Promise<Response>
  refresh(token: string, more?: Record<string, string>): Promise<Response>
}

/** What an application needs to know of where it connects. */
type Addresses = Pick<AuthorizationWorld, 'issuer' | 'resource' | 'oauth'>

/** An application that registered, without a secret unless its metadata asks for one. */
export async function registerClient(opened: Addresses, metadata: Record<string, unknown> = {}): Promise<TestClient> {
  const redirectUri = 'http://127.0.0.1:3334/callback'
  const answer = await fetch(`${opened.issuer}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'A host of tests',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      ...metadata,
    }),
  })
  if (answer.status !== 201) throw new Error(`Not registered: ${answer.status} ${await answer.text()}`)
  const { client_id: clientId, redirect_uris: uris } = (await answer.json()) as { client_id: string; redirect_uris: string[] }
  return clientOf(opened, clientId, uris[0] ?? redirectUri)
}

export function clientOf(opened: Addresses, clientId: string, redirectUri: string): TestClient {
  const { issuer } = opened
  const client: TestClient = {
    clientId,
    redirectUri,
    authorize(more = {}) {
      const pkce = newPkce()
      const url = new URL(`${issuer}/oauth/authorize`)
      const fields = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        code_challenge: pkce.challenge,
        code_challenge_method: 'S256',
        state: 'of the host',
        resource: opened.resource,
        ...more,
      }
      for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
      return { url, pkce }
    },
    token: (fields) => fetch(`${issuer}/oauth/token`, { method: 'POST', body: new URLSearchParams({ client_id: clientId, ...fields }) }),
    async code(signed, roles, more) {
      const { url, pkce } = client.authorize(more)
      const back = await answerAs(opened, url, signed, roles)
      return { code: back.searchParams.get('code') ?? '', verifier: pkce.verifier }
    },
    redeem: (code, verifier, more = {}) =>
      client.token({ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri, ...more }),
    refresh: (token, more = {}) => client.token({ grant_type: 'refresh_token', refresh_token: token, ...more }),
    async connect(signed, roles, more) {
      const { code, verifier } = await client.code(signed, roles, more)
      const answer = await client.redeem(code, verifier)
      if (answer.status !== 200) throw new Error(`No token: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as Tokens
    },
  }
  return client
}
