/** What an operation is: one literal that says what it does, who may call it, what goes in and out, and what happens. */
import type { Readable } from 'node:stream'

import type { z } from 'zod'

import type { Answer } from './answer.ts'
import type { Tx } from './db/pool.ts'
import type { ErrorCode } from './errors.ts'
import type { Logger } from './log.ts'
import type { RoleExpression } from './roles.ts'
import type { Services } from './services.ts'
import type { Errand } from './shapes/errands.ts'
import type { Origin } from './shapes/origin.ts'

/** `internal`: from inside, with MCP's defaults and limits. */
export type Transport = 'rest' | 'mcp' | 'internal'

/**
 * Who calls. A key without a user acts as its own service user; `acting` is a run that works in a user's name; `grant` an application that a person let in;
 * `enrolment` is a person whom a tenant lets in once they have a second factor, and who may do nothing but enrol one.
 */
export interface Actor {
  readonly kind: 'key' | 'session' | 'grant' | 'enrolment' | 'signed' | 'public' | 'system' | 'acting'
  readonly tenantId: number
  readonly tenantUserId: number
  readonly userId: number
  readonly displayName: string
  /** Bits of `roleBits`. */
  readonly roleFlag: number
  /** The tenant user whose name stands for what is written, where it is another: of a link the recipient, whose right is the maker's. */
  readonly writesAs?: number | undefined
  /** `key:12`, `session:9`, `grant:3`, `enrolment:3`, `signed:4`, `public`, `system`, of a run `workflow:7`. */
  readonly credentialId: string
  /** Of a session or an enrolment: when the person last showed who they are, in milliseconds since the epoch. */
  readonly provedAt?: number | undefined
  /** Of a session that the tenant's own provider began: it speaks for that tenant alone, and not for the person. */
  readonly isOfProvider?: boolean | undefined
  /** Of a grant: the bits of the roles that its person has and did not give it. */
  readonly grantableRoles?: number | undefined
}

/**
 * What idempotency keys and rates are scoped to. A person's sessions share them: a save that is repeated after signing in again must not save twice, and
 * nobody gets more by signing in more often.
 */
export function scopeOf({ kind, credentialId, tenantUserId }: Pick<Actor, 'kind' | 'credentialId' | 'tenantUserId'>): string {
  return kind === 'session' ? `user:${tenantUserId}` : credentialId
}

/** In whose name an actor writes. */
export function authorOf({ writesAs, tenantUserId }: Pick<Actor, 'writesAs' | 'tenantUserId'>): number {
  return writesAs ?? tenantUserId
}

/** A file that arrives with a call, read once as a stream. */
export interface Upload {
  readonly stream: Readable
  readonly fileName: string
  readonly mimeType: string | undefined
  /** True once the stream ended because the limit was reached or the connection broke: the bytes are not whole. */
  isTruncated(): boolean
}

/** The request as it came, for operations that check a vendor's signature over it. */
export interface RawRequest {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Path and query as they stood on the wire. */
  readonly url: string
}

/** What every handler knows about its call. */
export interface CallContext {
  readonly transport: Transport
  readonly tenantId: number
  readonly actor: Actor
  readonly requestId: string
  /** What caused it; told with every change that it makes. */
  readonly origin: Origin
  readonly signal: AbortSignal
  readonly log: Logger
  readonly services: Services
  readonly upload: Upload | undefined
  readonly raw: RawRequest | undefined
  /** Where the call comes from, as far as it is known. */
  readonly ip?: string | undefined
  readonly userAgent?: string | undefined
  /** Of a call from a page of the portal: what the browser keeps of who signed in with it before; not believed yet. */
  readonly knownBrowser?: string | undefined
  /** The host that was asked, as the request names it. */
  readonly host?: string | undefined
  /** Of a public operation that takes one: the session that came with the call. */
  readonly session?: Actor | undefined
  /** Of a public call alone, which comes from nobody in particular: the operation counts it within what it was sent. */
  readonly idempotencyKey?: string | undefined
  /** Whose zone and language days and texts are in, where what is read is for somebody else than the caller. */
  readonly shownIn?: { readonly timeZoneIana: string; readonly languageCode: string } | undefined
  /** The most bytes that a page of a list may take in this call's answer. */
  readonly answerBytes: number
  /** Tells the caller how far it is; what may still be rolled back, too. Absent where the caller does not listen. */
  readonly tellProgress?: ((progress: Progress) => void) | undefined
  /** Adds facts to the call's audit row: the subject's id, what was changed. Never a secret. */
  readonly audit: (facts: Readonly<Record<string, unknown>>) => void
}

/** Inside the tenant's transaction. */
export interface TxContext extends CallContext {
  readonly tx: Tx
  /** The transaction's stamp, ISO 8601 UTC with milliseconds: the one time of everything that it writes. */
  readonly stamp: string
  /** Writes an errand into the outbox in this transaction; the relay carries it out after the commit, in order for each subject. */
  readonly emit: (errand: Errand) => Promise<void>
  /** The same of many, in one statement. */
  readonly emitMany: (errands: readonly Errand[]) => Promise<void>
  /** Runs after the commit, in this process, best effort: wake-ups and cache drops, never an effect that must happen. */
  readonly afterCommit: (run: () => void) => void
  /** 1 for the first run of the handler in this call, up to 3 when a concurrent change made it run again. */
  readonly attempt: number
  /**
   * Something that the handler takes for granted while the database is still asked about it. Where the check rejects, the handler's answer, or its
   * error, gives way to what the check says, and nothing is committed.
   */
  readonly assume: (check: Promise<unknown>) => void
  /** Of a read: sends the commit behind the statements sent so far, in their round trip. A later statement is refused. */
  readonly endHere: () => void
  /** Rows of another tenant, inside this transaction: for global administrators' operations. */
  readonly asTenant: <T>(tenantId: number, run: () => Promise<T>) => Promise<T>
}

/** How far something is that a call waits for. */
export interface Progress {
  readonly done: number
  readonly total?: number | undefined
  readonly note?: string | undefined
}

/** Of an operation whose work does not fit one transaction: it waits, streams, or calls out. */
export interface StagedContext extends CallContext {
  readonly inTransaction: <T>(
    run: (context: TxContext) => Promise<T>,
    options?: { readOnly?: boolean; /** Of public operations, which learn their tenant from what they were sent. */ tenantId?: number },
  ) => Promise<T>
}

export type Effect = 'read' | 'write' | 'destroy'

export interface Example<I, O> {
  readonly title: string
  readonly input: I
  readonly output: O
  /** The input is wrong, to show the findings: documents that hold examples against the schemas leave it out. */
  readonly isMistaken?: true
}

interface Common<I extends z.ZodObject, O extends z.ZodType> {
  /** snake_case, as operations.tsv has it: the tool's name. */
  readonly name: string
  readonly title: string
  /** For an agent that chooses among hundreds: what it does, what to call before, what to call after. */
  readonly description: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As operations.tsv has it, parameters in braces. Each parameter is a field of `input`. */
  readonly path: string
  readonly roles: RoleExpression
  /** Path parameters, query and body in one object; unknown fields are refused with the nearest known name. */
  readonly input: I
  /** The REST body: an object, or an array for lists. */
  readonly output: O
  readonly effect: Effect
  /** Whether calling it twice is the same as calling it once; reads always are. */
  readonly isIdempotent?: boolean
  /** Codes beyond those that every operation has (`commonErrors`). */
  readonly errors: readonly ErrorCode[]
  readonly examples: readonly [Example<z.input<I>, z.input<O>>, ...Example<z.input<I>, z.input<O>>[]]
  /** How the bytes come in over REST: `json` unless said. `multipart` and `stream` give `context.upload`, `raw` gives `context.raw`. */
  readonly bodyKind?: 'json' | 'multipart' | 'stream' | 'raw'
  /** Over REST the answer is bytes, and `output` what MCP gets: a download, the reply that a vendor's webhook expects. */
  readonly answersBytes?: boolean
  /** Two operations on one method and path: the body decides. */
  readonly sharedPath?:
    | { readonly whenBodyHas: readonly string[] }
    | { /** An empty body, or one of these alone. */ readonly whenBodyHasOnly: readonly string[] }
  /** Fields of the output that hold a secret, and the id that a replay answers instead of it. */
  readonly issuesSecret?: { readonly idField: string }
  /** Fields that the contract puts into the query although there is a body; they are taken from either. */
  readonly queryFields?: readonly string[]
  /** Fields of a REST body that bear the name of a parameter of the path, and what the input calls them. */
  readonly bodyNames?: Readonly<Record<string, string>>
  /** Fields that only exist over MCP (the bytes of an upload, say), left out of the REST documents. */
  readonly mcpOnlyFields?: readonly string[]
  /** Those of them that a tool call must have. `input` leaves them optional, since it is parsed over REST too. */
  readonly mcpRequiredFields?: readonly string[]
  /** What it is about may be over for ever, and a conflict with that is 410. */
  readonly mayBeOver?: true
  /** Of a public operation: a session that comes as Bearer is held to be good, and given to the handler as `session`. */
  readonly takesSession?: true
  /** Of a person's own: the token of somebody who must enrol a second factor opens it too, and nothing else. */
  readonly admitsEnrolment?: true
  /** Of a person's own: a session that the tenant's own provider began opens it too, for what that provider began. */
  readonly admitsProvider?: true
  /** It takes a password, and an idempotency key counts for nothing: a replay would tell, uncounted, whether a password is the one that was sent before. */
  readonly isNeverReplayed?: true
  /** Carried by a URL of ours, not listed as an operation: the target of a one-time upload. */
  readonly isUnlisted?: boolean
}

export interface OperationDefinition<I extends z.ZodObject, O extends z.ZodType> extends Common<I, O> {
  handler(context: TxContext, input: z.output<I>): Promise<Answer<z.input<O>>>
}

export interface StagedDefinition<I extends z.ZodObject, O extends z.ZodType> extends Common<I, O> {
  stagedHandler(context: StagedContext, input: z.output<I>): Promise<Answer<z.input<O>>>
}

/** An operation with its types erased, as the registry, the pipeline and the renderers hold it. */
export interface Operation extends Omit<Common<z.ZodObject, z.ZodType>, 'examples'> {
  readonly examples: readonly Example<unknown, unknown>[]
  readonly handler?: (context: TxContext, input: never) => Promise<unknown>
  readonly stagedHandler?: (context: StagedContext, input: never) => Promise<unknown>
}

/** Declares an operation whose work is one tenant transaction. */
export function defineOperation<I extends z.ZodObject, O extends z.ZodType>(definition: OperationDefinition<I, O>): Operation {
  // The pipeline parses with `input` before it calls the handler, which is what guarantees the handler's parameter type.
  return definition
}

/** Declares an operation that opens its transactions itself, because it waits, streams or calls out between them. */
export function defineStagedOperation<I extends z.ZodObject, O extends z.ZodType>(definition: StagedDefinition<I, O>): Operation {
  // The same guarantee as above.
  return definition
}

export const phraseLanguages = ['en', 'de', 'fr', 'es'] as const

/**
 * By a tool's name what people say when they mean it, in each language, one apart from the next by a semicolon. The search for tools looks at
 * them; nothing else shows them.
 */
export type Phrases = Readonly<Record<string, Readonly<Record<(typeof phraseLanguages)[number], string>>>>

/** A domain of the registry, in reading order. */
export interface Domain {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly operations: readonly Operation[]
  readonly phrases: Phrases
}

/** Errors that every operation may answer; a read the conflict too, where what it reads changes under it again and again. */
export const commonErrors: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_input',
  'unauthenticated',
  'forbidden',
  'tenant_suspended',
  'conflict',
  'rate_limited',
  'too_large',
  'unavailable',
  'timeout',
  'internal',
]

/** Errors that every write may answer beside them. */
export const commonWriteErrors: readonly ErrorCode[] = ['idempotency_conflict', 'idempotency_in_progress']

/** The facts of a read: spread first, override what differs. */
export function reads<O extends z.ZodType>(output: O) {
  return { effect: 'read', output, errors: ['not_found'] } as const
}

/** The facts of a write. */
export function writes<O extends z.ZodType>(output: O) {
  return { effect: 'write', output, errors: ['not_found', 'already_exists'] } as const
}

/** The facts of a deletion. Deleting twice answers 404 the second time and changes nothing. */
export function destroys<O extends z.ZodType>(output: O) {
  return { effect: 'destroy', isIdempotent: true, output, errors: ['not_found'] } as const
}
