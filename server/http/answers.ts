/** What the pipeline answered, as a response: JSON with its page in headers, or bytes with everything a browser asks about them. */
import { Readable } from 'node:stream'

import type { FastifyReply, FastifyRequest } from 'fastify'

import { bodyPieces, type BytesAnswer, isBytesAnswer, isListing } from '#platform/answer.ts'
import type { Passage } from '#platform/room.ts'

import type { Exchange } from './exchange.ts'
import { sendNoSuchRange } from './problems.ts'

/**
 * Sends the answer of a call. A stream that fails before its first byte becomes a problem; one that fails later ends the connection, so that
 * nobody takes the part for the whole.
 */
export async function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  exchange: Exchange,
  answer: unknown,
  passage: Passage,
): Promise<FastifyReply> {
  if (isBytesAnswer(answer)) {
    // What streams is held by whoever sends it.
    passage.holdAnswer(answer.body instanceof Readable ? 0 : answer.body.length)
    return sendBytes(request, reply, exchange, answer)
  }
  const pieces = answer === undefined ? ['null'] : await bodyPieces(answer)
  passage.holdAnswer(pieces.reduce((characters, piece) => characters + piece.length, 0))
  if (isListing(answer)) {
    if (answer.nextCursor !== undefined) reply.header('x-next-cursor', answer.nextCursor)
    if (answer.totalCount !== undefined) reply.header('x-total-count', String(answer.totalCount))
    if (answer.totalAtLeast !== undefined) reply.header('x-total-at-least', String(answer.totalAtLeast))
  }
  reply.header('cache-control', 'no-store').type('application/json; charset=utf-8')
  if (pieces.length === 1) return reply.send(pieces[0])
  reply.header('content-length', String(pieces.reduce((bytes, piece) => bytes + Buffer.byteLength(piece), 0)))
  exchange.awaitReader()
  return reply.send(Readable.from(pieces, { objectMode: false }))
}

const mediaTypeText = /^[\w.+-]+\/[\w.+-]+(?:;[\x20-\x7e]*)?$/

/** A media type that came with somebody's upload, if it can stand in a header; plain bytes else. */
function safeType(mimeType: string): string {
  return mediaTypeText.test(mimeType) ? mimeType : 'application/octet-stream'
}

function dispositionOf(fileName: string, inline: boolean): string {
  const plain = fileName.replace(/[\p{Cc}\p{Cs}]/gu, '').replace(/[\\/]/g, '_')
  const ascii = plain.replace(/[^\x20-\x7e]|["%]/g, '_')
  const encoded = encodeURIComponent(plain).replace(/['()*!]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${inline ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

function quotedTag(etag: string): string {
  return /^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(etag) ? etag : `"${etag.replace(/[^\x21\x23-\x7e]/g, '')}"`
}

function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  const weak = (tag: string) => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || weak(tag) === weak(etag))
}

interface ByteRange {
  readonly start: number
  /** Of the last byte. */
  readonly end: number
}

/** The one range that is asked for; undefined where there is none or several, and the whole is sent. `past`: it begins behind the last byte. */
function rangeOf(request: FastifyRequest, size: number, etag: string | undefined): ByteRange | 'past' | undefined {
  const { range, 'if-range': condition } = request.headers
  if (range === undefined || size === 0 || (condition !== undefined && condition !== etag)) return undefined
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range.replaceAll(' ', '')) ?? []
  if (from === '' && to === '') return undefined
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(size - 1, Number(to))
  if (from !== '' && to !== '' && Number(to) < start) return undefined
  return start < size ? { start, end } : 'past'
}

function sendBytes(request: FastifyRequest, reply: FastifyReply, exchange: Exchange, answer: BytesAnswer): FastifyReply {
  const source = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
  const size = Buffer.isBuffer(source) ? source.length : answer.sizeBytes
  const status = answer.status ?? 200
  const etag = answer.etag === undefined ? undefined : quotedTag(answer.etag)
  const type = safeType(answer.mimeType)
  reply.header('cache-control', 'private, no-cache')
  // A stored page or picture must not act in our name when a browser opens it; the sandbox would also switch off the reader of PDFs.
  if (!type.startsWith('application/pdf'))
    reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox")
  if (etag !== undefined) reply.header('etag', etag)
  if (answer.fileName !== undefined) reply.header('content-disposition', dispositionOf(answer.fileName, answer.inline === true))
  if (answer.headers) reply.headers(answer.headers)
  if (status === 200 && etag !== undefined && isKnown(etag, request.headers['if-none-match'])) {
    discard(source)
    return reply.code(304).send()
  }
  const range = status === 200 && size !== undefined ? rangeOf(request, size, etag) : undefined
  if (range === 'past') {
    discard(source)
    return sendNoSuchRange(reply, exchange, size ?? 0)
  }
  reply.code(range ? 206 : status).type(type)
  if (size !== undefined && status === 200) reply.header('accept-ranges', 'bytes')
  if (range) reply.header('content-range', `bytes ${range.start}-${range.end}/${size}`)
  const length = range ? range.end - range.start + 1 : size
  if (length !== undefined) reply.header('content-length', String(length))
  if (request.method === 'HEAD') {
    discard(source)
    return reply.send()
  }
  if (Buffer.isBuffer(source)) return reply.send(range ? source.subarray(range.start, range.end + 1) : source)
  const part = Readable.from(cut(source, range?.start ?? 0, length), { objectMode: false })
  part.on('error', (error) => (exchange.error ??= error))
  // A source that gives nothing would hold back the end of whatever reads it, so it is ended from here.
  reply.raw.once('close', () => source.destroy())
  exchange.awaitReader()
  return reply.send(part)
}

function discard(source: Readable | Buffer): void {
  if (Buffer.isBuffer(source)) return
  source.on('error', () => {})
  source.destroy()
}

/** `length` bytes from `start` on, or everything. Fails when there are fewer than the headers have announced. */
async function* cut(source: Readable, start: number, length: number | undefined): AsyncGenerator<Buffer> {
  let toSkip = start
  let left = length ?? Infinity
  if (left === 0) return
  for await (const chunk of source) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    const from = Math.min(toSkip, bytes.length)
    toSkip -= from
    const part = bytes.subarray(from, from + left)
    left -= part.length
    if (part.length > 0) yield part
    if (left === 0) return
  }
  if (length !== undefined) throw new Error(`The stream of an answer ended ${left} bytes early`)
}
