/** Messages through a bot of Teams. It has no list of what it sent, so that a call without an answer stays unknown. */
import { AppError } from '#platform/errors.ts'
import { failureOfTeams, teamsActivity, teamsMessageId, type TeamsWay } from '#tools/messaging/providers/teams.ts'
import type { Order, Outcome } from '#tools/messaging/service.ts'

import { callVendor, codeOf, NotConnected, objectIn, retryAfterMs, type VendorAnswer } from '../wire.ts'
import type { Carrier, CarrierParts } from './carrier.ts'

type TeamsOrder = Order<TeamsWay>

const later = (answer: VendorAnswer): Outcome => {
  const afterMs = retryAfterMs(answer.headers['retry-after'])
  return { kind: 'notSent', detail: `status ${answer.statusCode}`, ...(afterMs === undefined ? {} : { afterMs }) }
}

/** A token for one call; or why there is none, in which case nothing has been sent. */
async function signIn(parts: CarrierParts, { tokenUrl, appId, appPassword }: TeamsWay): Promise<string | Outcome> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: appId,
    client_secret: appPassword,
    scope: 'https://api.botframework.com/.default',
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await callVendor(parts, new URL(tokenUrl), { method: 'POST', headers, body: form.toString() })
  const token = objectIn(answer.body)?.['access_token']
  if (answer.statusCode === 200 && typeof token === 'string') return token
  if (answer.statusCode === 429 || answer.statusCode >= 500) return later(answer)
  return { kind: 'refused', reason: 'channelMisconfigured', vendorCode: String(answer.statusCode) }
}

function wordOf(answer: VendorAnswer): string {
  const error = objectIn(answer.body)?.['error']
  const word = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof word === 'string' ? word.slice(0, 40) : ''
}

async function post(
  parts: CarrierParts,
  { text, card }: TeamsOrder,
  token: string,
  place: NonNullable<TeamsWay['place']>,
): Promise<Outcome> {
  const { serviceUrl, conversationId } = place
  const url = new URL(`v3/conversations/${encodeURIComponent(conversationId)}/activities`, serviceUrl.replace(/\/*$/, '/'))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await callVendor(parts, url, { method: 'POST', headers, body: JSON.stringify(teamsActivity(text, card?.choices ?? [])) })
  const status = answer.statusCode
  const id = objectIn(answer.body)?.['id']
  if (status >= 200 && status < 300 && typeof id === 'string') return { kind: 'sent', providerId: teamsMessageId(conversationId, id) }
  if (status === 429 || status === 412) return later(answer)
  // Behind a success without an id, a 5xx or a 408 the message may have been taken.
  if (status < 400 || status >= 500 || status === 408) return { kind: 'unknown', detail: `status ${status}` }
  const word = wordOf(answer)
  return { kind: 'refused', reason: failureOfTeams(status, word), vendorCode: word || String(status) }
}

async function send(parts: CarrierParts, order: TeamsOrder): Promise<Outcome> {
  const { place } = order.via
  if (!place) return { kind: 'refused', reason: 'badAddress' }
  let isPosting = false
  try {
    const token = await signIn(parts, order.via)
    if (typeof token !== 'string') return token
    isPosting = true
    return await post(parts, order, token, place)
  } catch (error) {
    if (error instanceof AppError) return { kind: 'refused', reason: 'channelMisconfigured' }
    if (error instanceof NotConnected || !isPosting) return { kind: 'notSent', detail: 'not connected' }
    return { kind: 'unknown', detail: codeOf(error) || 'no answer' }
  }
}

export const teams: Carrier<TeamsWay> = {
  send,
  lookUp: () => Promise.resolve({ kind: 'neverKnown', detail: 'Teams keeps no list', providerId: undefined }),
}
