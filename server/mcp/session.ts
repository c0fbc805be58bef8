/** One HTTP request on the MCP endpoint, once its caller is known. */
import type { Credential } from '#platform/call.ts'
import type { AppError } from '#platform/errors.ts'
import type { Actor, Progress } from '#platform/operation.ts'
import type { Passage } from '#platform/room.ts'

import type { View } from './views.ts'

export interface Session {
  readonly actor: Actor
  readonly credential: Credential
  readonly view: View
  readonly requestId: string
  readonly ip: string | undefined
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
  readonly passage: Passage
  /** Tells the caller how far a tool call is, where it asked to be told. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Set where the message is JSON whose values could not be kept: each tool call in it answers this instead of running. */
  readonly refusal: AppError | undefined
}

/** Answers with one of the kinds of platform/answer.ts. Throws AppError. */
export type ToolRun = (session: Session, input: unknown, idempotencyKey: string | undefined) => Promise<unknown>
