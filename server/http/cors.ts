/** Which pages of other origins may call from a browser. Without a setting none may, and a preflight is a request of a method that no path takes. */
import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']

const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Accept',
  'Idempotency-Key',
  'If-None-Match',
  'If-Range',
  'Range',
  'X-Request-Id',
  'traceparent',
  'Last-Event-Id',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
]

/** What a script may read of an answer beside its body and type. */
const exposedHeaders = [
  'Allow',
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Mcp-Session-Id',
  'Retry-After',
  'WWW-Authenticate',
  'X-Next-Cursor',
  'X-Request-Id',
  'X-Total-At-Least',
  'X-Total-Count',
]

const preflightSeconds = 600

/** Answers preflights, and marks answers, for the origins; `*` is every one, which then sends no credentials of the browser's. */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return
  const isForAll = origins.includes('*')
  await app.register(cors, {
    delegator: (request, decide) => {
      const { origin, 'access-control-request-method': wanted } = request.headers
      const isAllowed = origin !== undefined && (isForAll || origins.includes(origin))
      // An OPTIONS that is no preflight is answered like any other method that a path does not take.
      const isOther = request.method === 'OPTIONS' && wanted === undefined
      decide(null, {
        origin: isAllowed && !isOther ? (isForAll ? '*' : origin) : false,
        credentials: !isForAll,
        methods,
        allowedHeaders,
        exposedHeaders,
        maxAge: preflightSeconds,
      })
    },
  })
}
