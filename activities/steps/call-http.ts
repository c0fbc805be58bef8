import { Readable } from 'node:stream'

import { type Dispatcher, request } from 'undici'

import { runAs } from '#platform/acting.ts'
import { AppError } from '#platform/errors.ts'
import { assertEncrypted, guardedDispatcher } from '#platform/outbound.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { openAsset } from '#tools/assets/service.ts'
import { openSecrets } from '#tools/auth/service.ts'
import { isObject, textIn } from '#tools/workflows/service.ts'

import { networkReason } from '../network.ts'
import { readAnswer } from './http-answer.ts'
import { headersElsewhere, maxFileBytes, mayBeFollowed, readHeaders, readUrl, withoutSecrets } from './http.rules.ts'
import type { Perform, StepContext } from './step.types.ts'

/** An address that does not answer holds one of the places in which steps are carried out. */
const secondsUnlessTold = 30
const maxRedirects = 5
const refusedBytes = 16 * 1024

interface Call {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Never shown. */
  readonly secrets: readonly string[]
  readonly body: string | Readable | undefined
}

/** What is sent of a file, which the run reaches as its roles allow. */
async function openFile({ services, who, signal }: StepContext, assetKey: string) {
  const asset = await runAs(services, who, 'get_asset', { assetKey }, { signal })
  if (isObject(asset) && asset['isSensitive'] === true)
    throw new AppError('unprocessable', 'A sensitive file may not leave through a call outside. Send a link to the record instead.')
  return openAsset(services, who.tenantId, assetKey, ({ sizeBytes }) => {
    if (sizeBytes > maxFileBytes) throw new AppError('too_large', `A call sends files of at most ${maxFileBytes / 1024 / 1024} MiB.`)
  })
}

async function bodyOf(step: StepContext): Promise<{ readonly body?: string | Readable; readonly headers: Record<string, string> }> {
  const { body, bodyAsset } = step.config
  const assetKey = textIn(bodyAsset)
  if (assetKey !== undefined) {
    const { stream, sizeBytes, mimeType } = await openFile(step, assetKey)
    return { body: stream, headers: { 'content-length': String(sizeBytes), 'content-type': mimeType } }
  }
  if (body === undefined || body === null) return { headers: {} }
  if (typeof body === 'string') return { body, headers: { 'content-type': 'text/plain; charset=utf-8' } }
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

async function callOf(step: StepContext): Promise<Call> {
  const { config, sealed, services, open, who } = step
  const { tenantId } = who
  const url = readUrl(config['url'])
  const said = readHeaders(config['headers'])
  const named = Object.entries(isObject(config['secretHeaders']) ? config['secretHeaders'] : {}).map(
    ([header, name]) => [header.toLowerCase(), String(name)] as const,
  )
  const opened = await inSystemTransaction(services, tenantId, (context) => {
    const names = named.map(([, name]) => name)
    return openSecrets(context, names, url)
  })
  if (named.length > 0) await assertEncrypted(services.config, url)
  // The same for every try, and nobody else's.
  const key = services.secrets.sign('idempotency of a step', `${tenantId}:${open.run.runId}:${open.row.effectNo}`)
  const { body, headers } = await bodyOf(step)
  return {
    method: String(config['method']),
    url,
    headers: {
      'user-agent': 'Fieldloop',
      accept: '*/*',
      'accept-encoding': 'identity',
      'idempotency-key': key,
      ...headers,
      ...said,
      ...Object.fromEntries(named.map(([header, name]) => [header, opened.get(name) ?? ''])),
    },
    secrets: [...opened.values(), ...sealed],
    body,
  }
}

/** The answer, behind redirects where the call may be led elsewhere: each goes through the guard, and none is told what was meant for the first address. */
async function send(dispatcher: Dispatcher, call: Call, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { method, body = null } = call
  let { url, headers } = call
  for (let hops = 0; ; hops++) {
    const answer = await request(url, { dispatcher, signal, method, headers, body })
    const { location } = answer.headers
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.statusCode) && typeof location === 'string'
    if (!isRedirect || body !== null || call.secrets.length > 0 || !mayBeFollowed(call)) return answer
    if (hops === maxRedirects) throw new AppError('unprocessable', `${url.host} hides behind more than ${maxRedirects} redirects.`)
    await answer.body.dump({ limit: refusedBytes, signal })
    const next = readUrl(URL.parse(location, url.href)?.href)
    if (next.origin !== url.origin) headers = headersElsewhere(headers)
    url = next
  }
}

const isWorthAnotherTry = (status: number) => status >= 500 || status === 408 || status === 425 || status === 429

/** Whatever broke on the way, in a sentence of ours. */
function failureOf(error: unknown, host: string, seconds: number, isOver: boolean): AppError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof AppError) return cause
  if (isOver) {
    const sentence = `${host} was not done within ${seconds} seconds. Raise timeoutSeconds of the step, or ask for less.`
    return new AppError('timeout', sentence, { cause: error })
  }
  return new AppError('unavailable', `${host} could not be called: ${networkReason(error)}`, { cause: error })
}

/**
 * Running it again is as harmless as its target makes it: each try of a step carries the same Idempotency-Key, and whoever keeps to it does what is asked
 * once.
 */
export const callHttp: Perform = async (step) => {
  try {
    return await carryOut(step)
  } catch (error) {
    // What is refused is named, and a sensitive setting may stand in its name.
    if (!(error instanceof AppError) || step.sealed.length === 0) throw error
    throw new AppError(error.code, withoutSecrets(error.message, step.sealed), { cause: error.cause })
  }
}

const carryOut: Perform = async (step) => {
  const { config, services, open, signal, scope } = step
  const said = open.found.said['timeoutSeconds']
  const seconds = typeof said === 'number' ? said : secondsUnlessTold
  const limit = AbortSignal.timeout(seconds * 1_000)
  const ending = AbortSignal.any([signal, limit])
  const call = await callOf(step)
  // Of its own for each call: whatever stays open at the other end is closed with it.
  const dispatcher = guardedDispatcher(services.config, { headersMs: seconds * 1_000, bodyMs: seconds * 1_000 })
  try {
    const answer = await send(dispatcher, call, ending)
    const read = await readAnswer(step, answer, {
      asAsset: config['saveBodyAs'] === 'asset',
      isHead: call.method === 'HEAD',
      signal: ending,
    })
    const result = withoutSecrets(read, call.secrets)
    const { status } = result
    const { successWhen } = open.found.config
    const isGood =
      successWhen === undefined ? status >= 200 && status < 300 : await (await scope()).holds(successWhen, { $response: result })
    if (isGood) return { kind: 'done', result }
    const message = `${withoutSecrets(call.url.host, call.secrets)} answered ${status}${status >= 300 && status < 400 ? ', a redirect that is not followed. Name the address it leads to' : ''}.`
    if (isWorthAnotherTry(status)) throw new AppError('unavailable', message)
    return { kind: 'failed', code: 'unprocessable', message, result }
  } catch (error) {
    throw failureOf(error, call.url.host, seconds, ending.aborted)
  } finally {
    if (call.body instanceof Readable) call.body.destroy()
    await dispatcher.destroy()
  }
}
