/** Slack's wire, as far as the product speaks it: checks the token and the limits of what it is told, keeps a history, signs what it posts, and fails in the ways that matter. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

import type { RawRequest } from '#platform/operation.ts'

/** How a message is met. `take…`: it is taken, and then no answer comes, or a 500. The others do not take it. */
export type SlackPlan =
  | 'ok'
  | 'takeAndHang'
  | 'takeAnd500'
  | { readonly error: string }
  | { readonly status: number; readonly retryAfter?: number }

interface Block {
  readonly type: string
  readonly text?: { readonly text: string }
  readonly elements?: readonly { readonly action_id: string; readonly text: { readonly text: string }; readonly value: string }[]
}

export interface SlackMessage {
  readonly channel: string
  readonly ts: string
  readonly text: string
  readonly blocks: readonly Block[]
  readonly metadata: { readonly event_type: string; readonly event_payload: Readonly<Record<string, unknown>> }
}

export interface SlackFake {
  readonly baseUrl: string
  readonly botToken: string
  readonly signingSecret: string
  /** Messages that were taken, in order. */
  readonly taken: SlackMessage[]
  /** Files that were put into a channel, in order. */
  readonly shared: { readonly channel: string; readonly title: string; readonly content: string }[]
  /** Files of people, by path. */
  readonly files: Map<string, string>
  plan(...plans: SlackPlan[]): void
  planSharing(...plans: { readonly error: string }[]): void
  /** An event as Slack posts it to our webhook, signed. */
  request(url: string, body: object, at?: number): RawRequest
  /** What somebody tapped, as Slack posts it. */
  tap(url: string, payload: object): RawRequest
  close(): Promise<void>
}

function findFault(form: URLSearchParams): string | undefined {
  if (!/^D[A-Z0-9]+$/.test(form.get('channel') ?? '')) return 'channel_not_found'
  if ((form.get('text') ?? '') === '') return 'no_text'
  const blocks = JSON.parse(form.get('blocks') ?? '[]') as Block[]
  if (blocks.length > 50) return 'invalid_blocks'
  const ids = new Set<string>()
  for (const { type, text, elements = [] } of blocks) {
    if (type === 'section' && ((text?.text.length ?? 0) === 0 || (text?.text.length ?? 0) > 3_000)) return 'invalid_blocks'
    if (type === 'actions' && (elements.length === 0 || elements.length > 25)) return 'invalid_blocks'
    for (const one of elements) {
      if (one.text.text.length > 75 || one.value.length > 2_000 || ids.has(one.action_id)) return 'invalid_blocks'
      ids.add(one.action_id)
    }
  }
  return undefined
}

export async function openSlackFake(): Promise<SlackFake> {
  const botToken = 'xoxb-1234567890-of-the-fake'
  const signingSecret = '0123456789abcdef0123456789abcdef'
  const taken: SlackMessage[] = []
  const shared: SlackFake['shared'] = []
  const files: SlackFake['files'] = new Map()
  const uploads = new Map<string, { readonly length: number; content?: string }>()
  const plans: SlackPlan[] = []
  const sharingPlans: { readonly error: string }[] = []
  let baseUrl = ''
  let counted = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake')
    const json = (status: number, body: object, headers: Record<string, string> = {}) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    const fail = (error: string) => json(200, { ok: false, error })
    const body = await buffer(request)
    const upload = uploads.get(url.pathname)
    if (upload) {
      if (body.length !== upload.length) return void response.writeHead(400).end()
      upload.content = body.toString()
      return void response.writeHead(200).end(`OK - ${body.length}`)
    }
    if (request.headers.authorization !== `Bearer ${botToken}`) return fail('invalid_auth')
    const file = files.get(url.pathname)
    if (file !== undefined) return void response.writeHead(200).end(file)
    const form = new URLSearchParams(body.toString())
    switch (url.pathname.replace('/api/', '')) {
      case 'conversations.open': {
        const user = form.get('users') ?? ''
        return user.startsWith('UGONE') ? fail('user_not_found') : json(200, { ok: true, channel: { id: `D${user.slice(1)}` } })
      }
      case 'chat.postMessage': {
        const fault = findFault(form)
        if (fault) return fail(fault)
        const plan = plans.shift() ?? 'ok'
        if (typeof plan === 'object' && 'error' in plan) return fail(plan.error)
        if (typeof plan === 'object')
          return json(
            plan.status,
            { ok: false, error: 'ratelimited' },
            plan.retryAfter === undefined ? {} : { 'retry-after': String(plan.retryAfter) },
          )
        const ts = `${Math.floor(Date.now() / 1_000)}.${String(++counted).padStart(6, '0')}`
        taken.push({
          channel: form.get('channel') ?? '',
          ts,
          text: form.get('text') ?? '',
          blocks: JSON.parse(form.get('blocks') ?? '[]') as Block[],
          metadata: JSON.parse(form.get('metadata') ?? '{}') as SlackMessage['metadata'],
        })
        if (plan === 'takeAndHang') return
        return plan === 'takeAnd500' ? json(500, {}) : json(200, { ok: true, channel: form.get('channel'), ts })
      }
      case 'conversations.history': {
        const hasMetadata = form.get('include_all_metadata') === 'true'
        const found = taken.filter((one) => one.channel === form.get('channel') && Number(one.ts) >= Number(form.get('oldest') ?? 0))
        const messages = found
          .toReversed()
          .map(({ ts, text, metadata }) => ({ type: 'message', ts, text, ...(hasMetadata ? { metadata } : {}) }))
        return json(200, { ok: true, messages, has_more: false })
      }
      case 'files.getUploadURLExternal': {
        const id = `F${++counted}`
        uploads.set(`/upload/${id}`, { length: Number(form.get('length')) })
        return json(200, { ok: true, upload_url: `${baseUrl}/upload/${id}`, file_id: id })
      }
      case 'files.completeUploadExternal': {
        const plan = sharingPlans.shift()
        if (plan) return fail(plan.error)
        for (const { id, title } of JSON.parse(form.get('files') ?? '[]') as { id: string; title: string }[]) {
          const content = uploads.get(`/upload/${id}`)?.content
          if (content === undefined) return fail('file_not_found')
          shared.push({ channel: form.get('channel_id') ?? '', title, content })
        }
        return json(200, { ok: true, files: [] })
      }
      default:
        return fail('unknown_method')
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo.
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const signed = (url: string, body: Buffer, mimeType: string, at: number): RawRequest => {
    const timestamp = String(Math.floor(at / 1_000))
    const signature = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body.toString()}`).digest('hex')
    return {
      body,
      headers: { 'content-type': mimeType, 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${signature}` },
      url: new URL(url).pathname,
    }
  }
  return {
    baseUrl: `${baseUrl}/api`,
    botToken,
    signingSecret,
    taken,
    shared,
    files,
    plan: (...next) => void plans.push(...next),
    planSharing: (...next) => void sharingPlans.push(...next),
    request: (url, body, at = Date.now()) => signed(url, Buffer.from(JSON.stringify(body)), 'application/json', at),
    tap: (url, payload) =>
      signed(
        url,
        Buffer.from(new URLSearchParams({ payload: JSON.stringify(payload) }).toString()),
        'application/x-www-form-urlencoded',
        Date.now(),
      ),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
