/** Microsoft's wire for bots, as far as the product speaks it: hands out tokens and keys, checks what it is told, signs what it posts, and fails in the ways that matter. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

import { exportJWK, generateKeyPair, SignJWT } from 'jose'

import type { RawRequest } from '#platform/operation.ts'

/** How a post is met. `take…`: it is taken, and then no answer comes, or a 502. The others do not take it. */
export type TeamsPlan =
  | 'ok'
  | 'takeAndHang'
  | 'takeAnd502'
  | { readonly status: number; readonly code?: string; readonly retryAfter?: number }

interface Action {
  readonly type: string
  readonly title: string
  readonly data: object
}

interface CardContent {
  readonly type: string
  readonly version: string
  readonly body: readonly {
    readonly type: string
    readonly actions?: readonly Action[]
    readonly inlines?: readonly { readonly text: string }[]
  }[]
}

/** A card that offers a file, or shows one. */
export interface FileCard {
  readonly contentType: string
  readonly name?: string
  readonly contentUrl?: string
  readonly content: Readonly<Record<string, unknown>> & { readonly acceptContext?: object; readonly declineContext?: object }
}

export interface TeamsMessage {
  readonly id: string
  readonly conversationId: string
  readonly text?: string
  readonly textFormat?: string
  readonly attachments?: readonly { readonly contentType: string; readonly content: CardContent }[]
}

export interface TeamsFake {
  readonly baseUrl: string
  readonly appId: string
  readonly directoryId: string
  readonly appPassword: string
  readonly taken: TeamsMessage[]
  /** What was put into OneDrive, by the name of its session. */
  readonly files: Map<string, { readonly bytes: Buffer; readonly range: string; readonly authorization: string | undefined }>
  /** How the next uploads are met, instead of being taken. */
  planUpload(...statuses: number[]): void
  /** How often the keys were fetched. */
  readonly fetches: () => number
  plan(...plans: TeamsPlan[]): void
  /** An activity as Microsoft posts it to our webhook, with a token; `claims` takes the place of what is right. */
  request(url: string, activity: object, claims?: object, isForged?: boolean): Promise<RawRequest>
  close(): Promise<void>
}

const consentType = 'application/vnd.microsoft.teams.card.file.consent'
const infoType = 'application/vnd.microsoft.teams.card.file.info'

function isFileCard({ contentType, name, contentUrl, content }: FileCard): boolean {
  if (typeof name !== 'string' || name === '') return false
  if (contentType === consentType) return Number(content['sizeInBytes']) > 0 && content.acceptContext !== undefined
  return contentUrl !== undefined && typeof content['uniqueId'] === 'string' && typeof content['fileType'] === 'string'
}

function isTaken({ text, attachments = [] }: Partial<TeamsMessage>): boolean {
  const [card] = attachments
  // A card of files is read as one of these below.
  if (card && [consentType, infoType].includes(card.contentType)) return isFileCard(card as unknown as FileCard)
  if (!card) return typeof text === 'string' && text.trim() !== ''
  const { type, version, body } = card.content
  const rows = body.filter((one) => one.type === 'ActionSet')
  return (
    card.contentType === 'application/vnd.microsoft.card.adaptive' &&
    type === 'AdaptiveCard' &&
    version === '1.4' &&
    rows.every(({ actions = [] }) => actions.length <= 6)
  )
}

export async function openTeamsFake(): Promise<TeamsFake> {
  const [appId, directoryId] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
  const appPassword = 'the-password-of-the-fake'
  const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'key-1', use: 'sig', alg: 'RS256' }
  const taken: TeamsMessage[] = []
  const plans: TeamsPlan[] = []
  const files: TeamsFake['files'] = new Map()
  const uploads: number[] = []
  let [baseUrl, fetched] = ['', 0]

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake')
    const json = (status: number, body: object, headers: Record<string, string> = {}) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    const body = await buffer(request)
    if (url.pathname === '/v1/.well-known/keys') {
      fetched++
      return json(200, { keys: [jwk] })
    }
    if (url.pathname === `/${directoryId}/oauth2/v2.0/token`) {
      const form = new URLSearchParams(body.toString())
      const isRight =
        form.get('client_id') === appId &&
        form.get('client_secret') === appPassword &&
        form.get('scope') === 'https://api.botframework.com/.default'
      return isRight
        ? json(200, { token_type: 'Bearer', expires_in: 3_599, access_token: 'a-token' })
        : json(401, { error: 'invalid_client' })
    }
    const [, session] = /^\/sessions\/([^/]+)$/.exec(url.pathname) ?? []
    if (session !== undefined) {
      const { 'content-range': range = '', authorization } = request.headers
      const status = uploads.shift()
      if (status !== undefined) return json(status, {})
      // A session ends with the file.
      if (request.method !== 'PUT' || files.has(session) || range !== `bytes 0-${body.length - 1}/${body.length}`) return json(400, {})
      files.set(session, { bytes: body, range, authorization })
      return json(201, { id: session })
    }
    const [, conversationId] = /^\/v3\/conversations\/([^/]+)\/activities$/.exec(url.pathname) ?? []
    if (conversationId === undefined) return json(404, {})
    if (request.headers.authorization !== 'Bearer a-token') return json(401, {})
    const activity = JSON.parse(body.toString()) as Omit<TeamsMessage, 'id' | 'conversationId'>
    if (body.length > 28 * 1_024 || !isTaken(activity)) return json(400, { error: { code: 'BadSyntax' } })
    const plan = plans.shift() ?? 'ok'
    if (typeof plan === 'object')
      return json(
        plan.status,
        { error: { code: plan.code ?? 'Error' } },
        plan.retryAfter === undefined ? {} : { 'retry-after': String(plan.retryAfter) },
      )
    const id = String(1_700_000_000_000 + taken.length)
    taken.push({ ...activity, id, conversationId: decodeURIComponent(conversationId) })
    if (plan === 'takeAndHang') return
    return plan === 'takeAnd502' ? json(502, {}) : json(201, { id })
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo.
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    baseUrl,
    appId,
    directoryId,
    appPassword,
    taken,
    files,
    planUpload: (...next) => void uploads.push(...next),
    fetches: () => fetched,
    plan: (...next) => void plans.push(...next),
    async request(url, activity, claims = {}, isForged = false) {
      const token = await new SignJWT({ iss: 'https://api.botframework.com', aud: appId, serviceurl: baseUrl, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'key-1' })
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(isForged ? other.privateKey : own.privateKey)
      return {
        body: Buffer.from(JSON.stringify({ channelId: 'msteams', serviceUrl: baseUrl, ...activity })),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        url: new URL(url).pathname,
      }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
