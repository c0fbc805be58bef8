/** One try of a delivery over HTTP, as Standard Webhooks say. Its answer counts by its status alone. */
import { performance } from 'node:perf_hooks'

import { type Dispatcher, request } from 'undici'

import { AppError } from '#platform/errors.ts'
import { guardedDispatcher, isAllowedAddress, resolveAllowed } from '#platform/outbound.ts'
import type { Services } from '#platform/services.ts'
import { signatureOf, type TryResult } from '#tools/events/service.ts'

import { networkReason } from '../network.ts'

export interface PostOptions {
  /** From the connection to the status of the answer. 15 s unless told. */
  readonly callMs?: number
}

interface Message {
  readonly url: string
  readonly webhookId: string
  readonly body: string
  readonly secrets: Parameters<typeof signatureOf>[0]
}

export interface Poster {
  post(message: Message): Promise<TryResult>
  close(): Promise<void>
}

/** An answer says nothing that we need: so much of it is read for the connection's sake. */
const readBytes = 16 * 1024
const readMs = 1_000

export function createPoster({ config }: Pick<Services, 'config'>, { callMs = 15_000 }: PostOptions = {}): Poster {
  const dispatcher = guardedDispatcher(config, { headersMs: callMs, bodyMs: readMs })

  async function send({ url, webhookId, body, secrets }: Message, signal: AbortSignal): Promise<number> {
    const target = new URL(url)
    if (target.protocol === 'http:') await refusePublic(target.hostname)
    if (secrets.length === 0) throw new AppError('conflict', 'Its secret does not open with the key of this installation. Rotate it.')
    const timestamp = Math.floor(Date.now() / 1_000)
    const response = await request(target, {
      method: 'POST',
      dispatcher,
      signal,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Fieldloop',
        'webhook-id': webhookId,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatureOf(secrets, { id: webhookId, timestamp, body }),
      },
      body,
    })
    await leave(response.body)
    return response.statusCode
  }

  /** Values do not cross the public network unencrypted. */
  async function refusePublic(host: string): Promise<void> {
    const address = await resolveAllowed(config, host, callMs)
    if (isAllowedAddress({ outboundAllow: [] }, address))
      throw new AppError('unprocessable', 'Events do not go over the public network unencrypted. Use https.')
  }

  return {
    async post(message) {
      const began = performance.now()
      const at = new Date().toISOString()
      const took = () => Math.round(performance.now() - began)
      try {
        const status = await send(message, AbortSignal.timeout(callMs))
        return { at, durationMs: took(), status, ...(status >= 200 && status < 300 ? {} : { error: whyNot(status) }) }
      } catch (error) {
        return { at, durationMs: took(), error: networkReason(error) }
      }
    },
    close: () => dispatcher.close(),
  }
}

/** An answer that does not end, or comes by the byte, costs its connection and nothing else. */
async function leave(body: Dispatcher.ResponseData['body']): Promise<void> {
  await body.dump({ limit: readBytes, signal: AbortSignal.timeout(readMs) }).catch(() => {})
}

function whyNot(status: number): string {
  return status >= 300 && status < 400
    ? 'It answered a redirect, which is not followed. Subscribe with the new address.'
    : `It answered ${status}.`
}
