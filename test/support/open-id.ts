/** A provider of OpenID Connect on loopback, real but for its pages: whoever comes is who the test says. And what a test makes it do wrong. */
import { createServer } from 'node:http'

import { exportJWK, generateKeyPair } from 'jose'
import { Provider, interactionPolicy } from 'oidc-provider'

import { freePort } from './ports.ts'

export interface Account {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
}

export interface TestProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Its private key, for tokens that it did not make. */
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
  /** Who signs in there next. */
  account: Account
  /** Whether it tells the address where it is asked for it alone. */
  tellsLate: boolean
  state: 'up' | 'down' | 'slow' | 'huge'
  /** Changes what the token endpoint answers. */
  tamper: ((idToken: string) => Promise<string> | string) | undefined
  /** How often it was asked for anything. */
  asked: number
  /** Signs in there as the browser is sent; answers where it is sent back to. */
  visit(address: string): Promise<URL>
  close(): Promise<void>
}

export async function openProvider(redirectUri: string, algorithm: 'RS256' | 'ES256' | 'EdDSA' = 'ES256'): Promise<TestProvider> {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const [clientId, clientSecret] = ['fieldloop', 'a secret of the tests']
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid: 'one', alg: algorithm, use: 'sig' }
  // What the package brings has no types; these parts are as its documents say.
  const policy = (interactionPolicy as unknown as { base(): { remove(name: string): void } }).base()
  policy.remove('consent')
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        id_token_signed_response_alg: algorithm,
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: ['cookies of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['preferred_username'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: (use: string) =>
        Promise.resolve(use === 'id_token' && opened.tellsLate ? { sub: accountId } : { ...opened.account, sub: accountId }),
    }),
    async loadExistingGrant({ oidc }: { oidc: { provider: unknown; client: { clientId: string }; session: { accountId: string } } }) {
      const { Grant } = oidc.provider as {
        Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<unknown> }
      }
      const grant = new Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    interactions: { policy, url: (_context: unknown, { uid }: { uid: string }) => `/sign-in/${uid}` },
    features: { devInteractions: { enabled: false } },
  })
  provider.silent = true
  provider.use(async (context, next) => {
    await next()
    const body = context.body as { id_token?: string } | undefined
    if (context.path === '/token' && opened.tamper && body?.id_token !== undefined)
      context.body = { ...body, id_token: await opened.tamper(body.id_token) }
  })
  const serve = provider.callback()
  const answering = provider as unknown as {
    interactionFinished(request: unknown, response: unknown, result: object, more: object): Promise<void>
  }
  const server = createServer((request, response) => {
    opened.asked++
    if (opened.state === 'down') return void response.destroy()
    if (opened.state === 'slow') return
    if (opened.state === 'huge') {
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ issuer, filler: 'x'.repeat(2_000_000) }))
    }
    if (request.url?.startsWith('/sign-in/') === true)
      return void answering.interactionFinished(
        request,
        response,
        { login: { accountId: opened.account.sub } },
        { mergeWithLastSubmission: false },
      )
    void serve(request, response)
  })
  const opened: TestProvider = {
    issuer,
    clientId,
    clientSecret,
    privateKey,
    account: { sub: 'nobody' },
    tellsLate: false,
    state: 'up',
    tamper: undefined,
    asked: 0,
    async visit(address) {
      const cookies = new Map<string, string>()
      let next = new URL(address)
      for (let hop = 0; hop < 10; hop++) {
        if (next.origin !== issuer) return next
        const answer = await fetch(next, { redirect: 'manual', headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') } })
        for (const line of answer.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          cookies.set(name, value)
        }
        const location = answer.headers.get('location')
        if (location === null) throw new Error(`The provider leads nowhere: ${answer.status} ${(await answer.text()).slice(0, 500)}`)
        next = new URL(location, next)
      }
      throw new Error('The provider leads round in a circle')
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return opened
}
