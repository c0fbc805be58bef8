/** Twilio's wire, as far as the product speaks it: takes messages, lists them, signs callbacks, and fails in the ways that matter. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

import twilio from 'twilio'

import type { RawRequest } from '#platform/operation.ts'

/**
 * How a create is met. `take…`: the message is taken, and then no answer comes, the connection breaks, or the answer is a 500. The others do not
 * take it.
 */
export type Plan =
  | 'ok'
  | 'takeAndHang'
  | 'takeAndReset'
  | 'takeAnd500'
  | 'hang'
  | 'reset'
  | { readonly status: number; readonly code?: number }

export interface TakenMessage {
  readonly sid: string
  readonly to: string
  readonly from: string
  readonly body: string
  readonly mediaUrls: readonly string[]
  readonly statusCallback: string
  readonly dateCreated: Date
}

export interface TwilioFake {
  readonly baseUrl: string
  readonly accountSid: string
  readonly authToken: string
  /** What was taken, in order. */
  readonly taken: TakenMessage[]
  /** Every request, as `POST` or `GET`. */
  readonly methods: string[]
  /** Files that MediaUrls lead to, by path. */
  readonly files: Map<string, (request: IncomingMessage, response: ServerResponse) => void>
  /** How the next creates are met, one each; then `ok`. */
  plan(...plans: Plan[]): void
  /** A signed request to our webhook. `url` is the whole address that Twilio was given. */
  request(url: string, form: Readonly<Record<string, string>>): RawRequest
  close(): Promise<void>
}

let sids = 0
const newSid = () => `SM${(++sids).toString(16).padStart(32, '0')}`

export async function openTwilioFake(): Promise<TwilioFake> {
  const accountSid = `AC${'0'.repeat(32)}`
  const authToken = 'the-token-of-the-fake'
  const taken: TakenMessage[] = []
  const methods: string[] = []
  const plans: Plan[] = []
  const files: TwilioFake['files'] = new Map()
  const messagesPath = `/2010-04-01/Accounts/${accountSid}/Messages.json`

  const shown = (one: TakenMessage) => ({
    sid: one.sid,
    to: one.to,
    from: one.from,
    body: one.body,
    direction: 'outbound-api',
    status: 'queued',
    date_created: one.dateCreated.toUTCString(),
    date_sent: null,
    account_sid: accountSid,
  })

  function take(form: URLSearchParams): TakenMessage {
    const message = {
      sid: newSid(),
      to: form.get('To') ?? '',
      from: form.get('From') ?? form.get('MessagingServiceSid') ?? '',
      body: form.get('Body') ?? '',
      mediaUrls: form.getAll('MediaUrl'),
      statusCallback: form.get('StatusCallback') ?? '',
      dateCreated: new Date(),
    }
    taken.push(message)
    return message
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake')
    const file = files.get(url.pathname)
    if (file) return file(request, response)
    const json = (status: number, body: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    methods.push(request.method ?? '')
    const form = new URLSearchParams(await text(request))
    if (request.headers.authorization !== `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`) {
      return json(401, { code: 20_003, message: 'Authenticate', status: 401 })
    }
    if (url.pathname !== messagesPath) return json(404, { code: 20_404, message: 'Not found', status: 404 })
    if (request.method === 'GET') {
      const to = url.searchParams.get('To')
      const found = taken
        .filter((one) => to === null || one.to === to)
        .toReversed()
        .slice(0, Number(url.searchParams.get('PageSize') ?? 50))
      return json(200, {
        messages: found.map(shown),
        page: 0,
        page_size: 50,
        uri: url.pathname,
        first_page_uri: url.pathname,
        next_page_uri: null,
        previous_page_uri: null,
      })
    }
    const plan = plans.shift() ?? 'ok'
    if (typeof plan === 'object')
      return json(plan.status, plan.code === undefined ? { oops: true } : { code: plan.code, message: 'No', status: plan.status })
    if (plan.startsWith('take') || plan === 'ok') {
      const message = take(form)
      if (plan === 'ok') return json(201, shown(message))
    }
    if (plan === 'takeAnd500') return json(500, { code: 20_500, message: 'Oops', status: 500 })
    if (plan === 'takeAndReset' || plan === 'reset') request.socket.resetAndDestroy()
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    accountSid,
    authToken,
    taken,
    methods,
    files,
    plan: (...next) => void plans.push(...next),
    request(url, form) {
      const { pathname, search } = new URL(url)
      return {
        body: Buffer.from(new URLSearchParams(form).toString()),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-twilio-signature': twilio.getExpectedTwilioSignature(authToken, url, form),
        },
        url: pathname + search,
      }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
