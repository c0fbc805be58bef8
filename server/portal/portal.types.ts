/** What the portal is given, and what its rooms hand to each other. */
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Pipeline } from '#platform/call.ts'
import type { Config } from '#platform/config.ts'
import type { Consents } from '#platform/consents.ts'
import type { Logger } from '#platform/log.ts'
import type { Services } from '#platform/services.ts'
import type { PageRoute } from '#platform/web-page.ts'
import type { Timeouts } from '#server/http/http.types.ts'
import type { PageLanguage } from '#server/pages/languages.rules.ts'

/** What a tenant's host changes of the pages of signing in. */
export interface Look {
  readonly name: string
  /** A data URL. */
  readonly logo: string | null
  readonly themeAddress: string | undefined
}

/** A request as the portal's rooms see it. */
export interface Visit {
  readonly raw: IncomingMessage
  /** Without its query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>
  /** The address that was asked, as a trusted proxy tells it. It chooses what is shown, and grants nothing. */
  readonly host: string
  /** Of the tenant whose host it is. */
  readonly look: Look | undefined
  /** Whether a person is looking: programs ask for anything. */
  readonly wantsPage: boolean
  readonly acceptLanguage: string
  readonly requestId: string
  readonly ip: string | undefined
  readonly userAgent: string | undefined
  readonly signal: AbortSignal
  readonly traceparent: string | undefined
  /** The fields of a form that was posted. Throws AppError where it is none. */
  readonly form: () => Promise<URLSearchParams>
  /** The body as JSON. Throws AppError where it is none. */
  readonly json: () => Promise<Record<string, unknown>>
}

export interface PortalAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Buffer
}

export interface PortalRoute {
  readonly method: 'GET' | 'POST'
  /** Parameters as `:name`. */
  readonly path: string
  readonly answer: (visit: Visit) => Promise<PortalAnswer>
}

/** A text that is served as it is. */
export interface PortalText {
  readonly type: string
  readonly text: string
}

/** The application that a signed-in person sees, built. */
export interface Application {
  /** By their paths; each is named by its content and may be kept for ever. */
  readonly files: ReadonlyMap<string, { readonly type: string; readonly bytes: Buffer; readonly compressed: Buffer }>
  /** The page that stands at each of its paths. */
  readonly page: (person: {
    readonly path: string
    readonly language: PageLanguage
    readonly subDomain: string
    readonly me?: unknown
  }) => string
}

/** Serves a request that it is handed unread, `/oauth/*` and the metadata of the authorization server. */
export type RawHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export interface PortalParts {
  readonly services: Services
  readonly pipeline: Pipeline
  readonly config: Config
  readonly log: Logger
  /** The documents for integrators, by their paths. */
  readonly texts?: ReadonlyMap<string, PortalText>
  /** What is served to everybody as it is: the files of pages and of the application. */
  readonly files?: readonly PageRoute[]
  /** Absent: whoever is signed in sees that they are. */
  readonly application?: Application | undefined
  readonly oauth?: { readonly paths: readonly string[]; readonly handle: RawHandler; readonly consents: Consents }
  /** Pages beside those of signing in. */
  readonly pages?: readonly PortalRoute[]
  readonly timeouts?: Partial<Timeouts>
}
