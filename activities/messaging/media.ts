/** Files that came with a message and lie at its vendor: fetched into assets. */
import { Transform } from 'node:stream'
import { text } from 'node:stream/consumers'

import { type Dispatcher, request } from 'undici'

import { AppError } from '#platform/errors.ts'
import { assertEncrypted } from '#platform/outbound.ts'
import type { Services } from '#platform/services.ts'
import { createAssetFromStream, systemOwner } from '#tools/assets/service.ts'
import type { MediaToFetch } from '#tools/messaging/service.ts'

import { objectIn } from './wire.ts'

const maxRedirects = 5
const maxBytes = 64 * 1024 * 1024
const maxToldBytes = 64 * 1024
const headersMs = 15_000

/** The vendor will never give this file. */
export class MediaGone extends Error {
  override readonly name = 'MediaGone'
}

function endsAt(limitBytes: number): Transform {
  let seen = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      if (seen > limitBytes) done(new MediaGone('The file is too large'))
      else done(null, chunk)
    },
  })
}

const isLasting = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 429

/** Where a file lies: at its address, or where its vendor says when it is asked. */
async function placeOf(services: Services, dispatcher: Dispatcher, { url, access }: MediaToFetch, signal: AbortSignal): Promise<URL> {
  const place = access?.locate?.(url)
  if (!place) return new URL(url)
  const ask = new URL(place.ask)
  await assertEncrypted(services.config, ask)
  const answer = await request(ask, { dispatcher, signal, headersTimeout: headersMs })
  if (answer.statusCode !== 200) {
    await answer.body.dump()
    if (isLasting(answer.statusCode)) throw new MediaGone(`The vendor answered ${answer.statusCode}`)
    throw new Error(`The vendor answered ${answer.statusCode}`)
  }
  const told = answer.body.pipe(endsAt(maxToldBytes))
  answer.body.once('error', (error) => told.destroy(error))
  const found = place.read(objectIn(await text(told)))
  if (found === undefined) throw new MediaGone('The vendor does not say where the file lies')
  return new URL(found)
}

/** Follows redirects one by one, each through the guard; the account's password goes to the vendor's own address alone. */
async function open(
  services: Services,
  dispatcher: Dispatcher,
  media: MediaToFetch,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const { config } = services
  const { access } = media
  let url = await placeOf(services, dispatcher, media, signal)
  for (let hops = 0; hops <= maxRedirects; hops++) {
    if (url.protocol !== 'https:' && url.origin !== access?.origin) throw new MediaGone('The file lies at an address that is not encrypted')
    const authorization = url.origin === access?.origin ? access.authorization : undefined
    // Where there is no authorization, the address may hold what is secret.
    if (url.origin === access?.origin) await assertEncrypted(config, url)
    const answer = await request(url, {
      dispatcher,
      signal,
      headersTimeout: headersMs,
      headers: authorization === undefined ? {} : { authorization },
    })
    const { location } = answer.headers
    if (answer.statusCode < 300 || answer.statusCode >= 400 || typeof location !== 'string') return answer
    await answer.body.dump()
    url = new URL(location, url)
  }
  throw new MediaGone('The file hides behind too many redirects')
}

/** Fetches one file into an asset and answers its key. Throws MediaGone where another try would end the same way. */
export async function fetchFile(
  services: Services,
  dispatcher: Dispatcher,
  tenantId: number,
  media: MediaToFetch,
  signal: AbortSignal,
): Promise<string> {
  const answer = await open(services, dispatcher, media, signal).catch((error: unknown) => {
    throw error instanceof AppError ? new MediaGone('The file lies at a forbidden address', { cause: error }) : error
  })
  if (answer.statusCode !== 200) {
    await answer.body.dump()
    if (isLasting(answer.statusCode)) throw new MediaGone(`The vendor answered ${answer.statusCode}`)
    throw new Error(`The vendor answered ${answer.statusCode}`)
  }
  const counted = endsAt(maxBytes)
  answer.body.once('error', (error) => counted.destroy(error))
  const declared = Number(answer.headers['content-length'])
  const source = { stream: answer.body.pipe(counted), ...(Number.isInteger(declared) ? { announcedBytes: declared } : {}) }
  const file = { fileName: `message-${media.messageId}-${media.position}`, ...(media.mimeType === '' ? {} : { mimeType: media.mimeType }) }
  try {
    return (await createAssetFromStream(systemOwner(services, tenantId, signal), file, source)).assetKey
  } catch (error) {
    throw counted.errored instanceof MediaGone ? counted.errored : error
  }
}
