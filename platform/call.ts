/** What a transport hands to the pipeline. */
import type { ActingFor } from './acting.ts'
import type { Tx } from './db/pool.ts'
import type { Actor, CallContext, Progress, RawRequest, Transport, Upload } from './operation.ts'
import type { RegisteredOperation, Registry } from './registry.ts'
import type { Passage, Room } from './room.ts'

export type Credential =
  | { readonly kind: 'none' }
  /** The bearer token: an API key, a session, or at `/mcp`, whose address is then told, that of an application. */
  | { readonly kind: 'bearer'; readonly token: string; readonly resource?: string | undefined }
  /** Of the portal alone: the cookie of a browser, in one of its tenants or in that used last, or the token that a program was given there. */
  | {
      readonly kind: 'portal'
      readonly by: 'cookie' | 'token'
      readonly value: string
      readonly subDomain?: string | undefined
      /** It asks by itself, which keeps nobody signed in. */
      readonly isBackground: boolean
    }
  /** A signed URL: `sig`, `exp` (seconds since the epoch) and `u` (tenant user) over the method and the path. */
  | {
      readonly kind: 'signed'
      readonly method: string
      readonly path: string
      readonly sig: string
      readonly exp: string
      readonly u: string
    }
  /** From inside alone (acting.ts): no transport makes one of what it was sent. */
  | { readonly kind: 'acting'; readonly who: ActingFor }

export interface Call {
  readonly operation: RegisteredOperation
  readonly transport: Transport
  readonly credential: Credential
  /** Path parameters, query and body in one object; not parsed yet. */
  readonly input: unknown
  readonly idempotencyKey?: string | undefined
  readonly requestId: string
  /** The caller's address, for the audit log. */
  readonly ip?: string | undefined
  /** The host that was asked, as the request names it. */
  readonly host?: string | undefined
  /** What the browser keeps of who signed in with it before; not believed yet. */
  readonly knownBrowser?: string | undefined
  /** What the caller says it is, for the list of a person's sessions. */
  readonly userAgent?: string | undefined
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
  readonly upload?: Upload | undefined
  readonly raw?: RawRequest | undefined
  /** Hears how far the call is, where the operation tells it. Must not throw. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Absent: nothing of the call is kept for a slow reader. */
  readonly passage?: Passage | undefined
  /** W3C trace context of the caller. */
  readonly traceparent?: string | undefined
  /** See acting.ts. */
  readonly shownIn?: CallContext['shownIn']
  /** See acting.ts. */
  readonly commitWith?: ((tx: Tx, answer: unknown) => Promise<void>) | undefined
  /** Hears that the answer is that of an earlier call, with which nothing was committed now. */
  readonly onReplay?: (() => void) | undefined
}

/** The pipeline as the transports see it. */
export interface Pipeline {
  readonly registry: Registry
  readonly room: Room
  /** Runs one call to its answer (see `answer.ts` for its kinds). Throws AppError, always. */
  run(call: Call): Promise<unknown>
  /** Who the credential belongs to. Throws AppError `unauthenticated` or `tenant_suspended`; a key for certain addresses needs the caller's. `operation`: the one that is called. */
  identify(credential: Credential, ip?: string, operation?: Pick<RegisteredOperation, 'admitsEnrolment'>): Promise<Actor>
  /** Counts requests that run no operation, such as a list of tools, against the caller's limit. Throws AppError `rate_limited`. */
  charge(actor: Actor, calls: number): Promise<void>
}

/** `local`: what would go out stays on this machine. */
export type DependencyState = 'up' | 'local' | 'starting' | 'down' | 'absent'

export interface Dependency {
  readonly state: DependencyState
  readonly detail?: string
  /** What an operator does about it. */
  readonly remedy?: string
}

/** What `/readyz` answers; the process is ready when the database is up and migrated. */
export interface Readiness {
  readonly status: 'ready' | 'starting' | 'down'
  readonly dependencies: Readonly<Record<string, Dependency>>
}
