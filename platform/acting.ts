/**
 * Calls from inside, in somebody's name: a run of a workflow, a pack or a schedule does nothing but what its user could do with the roles of the run, through
 * the same pipeline as every other call, with its roles, audit row, idempotency key and rate limit.
 */
import { structuredText } from './answer.ts'
import type { Databases } from './db/databases.ts'
import type { Tx } from './db/pool.ts'
import { AppError, type ErrorCode } from './errors.ts'
import { observeCall } from './metrics.ts'
import type { Actor, CallContext } from './operation.ts'
import type { Services } from './services.ts'
import type { Origin } from './shapes/origin.ts'

/** In whose name a run works. */
export interface ActingFor {
  readonly tenantId: number
  readonly tenantUserId: number
  /** The bits of the run's roles. A service user acts with these alone; a person with those of them that the person has. Absent: with the user's. */
  readonly roleFlag?: number | undefined
  /** Whose name stands for what is written, where that is another than whose right it is. */
  readonly writesAs?: number | undefined
  /** The run. Its kind and id stand in the audit log for the credential, and its idempotency keys are its own. */
  readonly origin: Origin & { readonly id: number }
}

/** A user as the runs in its name share it. */
export interface ActingUser {
  /** With all roles of the user. */
  readonly actor: Actor
  readonly isService: boolean
  readonly isSuspended: boolean
}

/** Undefined where there is no such user of the tenant, it is locked, or it is that of a key which has ended. As the look-up role. */
export async function findActingUser(
  databases: Databases,
  { tenantId, tenantUserId }: Pick<ActingFor, 'tenantId' | 'tenantUserId'>,
): Promise<ActingUser | undefined> {
  const [row] = await databases.lookUp(
    (tx) => tx<{ userId: number; displayName: string; roleFlag: number; isService: boolean; isSuspended: boolean }[]>`
      select u.user_id, u.display_name, u.role_flag, u.is_service,
        t.is_deactivated or t.active_start > now() or t.active_end < now() as is_suspended
      from platform.tenant_user u join platform.tenant t on t.tenant_id = u.tenant_id
      where u.tenant_id = ${tenantId} and u.tenant_user_id = ${tenantUserId} and not u.is_locked
        and (not u.is_service or coalesce((
          select bool_or(k.revoked_at is null and coalesce(k.expires_at > now(), true)) from platform.api_key k
          where k.tenant_id = u.tenant_id and k.tenant_user_id = u.tenant_user_id), true))`,
    String(tenantId),
  )
  if (!row) return undefined
  const { userId, displayName, roleFlag, isService, isSuspended } = row
  return {
    actor: { kind: 'acting', tenantId, tenantUserId, userId, displayName, roleFlag, credentialId: `acting:${tenantUserId}` },
    isService,
    isSuspended,
  }
}

/** Who a run is in a call. */
export function actorOfRun(
  { actor, isService }: Pick<ActingUser, 'actor' | 'isService'>,
  { roleFlag = actor.roleFlag, writesAs, origin }: ActingFor,
): Actor {
  return { ...actor, roleFlag: isService ? roleFlag : roleFlag & actor.roleFlag, writesAs, credentialId: `${origin.kind}:${origin.id}` }
}

export interface InsideCall {
  /** The same key answers the first answer again, for as long as a run may try. */
  readonly key?: string
  readonly signal?: AbortSignal
  /** Whose zone and language what is read is in, where it is for somebody else than the run's user. */
  readonly shownIn?: CallContext['shownIn']
  /** What is committed together with the call: in its transaction where it has one that writes, else in one of its own after it. Not done by a replay. */
  readonly commitWith?: (tx: Tx, answer: unknown) => Promise<void>
  /** Hears that the answer is that of an earlier call, with which nothing was committed now. */
  readonly onReplay?: () => void
}

/**
 * Runs one operation in the run's name, by its tool's name, and answers as over MCP: an object, with MCP's defaults and limits. Not to be called inside a
 * transaction: the call needs a connection of its own. Throws AppError as any call does; `not_found` for what is no tool, `forbidden` for one that issues a
 * secret.
 */
export async function runAs(services: Services, who: ActingFor, name: string, input: unknown, call: InsideCall = {}): Promise<unknown> {
  const { pipeline } = services
  const { commitWith } = call
  const operation = pipeline.registry.byName.get(name)
  if (!operation?.isTool)
    throw new AppError('not_found', `There is no tool ${name.slice(0, 80)}. docs_search and the list of tools show what there is.`)
  if (operation.issuesSecret) throw new AppError('forbidden', `${name} answers a secret, which no run may hold. Call it yourself.`)
  const startedAt = performance.now()
  const observe = (code: 'ok' | ErrorCode) =>
    observeCall({ operation: name, transport: 'internal', code, durationMs: performance.now() - startedAt })
  try {
    const answer = await pipeline.run({
      operation,
      transport: 'internal',
      credential: { kind: 'acting', who },
      input,
      idempotencyKey: call.key,
      requestId: crypto.randomUUID(),
      signal: call.signal ?? new AbortController().signal,
      onReplay: call.onReplay,
      shownIn: call.shownIn,
      commitWith: commitWith && ((tx, answer) => commitWith(tx, JSON.parse(structuredText(answer)))),
    })
    observe('ok')
    return JSON.parse(structuredText(answer))
  } catch (error) {
    observe(error instanceof AppError ? error.code : 'internal')
    throw error
  }
}
