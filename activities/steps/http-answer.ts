/** The answer to a call outside, as a run keeps it: within its bounds, or as a file. */
import { Transform } from 'node:stream'

import type { Dispatcher } from 'undici'

import { AppError } from '#platform/errors.ts'
import { readJson } from '#platform/json.ts'
import { createAssetFromStream, systemOwner } from '#tools/assets/service.ts'

import { type HttpResult, maxBodyBytes, maxFileBytes } from './http.rules.ts'
import type { StepContext } from './step.types.ts'

interface Wanted {
  readonly asAsset: boolean
  readonly isHead: boolean
  readonly signal: AbortSignal
}

function tooLarge(most: number, remedy: string): AppError {
  return new AppError('too_large', `The answer is larger than ${most / 1024} KB. ${remedy}`)
}

async function bytesOf(body: Dispatcher.ResponseData['body']): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    // Bodies of undici give nothing else.
    const bytes = chunk as Buffer
    size += bytes.length
    if (size > maxBodyBytes) throw tooLarge(maxBodyBytes, 'Ask for less, or set saveBodyAs to asset.')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

/** JSON as its value, other text as it is. */
async function valueOf(bytes: Buffer, contentType: string): Promise<unknown> {
  if (bytes.length === 0) return null
  if (/[/+]json\b/i.test(contentType)) {
    const { value, refusal } = await readJson(bytes).catch((error: unknown) => {
      throw new AppError('unprocessable', 'The answer says that it is JSON, and is none.', { cause: error })
    })
    if (refusal) throw new AppError('unprocessable', 'The answer holds numbers or characters that no run can keep.', { cause: refusal })
    return value
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\u0000', '')
  } catch {
    throw new AppError('unprocessable', 'The answer is no text. Set saveBodyAs to asset to keep it as a file.')
  }
}

async function keepAsFile(
  { services, who }: StepContext,
  answer: Dispatcher.ResponseData,
  type: string,
  signal: AbortSignal,
): Promise<string> {
  let seen = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      if (seen > maxFileBytes) done(tooLarge(maxFileBytes, 'Ask for less.'))
      else done(null, chunk)
    },
  })
  answer.body.once('error', (error) => counted.destroy(error))
  const mimeType = type.split(';', 1)[0]?.trim() ?? ''
  const file = { fileName: 'answer', ...(mimeType === '' ? {} : { mimeType }) }
  try {
    const owner = { ...systemOwner(services, who.tenantId, signal), tenantUserId: who.tenantUserId }
    return (await createAssetFromStream(owner, file, { stream: answer.body.pipe(counted) })).assetKey
  } catch (error) {
    throw counted.errored instanceof AppError ? counted.errored : error
  }
}

/** Throws AppError `too_large` and `unprocessable`, and what the network throws. */
export async function readAnswer(
  step: StepContext,
  answer: Dispatcher.ResponseData,
  { asAsset, isHead, signal }: Wanted,
): Promise<HttpResult> {
  const headers = Object.fromEntries(
    Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined || name === 'set-cookie' ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
    ),
  )
  const status = answer.statusCode
  if (isHead) return { status, headers, body: null }
  const type = headers['content-type'] ?? ''
  // What says why a call failed is read, not filed.
  if (asAsset && status >= 200 && status < 300) return { status, headers, assetKey: await keepAsFile(step, answer, type, signal) }
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    throw new AppError('unprocessable', 'The answer is compressed, though it was asked for as it is. Set saveBodyAs to asset.')
  return { status, headers, body: await valueOf(await bytesOf(answer.body), type) }
}
