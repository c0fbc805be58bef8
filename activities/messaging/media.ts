/** Files that came with a message and lie at its vendor: fetched into assets. */
import { Transform } from 'node:stream'

import { type Dispatcher, request } from 'undici'

import { AppError } from '#platform/errors.ts'
import { assertEncrypted } from '#platform/outbound.ts'
import type { Services } from '#platform/services.ts'
import { createAssetFromStream, systemOwner } from '#tools/assets/service.ts'
import type { MediaToFetch } from '#tools/messaging/service.ts'

const maxRedirects = 5
const maxBytes = 64 * 1024 * 1024
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

/** Follows redirects one by one, each through the guard; the account's password goes to the vendor's own address alone. */
async function open(
  { config }: Services,
  dispatcher: Dispatcher,
  media: MediaToFetch,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const { access } = media
  let url = new URL(media.url)
  for (let hops = 0; hops <= maxRedirects; hops++) {
    if (url.protocol !== 'https:' && url.origin !== access?.origin) throw new MediaGone('The file lies at an address that is not encrypted')
    const authorization = url.origin === access?.origin ? access.authorization : undefined
    if (authorization !== undefined) await assertEncrypted(config, url)
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
    const isLasting = answer.statusCode >= 400 && answer.statusCode < 500 && answer.statusCode !== 408 && answer.statusCode !== 429
    if (isLasting) throw new MediaGone(`The vendor answered ${answer.statusCode}`)
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
