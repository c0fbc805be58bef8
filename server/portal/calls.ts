/** How the portal's pages call an operation: as anybody may over REST, in the name of whoever visits. */
import { bodyText } from '#platform/answer.ts'
import type { Credential, Pipeline } from '#platform/call.ts'

import { knownBrowserOf } from './browser.rules.ts'
import type { Visit } from './portal.types.ts'

export type PageCall = (visit: Visit, name: string, input: unknown, credential?: Credential) => Promise<unknown>

/** Answers what the operation does, whose own schema says what that is. Throws AppError. */
export function createPageCall(pipeline: Pipeline): PageCall {
  return async ({ raw, requestId, ip, host, userAgent, signal, traceparent }, name, input, credential = { kind: 'none' }) => {
    const operation = pipeline.registry.byName.get(name)
    if (!operation) throw new Error(`There is no operation ${name}`)
    const answer = await pipeline.run({
      operation,
      transport: 'rest',
      credential,
      input,
      requestId,
      ip,
      host,
      userAgent,
      knownBrowser: knownBrowserOf(raw.headers),
      signal,
      traceparent,
    })
    return JSON.parse(bodyText(answer))
  }
}
