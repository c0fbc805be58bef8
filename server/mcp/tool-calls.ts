/** Runs one tool call to what its result says, whichever way the result is then written. */
import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'

import { isBytesAnswer, isEmbeddedAnswer, structuredTextInTurns, type EmbeddedAnswer } from '#platform/answer.ts'
import type { Pipeline } from '#platform/call.ts'
import { AppError, errorCatalogue, toProblem } from '#platform/errors.ts'
import { readIdempotencyKey } from '#platform/idempotency.ts'
import type { Logger } from '#platform/log.ts'
import { observeCall } from '#platform/metrics.ts'
import type { RegisteredOperation } from '#platform/registry.ts'
import { nearest, quoted } from '#platform/suggest.ts'

import { createCatalog, type Catalog } from './catalog.ts'
import type { Session, ToolRun } from './session.ts'
import { reaches, whyUnreachable } from './surface.ts'

/** A content block beside the text: bytes that a host may show. */
type BytesBlock =
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: { readonly uri: string; readonly mimeType: string; readonly text: string } }
  | { readonly type: 'resource'; readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string } }

export interface ToolOutcome {
  /** The JSON text of the structured content, or of the problem. */
  readonly text: string
  readonly isError: boolean
  readonly blocks: readonly BytesBlock[]
}

export interface ToolCalls {
  readonly catalog: Catalog
  /** What runs the tool of this name for this caller; undefined where there is no such tool. */
  find(session: Session, name: string): ToolRun | undefined
  /** Runs a tool that was found. Never throws: what goes wrong is an outcome. */
  call(session: Session, run: ToolRun, input: unknown, meta: unknown): Promise<ToolOutcome>
  /** The sentence for a name that no tool has. */
  unknownTool(session: Session, name: string): string
}

function idempotencyKeyOf(meta: unknown): string | undefined {
  if (typeof meta !== 'object' || meta === null || !('idempotencyKey' in meta)) return undefined
  return readIdempotencyKey(meta.idempotencyKey, '$._meta.idempotencyKey')
}

function bytesBlock(answer: EmbeddedAnswer<unknown>, requestId: string): BytesBlock {
  const { record, bytes, mimeType } = answer
  if (/^image\/(png|jpeg|gif|webp)$/.test(mimeType)) return { type: 'image', data: bytes.toString('base64'), mimeType }
  if (mimeType.startsWith('audio/')) return { type: 'audio', data: bytes.toString('base64'), mimeType }
  const url = typeof record === 'object' && record !== null && 'url' in record ? record.url : undefined
  const uri = typeof url === 'string' ? url : `urn:fieldloop:answer:${requestId}`
  const isText = /^(text\/|application\/(json|xml)$)/.test(mimeType) && isUtf8(bytes)
  return isText
    ? { type: 'resource', resource: { uri, mimeType, text: bytes.toString('utf8') } }
    : { type: 'resource', resource: { uri, mimeType, blob: bytes.toString('base64') } }
}

/** Counts and logs one call of an operation; its HTTP request shows nothing of it. */
function report(log: Logger, operation: RegisteredOperation, session: Session, startedAt: number, error: unknown): void {
  const durationMs = performance.now() - startedAt
  const isAborted = session.signal.aborted
  const code = error === undefined ? undefined : error instanceof AppError ? error.code : 'internal'
  observeCall({ operation: operation.name, transport: 'mcp', code: isAborted ? 'aborted' : (code ?? 'ok'), durationMs })
  const status = code === undefined ? 200 : errorCatalogue[code].status
  const cause = error instanceof AppError ? error.cause : error
  log[code === 'internal' ? 'error' : status >= 500 ? 'warn' : 'info'](
    {
      operation: operation.name,
      transport: 'mcp',
      ms: Math.round(durationMs * 10) / 10,
      requestId: session.requestId,
      ...(code === undefined ? {} : { code }),
      ...(isAborted ? { aborted: true } : {}),
      ...(status >= 500 && cause !== undefined ? { err: cause } : {}),
    },
    'call',
  )
}

/** Joins the pipeline and the catalog's own tools behind one look-up by name. */
export function createToolCalls(pipeline: Pipeline, cacheDir: string, log: Logger): ToolCalls {
  const { byName } = pipeline.registry

  const runOperation = (operation: RegisteredOperation): ToolRun => {
    return async (session, input, idempotencyKey) => {
      const startedAt = performance.now()
      try {
        // Missing roles are left to the pipeline, so that the refusal is the same as over REST and stands in the audit log.
        if (!reaches(session.view.surface, operation)) throw new AppError('forbidden', whyUnreachable(session.view.surface, operation))
        const { credential, requestId, ip, signal, passage, onProgress } = session
        const answer = await pipeline.run({
          operation,
          transport: 'mcp',
          credential,
          input,
          idempotencyKey,
          requestId,
          ip,
          signal,
          passage,
          onProgress,
        })
        report(log, operation, session, startedAt, undefined)
        return answer
      } catch (error) {
        report(log, operation, session, startedAt, error)
        throw error
      }
    }
  }
  const runs = new Map<string, ToolRun>()
  for (const operation of pipeline.registry.operations) if (operation.isTool) runs.set(operation.name, runOperation(operation))
  const catalog = createCatalog({ pipeline, runs, cacheDir, log })

  const redirect = (operation: RegisteredOperation): ToolRun => {
    const caller = operation.effect === 'read' ? 'call_read_tool' : 'call_write_tool'
    const example = JSON.stringify({ name: operation.name, arguments: {} })
    return async () => {
      throw new AppError('invalid_input', `On this surface ${operation.name} is called through ${caller}, with ${example}.`)
    }
  }

  const render = async (answer: unknown, session: Session): Promise<ToolOutcome> => {
    if (isBytesAnswer(answer)) {
      if (answer.body instanceof Readable) answer.body.destroy()
      throw new TypeError('An operation answered bytes over MCP; it must answer a record, with the bytes embedded at most')
    }
    const blocks = isEmbeddedAnswer(answer) ? [bytesBlock(answer, session.requestId)] : []
    return { text: await structuredTextInTurns(answer), isError: false, blocks }
  }

  return {
    catalog,

    find(session, name) {
      if (session.view.surface.kind === 'full') return runs.get(name)
      const own = catalog.find(session.view.surface, name)
      if (own) return own
      const operation = byName.get(name)
      if (!operation?.isTool) return undefined
      return operation.domain === 'docs' ? runs.get(name) : redirect(operation)
    },

    async call(session, run, input, meta) {
      try {
        if (session.refusal) throw session.refusal
        return await render(await run(session, input ?? {}, idempotencyKeyOf(meta)), session)
      } catch (error) {
        if (!(error instanceof AppError)) log.error({ err: error, requestId: session.requestId }, 'a tool call failed unexpectedly')
        return { text: JSON.stringify(toProblem(error, session.requestId)), isError: true, blocks: [] }
      }
    },

    unknownTool(session, name) {
      const { view } = session
      const near = nearest(name, [...view.listedNames, ...view.operations.map((operation) => operation.name)])
      return `Unknown tool ${quoted(name)}. ${near === undefined ? 'See tools/list for the names.' : `Did you mean ${near}?`}`
    },
  }
}
