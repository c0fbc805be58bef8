/** Bytes on their way into the store: counted, looked at, and refused as a whole when they are not whole. */
import { Transform } from 'node:stream'
import type { Readable } from 'node:stream'

import { AppError } from '#platform/errors.ts'
import type { StorageDriver } from '#platform/storage/driver.ts'

import { headBytes } from './content-type.ts'

/** Where the bytes of a file come from. */
export interface ContentSource {
  readonly stream: Readable
  /** Asked when the stream has ended: true where the bytes are not all there. */
  readonly isTruncated?: (() => boolean) | undefined
  /** How many bytes there must be; anything else is refused. */
  readonly announcedBytes?: number | undefined
}

export interface StoredContent {
  readonly sizeBytes: number
  readonly sha256: string
  /** The first bytes, for telling what the file is. */
  readonly head: Buffer
}

const brokenOff = (cause?: unknown) =>
  new AppError('invalid_input', 'The upload broke off before it was whole. Nothing was saved; send it again.', { cause })

const otherSize = (announced: number) =>
  new AppError(
    'invalid_input',
    `The file does not have the ${announced} bytes that were announced as sizeBytes. Nothing was saved; the URL takes another try.`,
  )

/**
 * Stores the whole stream or nothing. Throws AppError `invalid_input` for bytes that are not whole or not as many as announced, `too_large`,
 * and `unavailable` where the store is full.
 */
export async function storeContent(
  storage: StorageDriver,
  path: string,
  source: ContentSource,
  options: { maxBytes: number; signal?: AbortSignal | undefined },
): Promise<StoredContent> {
  const { stream, isTruncated, announcedBytes } = source
  const chunks: Buffer[] = []
  let seen = 0
  // Whatever is wrong is said before the end of the stream, so that the store never holds a file that is not whole.
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (seen < headBytes) chunks.push(chunk.subarray(0, headBytes - seen))
      seen += chunk.length
      done(announcedBytes !== undefined && seen > announcedBytes ? otherSize(announcedBytes) : null, chunk)
    },
    flush(done) {
      if (isTruncated?.()) done(brokenOff())
      else done(announcedBytes !== undefined && seen !== announcedBytes ? otherSize(announcedBytes) : null)
    },
  })
  // Not a pipeline: the store owns the checked stream and destroys it, and a source that fails must fail it too. A failure that comes before
  // the store looks, or after it has given up, must hurt nobody.
  check.on('error', () => {})
  stream.on('error', (error) => check.destroy(error))
  stream.once('close', () => {
    if (!stream.readableEnded) check.destroy(brokenOff())
  })
  if (stream.errored) check.destroy(stream.errored)
  else if (stream.destroyed) check.destroy(brokenOff())
  try {
    const { maxBytes, signal } = options
    const { sizeBytes, sha256 } = await storage.put(path, stream.pipe(check), signal ? { maxBytes, signal } : { maxBytes })
    return { sizeBytes, sha256, head: Buffer.concat(chunks) }
  } catch (error) {
    if (error instanceof AppError) throw error
    if (stream.errored || stream.destroyed || options.signal?.aborted) throw brokenOff(error)
    throw error
  } finally {
    if (!stream.destroyed) stream.destroy()
  }
}
