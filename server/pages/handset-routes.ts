/** The page of handsets. Looking changes nothing; what is posted goes the way that a vendor's webhook takes. */
import { AppError } from '#platform/errors.ts'
import type { FormPart, PageAnswer, PageRequest, PageRoute } from '#platform/web-page.ts'

import type { HandsetCalls } from './handset-calls.ts'
import { handsetPage, handsetPath } from './handset-page.ts'
import { gonePage, pageHeaders } from './page.ts'

export interface HandsetPageParts {
  readonly handsets: HandsetCalls
  readonly onFailure: (error: unknown, requestId: string) => void
}

/** The fields of a small form; files are left where they are. */
async function fieldsOf(parts: AsyncIterable<FormPart>): Promise<ReadonlyMap<string, string>> {
  const fields = new Map<string, string>()
  for await (const part of parts) {
    if (part.kind === 'field') fields.set(part.name, part.value)
    else part.stream.destroy()
  }
  return fields
}

/** What was pressed, in the words of the channel's webhook; undefined where nothing was. */
function doneBy(fields: ReadonlyMap<string, string>, address: string): object | undefined {
  const [tap, status, next] = ['tap', 'status', 'next'].map((name) => fields.get(name))
  if (tap !== undefined) {
    const at = tap.indexOf(':')
    return { kind: 'message', from: address, messageId: Number(tap.slice(0, at)), choice: tap.slice(at + 1) }
  }
  if (status !== undefined) {
    const [messageId, word] = status.split(':')
    return { kind: 'status', messageId: Number(messageId), status: word }
  }
  if (next === 'fail') return { kind: 'fail', to: address }
  if (next !== undefined) return { kind: 'delay', to: address, seconds: Number(next) }
  const text = fields.get('text')?.trim()
  return text ? { kind: 'message', from: address, text } : undefined
}

export function createHandsetPages({ handsets, onFailure }: HandsetPageParts): PageRoute[] {
  const of = ({ parameters }: PageRequest) => ({ channelKey: parameters['channelKey'] ?? '', address: parameters['address'] })

  function gone(error: unknown, request: PageRequest): PageAnswer {
    if (!(error instanceof AppError)) onFailure(error, request.requestId)
    const status = error instanceof AppError ? error.status : 500
    if (status === 404) return gonePage('unknown', 'en')
    return gonePage(status === 429 || status === 503 ? 'busy' : status === 413 ? 'tooLarge' : 'failed', 'en', status)
  }

  async function show(request: PageRequest): Promise<PageAnswer> {
    const { channelKey, address } = of(request)
    try {
      return handsetPage({ channelKey, address, found: await handsets.look(request, channelKey, address) })
    } catch (error) {
      return gone(error, request)
    }
  }

  async function take(request: PageRequest): Promise<PageAnswer> {
    const { channelKey, address = '' } = of(request)
    try {
      const done = doneBy(await fieldsOf(request.parts()), address)
      if (done) await handsets.act(request, channelKey, done)
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 400) return gone(error, request)
      const found = await handsets.look(request, channelKey, address)
      return handsetPage({ channelKey, address, found, problem: error.message, status: 400 })
    }
    // A page that is loaded again must not do it again.
    return { status: 303, headers: { ...pageHeaders, location: handsetPath(channelKey, address) }, body: '' }
  }

  return [
    { method: 'GET', path: '/handsets/:channelKey', answer: show },
    { method: 'GET', path: '/handsets/:channelKey/:address', answer: show },
    { method: 'POST', path: '/handsets/:channelKey/:address', answer: take },
  ]
}
