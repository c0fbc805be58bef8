/** A page for people as the server's rooms hand it to each other: one makes it, another carries it over HTTP. */
import type { Readable } from 'node:stream'

/** One part of a posted form, in the order in which the browser sent them. */
export type FormPart =
  | { readonly kind: 'field'; readonly name: string; readonly value: string }
  /** The bytes must be read, or the stream destroyed, before the next part comes. */
  | {
      readonly kind: 'file'
      readonly name: string
      readonly fileName: string
      readonly mimeType: string
      readonly stream: Readable
      /** True once the stream ended because its limit was reached. */
      readonly isTruncated: () => boolean
    }

export interface PageRequest {
  /** Of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>
  readonly acceptLanguage: string
  readonly acceptEncoding: string
  /** The page's own script asks, and takes JSON. */
  readonly wantsJson: boolean
  readonly idempotencyKey: string | undefined
  readonly requestId: string
  readonly ip: string | undefined
  readonly signal: AbortSignal
  readonly traceparent: string | undefined
  /** Of a POST: the form that was sent. Throws AppError where it is none, is too large, stalls or breaks off. */
  readonly parts: () => AsyncIterable<FormPart>
}

export interface PageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

export interface PageRoute {
  readonly method: 'GET' | 'POST'
  /** Parameters as `:name`. A secret may stand in its place: logs show the route, never the address. */
  readonly path: string
  readonly answer: (request: PageRequest) => Promise<PageAnswer>
}
