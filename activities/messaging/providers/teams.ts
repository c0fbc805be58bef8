/** Messages through a bot of Teams. It has no list of what it sent, so that a call without an answer stays unknown. */
import { AppError } from '#platform/errors.ts'
import { failureOfTeams, teamsActivity, teamsFile, teamsMessageId, teamsOffer, type TeamsWay } from '#tools/messaging/providers/teams.ts'
import type { FileToBring, Order, Outcome } from '#tools/messaging/service.ts'

import { type OutgoingFile, readFiles } from '../attachments.ts'
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

async function post(parts: CarrierParts, activity: object, token: string, place: NonNullable<TeamsWay['place']>): Promise<Outcome> {
  const { serviceUrl, conversationId } = place
  const url = new URL(`v3/conversations/${encodeURIComponent(conversationId)}/activities`, serviceUrl.replace(/\/*$/, '/'))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await callVendor(parts, url, { method: 'POST', headers, body: JSON.stringify(activity) })
  const status = answer.statusCode
  const id = objectIn(answer.body)?.['id']
  if (status >= 200 && status < 300 && typeof id === 'string') return { kind: 'sent', providerId: teamsMessageId(conversationId, id) }
  if (status === 429 || status === 412) return later(answer)
  // Behind a success without an id, a 5xx or a 408 the message may have been taken.
  if (status < 400 || status >= 500 || status === 408) return { kind: 'unknown', detail: `status ${status}` }
  const word = wordOf(answer)
  return { kind: 'refused', reason: failureOfTeams(status, word), vendorCode: word || String(status) }
}

/** Offers the files of a message, one after another, and not for long: what would be tried again as a whole would bring its words twice. */
async function offer(
  parts: CarrierParts,
  order: TeamsOrder,
  files: readonly OutgoingFile[],
  token: string,
  place: NonNullable<TeamsWay['place']>,
  said: string | undefined,
): Promise<Outcome> {
  let providerId = said
  for (const { assetKey, fileName, bytes } of files) {
    const card = teamsOffer(order.messageId, { assetKey, fileName, sizeBytes: bytes.length })
    const outcome = await post(parts, card, token, place)
    if (outcome.kind === 'sent') providerId ??= outcome.providerId
    // The first of what is said may be tried again, and what is behind it may not.
    else if (providerId === undefined) return outcome
    else return { kind: 'neverKnown', detail: 'its files did not follow', providerId }
  }
  return { kind: 'sent', providerId: providerId ?? '' }
}

async function send(parts: CarrierParts, order: TeamsOrder): Promise<Outcome> {
  const { place } = order.via
  if (!place) return { kind: 'refused', reason: 'badAddress' }
  let isPosting = false
  let said: string | undefined
  try {
    const files = await readFiles(parts.services, order.tenantId, order.assetKeys)
    const token = await signIn(parts, order.via)
    if (typeof token !== 'string') return token
    isPosting = true
    if (order.text !== '') {
      const outcome = await post(parts, teamsActivity(order.text, order.card?.choices ?? []), token, place)
      if (outcome.kind !== 'sent' || files.length === 0) return outcome
      said = outcome.providerId
    }
    return await offer(parts, order, files, token, place, said)
  } catch (error) {
    if (said !== undefined) return { kind: 'neverKnown', detail: 'its files did not follow', providerId: said }
    if (error instanceof AppError) return { kind: 'refused', reason: error.code === 'not_found' ? 'assetGone' : 'channelMisconfigured' }
    if (error instanceof NotConnected || !isPosting) return { kind: 'notSent', detail: 'not connected' }
    return { kind: 'unknown', detail: codeOf(error) || 'no answer' }
  }
}

// A session of OneDrive takes as much in one piece.
const uploadMs = 60_000

/** Puts the whole file into the session that Teams opened for it. Its address opens by itself: no token of ours goes there. */
async function upload(parts: CarrierParts, { tenantId, assetKey, details }: FileToBring): Promise<boolean> {
  const [file] = await readFiles(parts.services, tenantId, [assetKey])
  const length = file?.bytes.length ?? 0
  // A session takes no file without a byte.
  if (!file || length === 0 || details['uploadUrl'] === undefined) return false
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(length),
    'content-range': `bytes 0-${length - 1}/${length}`,
  }
  const answer = await callVendor({ ...parts, callMs: uploadMs }, new URL(details['uploadUrl']), {
    method: 'PUT',
    headers,
    body: file.bytes,
  })
  const { statusCode } = answer
  if (statusCode === 200 || statusCode === 201) return true
  // The session is over, or was used.
  // Nor is there room for it soon in a drive that is full.
  if (statusCode === 507 || (statusCode >= 400 && statusCode < 500 && statusCode !== 408 && statusCode !== 429)) return false
  throw new Error(`OneDrive answered ${statusCode}`)
}

async function bring(parts: CarrierParts, file: FileToBring, via: TeamsWay, uploaded: () => Promise<void>): Promise<boolean> {
  const { place } = via
  if (!place) return false
  try {
    if (!file.isUploaded && !(await upload(parts, file))) return false
  } catch (error) {
    // The file is gone, or the address may not be called.
    if (error instanceof AppError) return false
    throw error
  }
  await uploaded()
  const token = await signIn(parts, via)
  if (typeof token !== 'string') throw new Error('Teams gave no token')
  // Where nobody knows whether it is shown, it is not shown twice: it lies there all the same.
  const shown = await post(parts, teamsFile(file.details), token, place).catch((error: unknown) => {
    if (error instanceof NotConnected) throw error
    return { kind: 'unknown' } as const
  })
  if (shown.kind === 'notSent') throw new Error('Teams is to be told later')
  return true
}

export const teams: Carrier<TeamsWay> = {
  send,
  bring,
  lookUp: () => Promise.resolve({ kind: 'neverKnown', detail: 'Teams keeps no list', providerId: undefined }),
}
