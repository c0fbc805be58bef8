/** Files on their way in: multipart forms and raw bytes, as one stream that either ends whole or fails with the reason. */
import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'

import type { FastifyRequest } from 'fastify'

import { AppError } from '#platform/errors.ts'
import { hasForbiddenCharacter } from '#platform/json.ts'
import type { Upload } from '#platform/operation.ts'
import { quoted } from '#platform/suggest.ts'

import { checkDeclared, mediaType, tooLarge } from './body.ts'

// A form whose file is at most this long may have its fields in any order; a longer one runs while it arrives, so its fields come first.
const heldBytes = 1024 * 1024
const maxFields = 200

interface OpenUpload {
  readonly upload: Upload
  /** Carries the source over as fast as it is read. `onFull` is called when nobody has read the first MiB yet. */
  fill(source: Readable, onFull: () => void): Promise<void>
  /** The bytes are whole. */
  finish(): void
  /** They are not: readers get the error instead of an end. */
  cut(error: AppError): void
}

function openUpload(fileName: string, mimeType: string | undefined, limitBytes: number): OpenUpload {
  const stream = new PassThrough({ readableHighWaterMark: heldBytes, writableHighWaterMark: 16 * 1024 })
  let isTruncated = false
  let bytes = 0
  // An operation may answer without ever looking at the stream; its failure must then hurt nobody.
  stream.on('error', () => {})
  const drained = () =>
    new Promise<void>((resolve) => {
      const done = () => {
        stream.off('drain', done).off('close', done)
        resolve()
      }
      stream.on('drain', done).on('close', done)
    })
  return {
    upload: { stream, fileName, mimeType, isTruncated: () => isTruncated },
    async fill(source, onFull) {
      // Leaving the loop must not destroy the source: of a request that would be the connection, and with it the answer.
      for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        bytes += chunk.length
        if (bytes > limitBytes) throw tooLarge('The file', limitBytes)
        if (stream.destroyed) return
        if (stream.write(chunk)) continue
        onFull()
        await drained()
      }
    },
    finish: () => void stream.end(),
    cut(error) {
      isTruncated = true
      stream.destroy(error)
    },
  }
}

const brokenOff = (cause: unknown) => new AppError('invalid_input', 'The upload broke off before it was whole. Send it again.', { cause })

/** The body as it is, as an upload. Throws `too_large` when the headers already say so, and `unsupported_type` for a form. */
export function openStream(request: IncomingMessage, limitBytes: number, watch: (onLate: (error: unknown) => void) => void): Upload {
  checkDeclared(request, 'The file', limitBytes)
  // Kept as it came it would be a file that nothing can open, and the caller would learn of it long after.
  if (mediaType(request) === 'multipart/form-data')
    throw new AppError('unsupported_type', 'The body is a form. Send the bytes of the file as the whole body, as curl -T does.')
  const opened = openUpload('', request.headers['content-type'], limitBytes)
  const fail = (error: unknown) => opened.cut(error instanceof AppError ? error : brokenOff(error))
  watch(fail)
  opened
    .fill(request, () => {})
    .then(() => opened.finish())
    .catch(fail)
  return opened.upload
}

export interface Form {
  /** Each with all its values, in their order. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly upload: Upload
}

/**
 * Reads a multipart form up to the point where its operation can run: its fields and one file. Throws `invalid_input` and `too_large`; what goes
 * wrong later fails the upload's stream.
 */
export async function openForm(
  request: FastifyRequest,
  limitBytes: number,
  watch: (onLate: (error: unknown) => void) => void,
): Promise<Form> {
  checkDeclared(request.raw, 'The form', limitBytes + heldBytes)
  const fields = new Map<string, string[]>()
  const runnable = Promise.withResolvers<void>()
  let isRunning = false
  let opened: OpenUpload | undefined
  const run = () => {
    isRunning = true
    runnable.resolve()
  }
  const parse = async () => {
    const limits = { fileSize: limitBytes + 1, fields: maxFields, fieldSize: heldBytes, fieldNameSize: 200 }
    // What is made of a name with folders, or of `..`, is decided in one place for all ways in.
    for await (const part of request.parts({ limits, preservePath: true })) {
      if (part.type === 'field') {
        const name = unescaped(part.fieldname)
        if (isRunning)
          throw new AppError('invalid_input', `The field ${quoted(name)} stands after the file. Send the fields first, the file last.`)
        const { value } = part
        if (part.fieldnameTruncated || part.valueTruncated) throw tooLarge(`The field ${quoted(name)}`, heldBytes)
        if (typeof value !== 'string')
          throw new AppError('unsupported_type', `The field ${quoted(name)} has a type of its own. Send fields as plain text.`)
        if (hasForbiddenCharacter(name) || hasForbiddenCharacter(value)) {
          throw new AppError('invalid_input', `The field ${quoted(name)} holds a NUL or half of a surrogate pair. Remove it.`)
        }
        fields.set(name, [...(fields.get(name) ?? []), value])
      } else {
        if (opened) throw new AppError('invalid_input', 'The form holds more than one file. Send one file a call.')
        const fileName = unescaped(part.filename ?? '')
        if (hasForbiddenCharacter(fileName)) throw new AppError('invalid_input', 'The name of the file holds a NUL. Remove it.')
        opened = openUpload(fileName, part.mimetype, limitBytes)
        await opened.fill(part.file, run)
      }
    }
    // Only now is it known that the last boundary has come: until here a reader has not been told that the file is whole.
    opened?.finish()
  }
  const fail = (thrown: unknown) => {
    const error = asFormError(thrown)
    opened?.cut(error)
    runnable.reject(error)
  }
  watch(fail)
  parse().then(run, fail)
  await runnable.promise
  if (!opened) throw new AppError('invalid_input', 'The form holds no file. Send the file as a part with a file name.')
  return { fields, upload: opened.upload }
}

/** A name as it was before a browser wrote it into the form: it escapes these three, and no other per cent sign. */
export function unescaped(name: string): string {
  return name.replace(/%22|%0D|%0A/gi, (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)))
}

/** What was wrong with a form, in our words. */
export function asFormError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined
  if (code === 'FST_PARTS_LIMIT' || code === 'FST_FIELDS_LIMIT' || code === 'FST_FILES_LIMIT') {
    return new AppError('too_large', `The form has more than ${maxFields} fields.`)
  }
  if (code === 'FST_PROTO_VIOLATION') return new AppError('invalid_input', 'The form has a field whose name no operation can have.')
  if (code === 'FST_INVALID_JSON_FIELD_ERROR')
    return new AppError('unsupported_type', 'A field of the form has a type of its own. Send fields as plain text.')
  return new AppError('invalid_input', 'The multipart form is not well-formed, or broke off before its last boundary. Send it again.', {
    cause: thrown,
  })
}
