/** One request and its answer as the transport follows them: ids, the abort signal, the log line, and what shutting down waits for. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import type { ErrorCode } from '#platform/errors.ts'
import type { Logger } from '#platform/log.ts'
import { observeCall } from '#platform/metrics.ts'
import { smallBytes } from '#platform/room.ts'

export interface Exchange {
  readonly requestId: string
  /** Of the caller's trace, when it sent a W3C traceparent. */
  readonly traceId: string | undefined
  /** Aborted when the connection ends before the answer is out. */
  readonly signal: AbortSignal
  /** The operation's name; both names of a shared path until the body has decided. Undefined on pages and unknown routes. */
  operation: string | undefined
  code: ErrorCode | undefined
  /** What the log shows in place of an address that holds a secret. */
  shownPath: string | undefined
  /** To be called where an answer begins to stream: from now on its reader must take something now and then. */
  readonly awaitReader: () => void
  /** What the log shows of a failure; the caller never sees it. */
  error: unknown
}

export interface Exchanges {
  /** The exchange of this request; the first call opens it. */
  of(request: IncomingMessage, response: ServerResponse): Exchange
  /** Has `close` wait for this work even when its connection is gone. */
  track<T>(work: Promise<T>): Promise<T>
  /** Whether an answer has begun to go out on this connection, so that no other text may stand in it. */
  isAnswering(socket: Socket): boolean
  /** Ends every connection: idle and half-sent ones at once, answers under way after `graceMs` at the latest. */
  close(graceMs: number): Promise<void>
}

export interface ExchangeOptions {
  readonly server: Server
  readonly log: Logger
  /** In milliseconds. */
  readonly timeouts: {
    /** How long bytes that nobody wants are still taken after the answer, so that the caller can read it before the connection ends. */
    readonly drain: number
    /** How long an answer may wait for its reader to take anything of it. */
    readonly stall: number
    /** How long it may take to be taken whole, once it is written. */
    readonly answer: number
  }
}

// Work that outlives its connection has been told so by its signal; what ignores it does not hold up the process.
const abandonedWorkMs = 2_000

const sane = /^[A-Za-z0-9._-]{1,128}$/
const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/

function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && sane.test(given) ? given : randomUUID()
}

function traceIdOf(request: IncomingMessage): string | undefined {
  const given = request.headers['traceparent']
  return typeof given === 'string' ? traceparent.exec(given)?.[1] : undefined
}

/** Starts following the server's connections. */
export function createExchanges({ server, log, timeouts }: ExchangeOptions): Exchanges {
  const exchanges = new WeakMap<IncomingMessage, Exchange>()
  const sockets = new Map<Socket, number>()
  const answers = new Set<ServerResponse>()
  const works = new Set<Promise<unknown>>()
  let isClosing = false

  server.on('connection', (socket) => {
    if (isClosing) {
      socket.destroy()
      return
    }
    sockets.set(socket, 0)
    socket.once('close', () => sockets.delete(socket))
  })

  function open(request: IncomingMessage, response: ServerResponse): Exchange {
    const startedAt = performance.now()
    const gone = new AbortController()
    const exchange: Exchange = {
      requestId: requestIdOf(request),
      traceId: traceIdOf(request),
      signal: gone.signal,
      operation: undefined,
      code: undefined,
      shownPath: undefined,
      awaitReader: () => void request.socket.setTimeout(timeouts.stall),
      error: undefined,
    }
    const { socket } = request
    exchanges.set(request, exchange)
    answers.add(response)
    if (sockets.has(socket)) sockets.set(socket, (sockets.get(socket) ?? 0) + 1)
    awaitReader(response, timeouts)
    response.on('close', () => {
      if (response.writableFinished) dropUnread(request, timeouts.drain)
      else gone.abort()
      answers.delete(response)
      const open = (sockets.get(socket) ?? 1) - 1
      if (sockets.has(socket)) sockets.set(socket, open)
      if (isClosing && open <= 0) socket.destroySoon()
      report(log, exchange, request, response, performance.now() - startedAt)
    })
    return exchange
  }

  return {
    of: (request, response) => exchanges.get(request) ?? open(request, response),
    track(work) {
      works.add(work)
      const forget = () => works.delete(work)
      work.then(forget, forget)
      return work
    },
    isAnswering: (socket) => [...answers].some((response) => response.socket === socket && response.headersSent),
    async close(graceMs) {
      isClosing = true
      for (const response of answers) response.shouldKeepAlive = false
      for (const [socket, open] of sockets) if (open === 0) socket.destroy()
      const cut = setTimeout(() => {
        for (const socket of sockets.keys()) socket.destroy()
      }, graceMs)
      await Promise.all([...sockets.keys()].map((socket) => new Promise((resolve) => socket.once('close', resolve))))
      clearTimeout(cut)
      let giveUp: NodeJS.Timeout | undefined
      const patience = new Promise((resolve) => (giveUp = setTimeout(resolve, abandonedWorkMs)))
      await Promise.race([Promise.allSettled(works), patience])
      clearTimeout(giveUp)
    },
  }
}

/**
 * Lets go of a caller that does not take its answer: what is written waits in memory for it. The socket's own time-out sees progress inside one long
 * write, which nothing else does; it is set anew by Node for the next request of the connection.
 */
function awaitReader(response: ServerResponse, { stall, answer }: ExchangeOptions['timeouts']): void {
  response.once('prefinish', () => {
    const { socket } = response
    if (!socket || response.writableLength < smallBytes) return
    socket.setTimeout(stall)
    const cut = setTimeout(() => socket.destroy(), answer)
    response.once('close', () => clearTimeout(cut))
  })
}

/** Takes what is left of a body off the wire after the answer: a reset would destroy the answer that the caller has not read yet. */
function dropUnread(request: IncomingMessage, drainMs: number): void {
  if (request.readableEnded || request.destroyed) return
  request.unpipe()
  request.resume()
  if (request.complete) return
  const cut = setTimeout(() => request.socket.destroy(), drainMs)
  request.once('close', () => clearTimeout(cut))
}

function report(log: Logger, exchange: Exchange, request: IncomingMessage, response: ServerResponse, durationMs: number): void {
  const { operation, requestId, traceId, code, error, shownPath } = exchange
  const isWhole = response.writableFinished
  if (operation !== undefined) {
    observeCall({ operation, transport: 'rest', code: isWhole ? (code ?? 'ok') : 'aborted', durationMs })
  }
  const status = response.headersSent ? response.statusCode : undefined
  const level =
    code === 'internal'
      ? 'error'
      : status !== undefined && status >= 500
        ? 'warn'
        : operation === undefined && (status ?? 500) < 400
          ? 'debug'
          : 'info'
  log[level](
    {
      ...(operation === undefined
        ? { method: request.method, path: shownPath ?? request.url?.split('?', 1)[0]?.slice(0, 200) }
        : { operation }),
      status,
      ms: Math.round(durationMs * 10) / 10,
      requestId,
      ...(traceId === undefined ? {} : { traceId }),
      ...(code === undefined ? {} : { code }),
      ...(isWhole ? {} : { aborted: true }),
      ...(error === undefined ? {} : { err: error }),
    },
    operation === undefined ? 'request' : 'call',
  )
}
