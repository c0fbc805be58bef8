/** Telegram's wire, as far as the product speaks it: checks the token and the limits of what it is told, hands out files, and fails in the ways that matter. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

import type { RawRequest } from '#platform/operation.ts'

/** How a call is met. `take…`: the message is taken, and then no answer comes, or a 500. An error is not taken. */
export type TelegramPlan =
  | 'ok'
  | 'takeAndHang'
  | 'takeAnd500'
  | { readonly code: number; readonly description: string; readonly retryAfter?: number }

export interface TelegramCall {
  readonly method: string
  readonly messageId: number
  readonly fields: Readonly<Record<string, unknown>>
  /** Names and sizes of files that came along. */
  readonly files: readonly { readonly fileName: string; readonly mimeType: string; readonly sizeBytes: number }[]
}

export interface TelegramFake {
  readonly baseUrl: string
  readonly botToken: string
  readonly webhookSecret: string
  /** What was taken, in order. */
  readonly taken: TelegramCall[]
  /** What files hold, by their id. */
  readonly files: Map<string, string>
  plan(...plans: TelegramPlan[]): void
  /** An update as Telegram posts it to our webhook. */
  request(url: string, update: object): RawRequest
  close(): Promise<void>
}

interface Refusal {
  readonly code: number
  readonly description: string
}

const bad = (description: string): Refusal => ({ code: 400, description: `Bad Request: ${description}` })

function findFault(method: string, fields: Readonly<Record<string, unknown>>, fileCount: number): Refusal | undefined {
  if (typeof fields['chat_id'] !== 'string' || !/^-?\d+$/.test(fields['chat_id'])) return bad('chat_id is empty')
  const text = fields['text'] ?? fields['caption']
  if (method === 'sendMessage' && (typeof text !== 'string' || text.trim() === '')) return bad('message text is empty')
  if (typeof text === 'string' && text.length > (method === 'sendMessage' ? 4_096 : 1_024)) return bad('message is too long')
  const markup = fields['reply_markup'] as { inline_keyboard?: { text?: string; callback_data?: string }[][] } | undefined
  for (const { text: label = '', callback_data: data = '' } of markup?.inline_keyboard?.flat() ?? []) {
    if (label === '' || data === '' || Buffer.byteLength(data) > 64) return bad('BUTTON_DATA_INVALID')
  }
  if (method === 'sendMediaGroup') {
    const media = fields['media']
    if (!Array.isArray(media) || media.length < 2 || media.length > 10 || media.length !== fileCount) return bad('wrong number of media')
    if (markup !== undefined) return bad('an album takes no reply_markup')
  } else if (method !== 'sendMessage' && fileCount !== 1) return bad('there is no file in the request')
  return undefined
}

export async function openTelegramFake(): Promise<TelegramFake> {
  const botToken = `7000000001:${'A'.repeat(35)}`
  const webhookSecret = 'the-secret-of-the-webhook'
  const taken: TelegramCall[] = []
  const plans: TelegramPlan[] = []
  const files: TelegramFake['files'] = new Map()
  let messageIds = 100

  async function readForm(request: IncomingMessage): Promise<Pick<TelegramCall, 'fields' | 'files'>> {
    const body = await buffer(request)
    const type = request.headers['content-type'] ?? ''
    if (type.startsWith('application/json')) return { fields: JSON.parse(body.toString()) as Record<string, unknown>, files: [] }
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
    const fields: Record<string, unknown> = {}
    const sent: TelegramCall['files'][number][] = []
    for (const [name, value] of form) {
      if (typeof value === 'string') fields[name] = name === 'reply_markup' || name === 'media' ? (JSON.parse(value) as unknown) : value
      else sent.push({ fileName: value.name, mimeType: value.type, sizeBytes: value.size })
    }
    return { fields, files: sent }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake')
    const json = (status: number, body: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const refuse = ({ code, description }: Refusal, parameters?: object) =>
      json(code, { ok: false, error_code: code, description, ...(parameters && { parameters }) })
    const file = /^\/file\/bot([^/]+)\/(.+)$/.exec(url.pathname)
    if (file) {
      const [, token, path = ''] = file
      const held = token === botToken ? files.get(path.replace('documents/', '')) : undefined
      return void (held === undefined ? response.writeHead(404).end() : response.writeHead(200).end(held))
    }
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname) ?? []
    if (token !== botToken) return refuse({ code: 401, description: 'Unauthorized' })
    if (method === 'getFile') {
      const id = url.searchParams.get('file_id') ?? ''
      return files.has(id) ? json(200, { ok: true, result: { file_id: id, file_path: `documents/${id}` } }) : refuse(bad('invalid file_id'))
    }
    if (!['sendMessage', 'sendPhoto', 'sendDocument', 'sendMediaGroup'].includes(method))
      return refuse({ code: 404, description: 'Not Found' })
    const { fields, files: sent } = await readForm(request)
    const fault = findFault(method, fields, sent.length)
    if (fault) return refuse(fault)
    const plan = plans.shift() ?? 'ok'
    if (typeof plan === 'object') return refuse(plan, plan.retryAfter === undefined ? undefined : { retry_after: plan.retryAfter })
    const messageId = ++messageIds
    taken.push({ method, messageId, fields, files: sent })
    if (plan === 'takeAndHang') return
    if (plan === 'takeAnd500') return refuse({ code: 500, description: 'Internal Server Error' })
    const result = { message_id: messageId, chat: { id: Number(fields['chat_id']), type: 'private' } }
    json(200, { ok: true, result: method === 'sendMediaGroup' ? [result] : result })
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    botToken,
    webhookSecret,
    taken,
    files,
    plan: (...next) => void plans.push(...next),
    request: (url, update) => ({
      body: Buffer.from(JSON.stringify(update)),
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': webhookSecret },
      url: new URL(url).pathname,
    }),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
