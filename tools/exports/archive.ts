/** A ZIP archive while it is written: its files come one after the other, and no more than a piece of one is held. */
import { createHash } from 'node:crypto'
import { Readable, Transform } from 'node:stream'
import { finished } from 'node:stream/promises'

import { ZipFile } from 'yazl'

/** A file that stands in an archive. */
export interface ArchivedFile {
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
}

export interface Archive {
  /** The bytes of the archive, for one reader. */
  readonly stream: Readable
  /** How many of them there are so far. */
  writtenBytes(): number
  /** Adds a file behind those before it, and answers once its content has been read. `isPacked`: what is packed already gains nothing from it. */
  add(path: string, content: AsyncIterable<string | Uint8Array>, options: { readonly isPacked: boolean }): Promise<ArchivedFile>
  /** Nothing follows. */
  end(): void
  /** Gives up: the reader fails with the reason. */
  fail(reason: unknown): void
}

const pieceBytes = 256 * 1024

const asError = (reason: unknown) => (reason instanceof Error ? reason : new Error('The archive was given up'))

/** `at` is when its files were changed last, as unpacking shows them. */
export function openArchive(at: Date): Archive {
  const zip = new ZipFile()
  let writtenBytes = 0
  let current: Readable | undefined
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      writtenBytes += chunk.length
      done(null, chunk)
    },
  })
  // Who reads the stream is told of its failure; so is whoever is adding a file, by that file's own stream.
  stream.on('error', () => {})
  stream.on('close', () => current?.destroy(stream.errored ?? new Error('The archive was closed before its end')))
  zip.on('error', (error: Error) => stream.destroy(error))
  zip.outputStream.pipe(stream)
  return {
    stream,
    writtenBytes: () => writtenBytes,
    async add(path, content, { isPacked }) {
      const digest = createHash('sha256')
      let sizeBytes = 0
      async function* measured(): AsyncGenerator<Uint8Array> {
        for await (const piece of content) {
          const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
          sizeBytes += bytes.length
          // Checksums are of this thread: some at a time, between which others have their turn.
          for (let from = 0; from < bytes.length; from += pieceBytes) {
            const part = bytes.subarray(from, from + pieceBytes)
            digest.update(part)
            yield part
          }
        }
      }
      if (stream.destroyed) throw stream.errored ?? new Error('The archive was closed before its end')
      current = Readable.from(measured(), { objectMode: false })
      const isRead = finished(current)
      // A file and an archive may pass four gigabytes, which is not known before.
      zip.addReadStream(current, path, { mtime: at, mode: 0o100644, compress: !isPacked, forceZip64Format: true })
      await isRead
      current = undefined
      return { path, sizeBytes, sha256: digest.digest('hex') }
    },
    end: () => zip.end(),
    fail(reason) {
      stream.destroy(asError(reason))
    },
  }
}
