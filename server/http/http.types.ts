/** What the HTTP server is given. */
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Pipeline, Readiness } from '#platform/call.ts'
import type { Config } from '#platform/config.ts'
import type { Logger } from '#platform/log.ts'
import type { DeliveryBacklog } from '#platform/metrics.ts'
import type { OutboxBacklog } from '#platform/outbox.ts'
import type { Resources } from '#platform/resources.ts'
import type { PageRoute } from '#platform/web-page.ts'

import type { DocsSite } from './docs-pages.ts'

/** Serves one MCP request. `body` is undefined: the request is handed over unread, its limits are the callee's. */
export type McpHandler = (request: IncomingMessage, response: ServerResponse, body: Buffer | undefined) => Promise<void>

export interface Backlog extends OutboxBacklog {
  readonly deliveries: DeliveryBacklog
}

export interface HttpServerParts {
  readonly pipeline: Pipeline
  readonly config: Config
  readonly log: Logger
  readonly readiness: () => Promise<Readiness>
  /** What the metrics show of the outbox, and of events that are to be delivered. */
  readonly backlog: () => Promise<Backlog>
  /** Absent: there is no `/mcp`, and the page at the root does not speak of it. */
  readonly mcp?: McpHandler
  /** Where `/mcp` is reached, which applications are told. */
  readonly resources?: Resources
  readonly docs: {
    /** What is served as it is, by path: `/openapi.json`, `/llms.txt`. */
    readonly texts: ReadonlyMap<string, { readonly type: string; readonly text: string }>
    /** The pages to show in a browser, and their search. Absent: there is no `/docs`. */
    readonly site?: DocsSite
  }
  /** For people, beside the documents. */
  readonly pages?: readonly PageRoute[]
  readonly timeouts?: Partial<Timeouts>
}

/** In milliseconds. */
export interface Timeouts {
  /** Until the headers of a request are whole. */
  readonly headers: number
  /** Until a JSON or webhook body is whole. */
  readonly body: number
  readonly upload: number
  /** Without progress: of a body that comes, of an answer that is to be taken. */
  readonly stall: number
  /** Until an answer is taken that is kept in memory for it. */
  readonly answer: number
  /** Without a byte in either direction, also while a call runs: above the 55 s that an await may last. */
  readonly idle: number
  readonly keepAlive: number
  /** How long a body that nobody wants is still taken after the answer. */
  readonly drain: number
}
