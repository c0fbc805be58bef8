/** Carries the pages for people over HTTP: their addresses, and the forms that are posted to them. */
import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { Pipeline } from '#platform/call.ts'
import { clientAddress } from '#platform/client-address.ts'
import type { Config } from '#platform/config.ts'
import { AppError } from '#platform/errors.ts'
import { hasForbiddenCharacter } from '#platform/json.ts'
import type { Pace } from '#platform/pace.ts'
import { sharerOf, uploadBytes } from '#platform/room.ts'
import { quoted } from '#platform/suggest.ts'
import type { FormPart, PageRoute } from '#platform/web-page.ts'

import { checkDeclared, mediaType, tooLarge } from './body.ts'
import { idempotencyKeyOf } from './credentials.ts'
import type { Exchanges } from './exchange.ts'
import { asFormError, unescaped } from './upload.ts'

export interface WebPageParts {
  readonly pipeline: Pipeline
  readonly config: Config
  readonly exchanges: Exchanges
  readonly pace: Pace
  /** In milliseconds. */
  readonly timeouts: { readonly upload: number }
}

const fieldBytes = 256 * 1024
/** Of all fields together: what a record may hold travels in a fraction of it. */
const allFieldBytes = 2 * 1024 * 1024
const mostFields = 10_000
const mostFiles = 50

/** Adds the routes of the pages and answers them, as the router for unknown ones is to know them. */
export function addWebPages(app: FastifyInstance, pages: readonly PageRoute[], parts: WebPageParts): { method: string; path: string }[] {
  for (const { method, path, answer } of pages) {
    app.route({
      method: method === 'GET' ? ['GET', 'HEAD'] : method,
      url: path,
      handler: async (request, reply) => {
        const exchange = parts.exchanges.of(request.raw, reply.raw)
        exchange.shownPath = path
        const { traceparent } = request.headers
        const { status, headers, body } = await parts.exchanges.track(
          answer({
            // What a router decodes is a record of texts.
            parameters: request.params as Record<string, string>,
            acceptLanguage: request.headers['accept-language'] ?? '',
            acceptEncoding: request.headers['accept-encoding'] ?? '',
            wantsJson: (request.headers.accept ?? '').includes('application/json'),
            idempotencyKey: idempotencyKeyOf(request.raw),
            requestId: exchange.requestId,
            ip: clientAddress(request.raw, parts.config.trustedProxies),
            signal: exchange.signal,
            traceparent: typeof traceparent === 'string' ? traceparent : undefined,
            parts: () => partsOf(request, exchange.signal, parts),
          }),
        )
        return reply.code(status).headers(headers).send(body)
      },
    })
  }
  return pages.map(({ method, path }) => ({ method, path: path.replace(/:(\w+)/g, '{$1}') }))
}

async function* partsOf(
  request: FastifyRequest,
  signal: AbortSignal,
  { pipeline, config, pace, timeouts }: WebPageParts,
): AsyncIterable<FormPart> {
  const { raw } = request
  if (mediaType(raw) !== 'multipart/form-data') throw new AppError('unsupported_type', 'The form is sent as multipart/form-data.')
  checkDeclared(raw, 'The form', mostFiles * config.limits.uploadBytes)
  const ip = clientAddress(raw, config.trustedProxies)
  const passage = pipeline.room.open('rest', signal)
  let late: unknown
  const unwatch = pace.watch(raw, { totalMs: timeouts.upload }, (error) => {
    late = error
    raw.destroy(error instanceof Error ? error : undefined)
  })
  let fieldTotal = 0
  try {
    await passage.enterWithBody(sharerOf({ kind: 'public', tenantId: 0 }, ip), uploadBytes)
    const limits = {
      fileSize: config.limits.uploadBytes,
      files: mostFiles,
      fields: mostFields,
      // Of both together; unless told, there are fewer than a page has controls.
      parts: mostFields + mostFiles,
      fieldSize: fieldBytes,
      fieldNameSize: 200,
    }
    for await (const part of request.parts({ limits, preservePath: true })) {
      if (part.type === 'file') {
        const { fieldname, mimetype: mimeType, file: stream } = part
        const [name, fileName] = [unescaped(fieldname), unescaped(part.filename ?? '')]
        yield { kind: 'file', name, fileName, mimeType, stream, isTruncated: () => stream.truncated }
        // What nobody took stands in the way of the next part.
        stream.resume()
        continue
      }
      const { value } = part
      const name = unescaped(part.fieldname)
      if (part.fieldnameTruncated || part.valueTruncated || typeof value !== 'string')
        throw tooLarge(`The field ${quoted(name)}`, fieldBytes)
      if (hasForbiddenCharacter(name) || hasForbiddenCharacter(value))
        throw new AppError('invalid_input', `The field ${quoted(name)} holds a NUL or half of a surrogate pair. Remove it.`)
      fieldTotal += Buffer.byteLength(value) + name.length
      if (fieldTotal > allFieldBytes) throw tooLarge('The form', allFieldBytes)
      yield { kind: 'field', name, value }
    }
  } catch (error) {
    throw asFormError(late ?? error)
  } finally {
    unwatch()
    passage.leave()
  }
}
