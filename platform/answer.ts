/** What a handler may answer beside a plain record: text that PostgreSQL wrote, a page of a list, or bytes. */
import type { Readable } from 'node:stream'

import { jsonPieces } from './json-text.ts'

const kind = Symbol('answer')

/** JSON text built by PostgreSQL and passed through, so that large reads are never parsed on their way out. */
export interface RawJson {
  readonly [kind]: 'rawJson'
  readonly text: string
}

/** A page of a list. Over REST `items` is the body and the rest are headers; over MCP all of it stands in one object. */
export interface Listing<T> {
  readonly [kind]: 'listing'
  readonly items: readonly T[] | RawJson
  readonly nextCursor?: string
  readonly totalCount?: number
  /** In place of the count where there are more than were counted. */
  readonly totalAtLeast?: number
}

/** An answer that is no JSON: a download, or the reply that a vendor's webhook expects. REST only. */
export interface BytesAnswer {
  readonly [kind]: 'bytes'
  readonly body: Readable | Buffer | string
  readonly mimeType: string
  readonly sizeBytes?: number
  readonly fileName?: string
  /** Shown in place by a browser instead of offered as a file. */
  readonly inline?: boolean
  readonly etag?: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A record for MCP together with bytes that a host may show; `bytes` is at most 1 MiB. */
export interface EmbeddedAnswer<T> {
  readonly [kind]: 'embedded'
  readonly record: T
  readonly bytes: Buffer
  readonly mimeType: string
}

export type Answer<T> = T | RawJson | (T extends readonly (infer E)[] ? Listing<E> : never) | BytesAnswer | EmbeddedAnswer<T>

export function rawJson(text: string): RawJson {
  return { [kind]: 'rawJson', text }
}

export function listing<T>(
  items: readonly T[] | RawJson,
  more: { nextCursor?: string | undefined; totalCount?: number | undefined; totalAtLeast?: number | undefined } = {},
): Listing<T> {
  return {
    [kind]: 'listing',
    items,
    ...(more.nextCursor === undefined ? {} : { nextCursor: more.nextCursor }),
    ...(more.totalCount === undefined ? {} : { totalCount: more.totalCount }),
    ...(more.totalAtLeast === undefined ? {} : { totalAtLeast: more.totalAtLeast }),
  }
}

export function bytesAnswer(answer: Omit<BytesAnswer, typeof kind>): BytesAnswer {
  return { [kind]: 'bytes', ...answer }
}

export function embeddedAnswer<T>(record: T, bytes: Buffer, mimeType: string): EmbeddedAnswer<T> {
  return { [kind]: 'embedded', record, bytes, mimeType }
}

function kindOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && kind in value ? value[kind] : undefined
}

export function isRawJson(value: unknown): value is RawJson {
  return kindOf(value) === 'rawJson'
}

export function isListing(value: unknown): value is Listing<unknown> {
  return kindOf(value) === 'listing'
}

export function isBytesAnswer(value: unknown): value is BytesAnswer {
  return kindOf(value) === 'bytes'
}

export function isEmbeddedAnswer(value: unknown): value is EmbeddedAnswer<unknown> {
  return kindOf(value) === 'embedded'
}

/** The JSON text of a record, an array, a listing's items or a raw text: the REST body. */
export function bodyText(answer: unknown): string {
  if (isRawJson(answer)) return answer.text
  if (isListing(answer)) return bodyText(answer.items)
  if (isEmbeddedAnswer(answer)) return JSON.stringify(answer.record)
  return JSON.stringify(answer)
}

/** The same in pieces, written in turns with everybody else where it is long. */
export async function bodyPieces(answer: unknown): Promise<readonly string[]> {
  if (isRawJson(answer)) return [answer.text]
  if (isListing(answer)) return bodyPieces(answer.items)
  return jsonPieces(isEmbeddedAnswer(answer) ? answer.record : answer)
}

/** The JSON text of what MCP calls structured content: always an object, an array standing under `items`. */
export function structuredText(answer: unknown): string {
  return structured(answer, bodyText(answer))
}

/** The same, written in turns with everybody else where it is long. */
export async function structuredTextInTurns(answer: unknown): Promise<string> {
  return structured(answer, (await bodyPieces(answer)).join(''))
}

function structured(answer: unknown, text: string): string {
  if (isListing(answer)) {
    const { nextCursor, totalCount, totalAtLeast } = answer
    const rest = JSON.stringify({ nextCursor, totalCount, totalAtLeast }).slice(1)
    return `{"items":${text}${rest === '}' ? rest : `,${rest}`}`
  }
  return text.startsWith('[') ? `{"items":${text}}` : text
}
