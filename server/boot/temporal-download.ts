/** Temporal's CLI from the place where Temporal's own SDKs fetch it. */
import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

import { z } from 'zod'

import { messageOf } from './failures.ts'

const releases = 'https://temporal.download'
/** A machine that cannot reach it must not wait; one that can may have a slow line. */
const answerLimitMs = 3_000
const transferLimitMs = 600_000

const run = promisify(execFile)
const answerShape = z.object({
  archiveUrl: z.url({ protocol: /^https?$/ }),
  // A plain name: it becomes an argument of tar and a path of ours.
  fileToExtract: z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.]*$/),
})

export interface FetchOptions {
  readonly version: string
  /** An empty directory of the caller, who removes it. */
  readonly directory: string
  readonly onProgress: (detail: string) => void
  readonly signal: AbortSignal
  readonly downloadFrom?: string
}

/** A way to get the program that led nowhere. `remedy` continues with "or". */
export class Unobtainable extends Error {
  override readonly name = 'Unobtainable'
  readonly remedy: string

  constructor(message: string, remedy: string) {
    super(message)
    this.remedy = remedy
  }
}

/** Downloads and unpacks the program; answers its path. Rejects with a sentence. */
export async function downloadTemporal(o: FetchOptions): Promise<string> {
  o.onProgress('looking for a download of Temporal')
  try {
    const release = await askForRelease(o)
    const archive = join(o.directory, 'archive.tar.gz')
    await transfer(release.archiveUrl, archive, o)
    o.onProgress('unpacking Temporal')
    await run('tar', ['-xzf', archive, '-C', o.directory, release.fileToExtract], { timeout: 120_000, signal: o.signal })
    return join(o.directory, release.fileToExtract)
  } catch (error) {
    o.signal.throwIfAborted()
    // fetch says "fetch failed" and keeps the reason in its cause.
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new Error(`Temporal cannot be downloaded: ${messageOf(reason)}.`, { cause: error })
  }
}

async function askForRelease(o: FetchOptions) {
  const query = new URLSearchParams({
    arch: process.arch === 'x64' ? 'amd64' : process.arch,
    platform: process.platform,
    format: 'tar.gz',
    'sdk-name': 'sdk-typescript',
  })
  const signal = AbortSignal.any([o.signal, AbortSignal.timeout(answerLimitMs)])
  const answer = await fetch(`${o.downloadFrom ?? releases}/cli/${o.version}?${query.toString()}`, { signal })
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`)
  return answerShape.parse(await answer.json())
}

async function transfer(url: string, to: string, o: FetchOptions): Promise<void> {
  const answer = await fetch(url, { signal: AbortSignal.any([o.signal, AbortSignal.timeout(transferLimitMs)]) })
  if (!answer.ok || !answer.body) throw new Error(`the archive's server answered ${answer.status}`)
  const total = Number(answer.headers.get('content-length'))
  let received = 0
  let toldAt = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length
      if (performance.now() - toldAt > 1000) {
        toldAt = performance.now()
        o.onProgress(`downloading Temporal: ${megabytes(received)} of ${total > 0 ? megabytes(total) : 'about 60'} MB`)
      }
      done(null, chunk)
    },
  })
  await pipeline(Readable.fromWeb(answer.body), counted, createWriteStream(to))
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6)
}
