/**
 * The pipeline: the one function that runs any operation. Credential, rate limit, role, input, idempotency key, tenant transaction, audit,
 * outbox and output are its business; a handler owns its verb.
 */
import { finished } from 'node:stream/promises'

import { bodyText, isBytesAnswer, rawJson } from './answer.ts'
import { type AuditEvent, insertAuditElsewhere, insertAuditEvent } from './audit.ts'
import { type Authenticator, publicActor } from './authenticate.ts'
import { countCall } from './call-counts.ts'
import type { Call, Pipeline } from './call.ts'
import { databaseError } from './database-errors.ts'
import type { Tx } from './db/pool.ts'
import type { OpenTransaction } from './db/transaction.ts'
import { rerun, sqlState, StaleRead } from './db/transaction.ts'
import { AppError, type ErrorCode } from './errors.ts'
import { closedToGrants } from './grants.ts'
import {
  claimKey,
  fileFingerprint,
  fingerprintOf,
  freeKey,
  hashedUpload,
  keepAnswer,
  type KeyScope,
  sealedFingerprint,
  takeKey,
} from './idempotency.ts'
import { type Actor, type CallContext, scopeOf, type StagedContext, type TxContext } from './operation.ts'
import { parseInTurns } from './parse.ts'
import { findNoSuchId } from './path-ids.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Registry } from './registry.ts'
import { byCall } from './shapes/origin.ts'
import { allows, roleBits, rolesOf, roleWords } from './roles.ts'
import type { Services } from './services.ts'
import { type Room, rowsOf, sharerOf } from './room.ts'
import { refuseElsewhere } from './tenant-hosts.ts'
import { limitsOf } from './tenant-state.ts'
import { inSpan } from './trace.ts'
import { inContext } from './transaction-context.ts'

export interface PipelineParts {
  readonly registry: Registry
  readonly services: Services
  readonly authenticator: Authenticator
  readonly rateLimit: RateLimit
  readonly room: Room
  /**
   * Answers are held against their schema, and errors against the declared codes, and refused when they differ: always in tests, never in production, where
   * a surplus field harms nobody, and a sentence with an undeclared code helps more than none.
   */
  readonly checksOutput: boolean
}

export function createPipeline(parts: PipelineParts): Pipeline {
  return {
    registry: parts.registry,
    room: parts.room,
    identify: (credential, ip, operation) => parts.authenticator.identify(credential, ip, operation),
    async charge(actor, calls) {
      await parts.rateLimit.take(scopeOf(actor), calls)
      await takeOfTenant(parts, actor, calls)
    },
    async run(call) {
      try {
        const { operation, transport, requestId, traceparent } = call
        const answer = await inSpan(operation.name, { transport, requestId }, () => runCall(parts, call), traceparent)
        if (parts.checksOutput && !isBytesAnswer(answer)) checkOutput(call, answer)
        return answer
      } catch (error) {
        const known = asAppError(error, parts, call)
        if (parts.checksOutput) checkCode(call, known)
        throw known
      }
    },
  }
}

/** A try of a step comes long before this, and none comes after it. */
const keptDaysOfRuns = 400

/** What a caller's rate is counted under: all runs in a user's name share what one key has. */
function limitedAs(actor: Actor, ip: string | undefined): string {
  if (actor.kind === 'public') return `public:${ip ?? ''}`
  return actor.kind === 'acting' ? `acting:${actor.tenantUserId}` : scopeOf(actor)
}

/** What a tenant may call in all, where it has a limit of its own. Throws AppError `rate_limited`. */
async function takeOfTenant({ services, rateLimit }: PipelineParts, { kind, tenantId }: Actor, calls = 1): Promise<void> {
  if (kind === 'public') return
  countCall(services, tenantId)
  const { callsPerMinute } = await limitsOf(services, tenantId)
  if (callsPerMinute !== undefined) await rateLimit.take(`tenant:${tenantId}`, calls, callsPerMinute)
}

/** A signed URL opens what it was made for alone, and only while whoever asked for it could open it. What is a person's own no roles open. */
function isAdmitted({ operation: { name, roleRule, admitsEnrolment } }: Call, { kind, roleFlag }: Actor): boolean {
  if (kind === 'enrolment') return admitsEnrolment === true
  if (roleRule.isOfPerson) return kind === 'session'
  if (kind === 'grant' && closedToGrants.has(name)) return false
  return allows(roleRule, roleFlag) && (kind !== 'signed' || roleRule.admitsSigned)
}

function whyNotAdmitted({ operation }: Call, actor: Actor): string {
  if (operation.roleRule.isOfPerson)
    return `${operation.name} is a person's own: no key, link or run may call it. Sign in with login, and send that session's token.`
  if (actor.kind === 'grant' && closedToGrants.has(operation.name))
    return `${operation.name} is closed to applications. Whoever let this one in does it themselves, or with a key.`
  return `${operation.name} needs the role ${roleWords(operation.roles)}; this credential has ${rolesOf(actor.roleFlag).join(', ') || 'none'}.`
}

/** The session that came with a call which needs none. */
async function sessionOf({ authenticator }: PipelineParts, { operation, credential, ip }: Call): Promise<Actor | undefined> {
  if (operation.takesSession !== true || credential.kind === 'none') return undefined
  const actor = await authenticator.identify(credential, ip)
  if (actor.kind === 'session') return actor
  throw new AppError('unauthenticated', `${operation.name} takes a session as Bearer, or none. Sign in with login.`)
}

async function runCall(parts: PipelineParts, call: Call): Promise<unknown> {
  const { operation } = call
  const { services } = parts
  const actor = operation.roleRule.needsCredential ? await parts.authenticator.identify(call.credential, call.ip, operation) : publicActor
  await parts.rateLimit.take(limitedAs(actor, call.ip))
  await takeOfTenant(parts, actor)
  if (actor.kind !== 'public') await refuseElsewhere(services, actor, call.host)
  const facts: Record<string, unknown> = {}
  const audited = (outcome: AuditEvent['outcome'], code?: ErrorCode): AuditEvent => ({
    tenantId: actor.tenantId,
    actor,
    operation: operation.name,
    outcome,
    ...(code ? { code } : {}),
    transport: call.transport,
    requestId: call.requestId,
    ip: call.ip,
    facts,
  })
  if (!isAdmitted(call, actor)) {
    await services.databases.transact({ tenantId: actor.tenantId }, ({ tx }) => insertAuditEvent(tx, audited('denied', 'forbidden')))
    throw new AppError('forbidden', whyNotAdmitted(call, actor))
  }
  const session = await sessionOf(parts, call)
  const rows = await parts.room.takeForRows(sharerOf(actor, call.ip), rowsOf(call.input, services.config.limits.bulkRows), call.signal)
  try {
    return await runAdmitted(parts, call, { actor, session }, facts, audited)
  } finally {
    rows.release()
  }
}

async function runAdmitted(
  parts: PipelineParts,
  call: Call,
  { actor, session }: { readonly actor: Actor; readonly session: Actor | undefined },
  facts: Record<string, unknown>,
  audited: (outcome: AuditEvent['outcome'], code?: ErrorCode) => AuditEvent,
): Promise<unknown> {
  const { operation } = call
  const { services } = parts
  const parsed = await parseInTurns(operation.input, call.input ?? {})
  if (!parsed.isOk) {
    const absent = findNoSuchId(operation, call.input, parsed.issues)
    if (absent) throw absent
    const first = parsed.issues[0]
    throw new AppError('invalid_input', `The input of ${operation.name} is not valid: ${first ? `${first.path}: ${first.message}` : ''}`, {
      issues: parsed.issues,
    })
  }
  const input = parsed.value
  for (const param of operation.pathParams) facts[param] = input[param]
  const context: CallContext = {
    transport: call.transport,
    tenantId: actor.tenantId,
    actor,
    requestId: call.requestId,
    origin: call.credential.kind === 'acting' ? call.credential.who.origin : byCall,
    signal: call.signal,
    log: services.log,
    services,
    upload: call.upload,
    raw: call.raw,
    ip: call.ip,
    userAgent: call.userAgent,
    knownBrowser: call.knownBrowser,
    host: call.host,
    session,
    ...(actor.kind === 'public' ? { idempotencyKey: call.idempotencyKey } : {}),
    answerBytes: call.transport === 'rest' ? services.config.limits.answerBytes : services.config.limits.mcpAnswerBytes,
    tellProgress: call.onProgress,
    audit: (more) => void Object.assign(facts, more),
  }
  const key: KeyScope | undefined =
    // A public call comes from nobody in particular: one stranger's key would stand in another's way.
    call.idempotencyKey !== undefined && operation.effect !== 'read' && actor.kind !== 'public' && operation.isNeverReplayed !== true
      ? {
          tenantId: actor.tenantId,
          credentialId: scopeOf(actor),
          operation: operation.name,
          key: call.idempotencyKey,
          fingerprint: operation.roleRule.isOfPerson
            ? sealedFingerprint(services.secrets, await fingerprintOf(input))
            : await fingerprintOf(input),
          keptDays: actor.kind === 'acting' ? keptDaysOfRuns : undefined,
        }
      : undefined
  const isGlobal = (actor.roleFlag & roleBits.GlobalAdmin) !== 0 && operation.roles.includes('GlobalAdmin')
  // A write is never held back for its answer, and one that waits or streams holds nothing meanwhile.
  if (operation.effect === 'read' && operation.handler) await call.passage?.enterForAnswer(sharerOf(actor, call.ip))
  const entered = new Set<number>()
  // What the path names is what it is about, whether or not anything of that tenant was looked at.
  const named = operation.pathParams.includes('tenantId') ? input['tenantId'] : undefined
  if (typeof named === 'number' && named !== actor.tenantId) entered.add(named)
  const frame: Frame = { parts, call, context, input, actor, isGlobal, key, facts, audited, entered }
  try {
    return await (operation.handler ? runInTransaction(frame, operation.handler) : runStaged(frame))
  } catch (error) {
    // A grant or a change that a handler refuses leaves the same trace as a call that is refused here; a stranger has no tenant to leave one in, and what
    // people do with their own log-in is not their tenant's to read.
    const isOwn = actor.kind === 'public' || operation.roleRule.isOfPerson
    if (error instanceof AppError && error.code === 'forbidden' && !isOwn)
      await services.databases.transact({ tenantId: actor.tenantId }, ({ tx }) => insertAuditEvent(tx, audited('denied', error.code)))
    throw error
  }
}

interface Frame {
  readonly parts: PipelineParts
  readonly call: Call
  readonly context: CallContext
  readonly input: Record<string, unknown>
  readonly actor: Actor
  readonly isGlobal: boolean
  readonly key: KeyScope | undefined
  readonly facts: Record<string, unknown>
  readonly audited: (outcome: AuditEvent['outcome']) => AuditEvent
  /** Other tenants that a global administrator acts in: it stands in their audit logs too. */
  readonly entered: Set<number>
}

type Handler = (context: TxContext, input: never) => Promise<unknown>

async function runInTransaction(frame: Frame, handler: Handler): Promise<unknown> {
  const { call, key, context } = frame
  const { operation } = call
  const isRead = operation.effect === 'read'
  const answer = await inTransaction(frame, { isReadOnly: isRead, tenantId: context.tenantId }, async (inner, open) => {
    if (key) {
      const kept = await takeKey(inner.tx, key)
      if (kept !== undefined) {
        call.onReplay?.()
        return rawJson(kept)
      }
    }
    // parseInput has just held the input against the operation's own schema, which is where the handler's type comes from.
    const result = await handler(inner, frame.input as never)
    if (!isRead) await call.commitWith?.(inner.tx, result)
    if (key) await keepAnswer(inner.tx, key, keptAnswer(frame, result))
    if (!isRead && !operation.roleRule.isOfPerson) open.trail(auditDone(inner.tx, frame))
    return result
  })
  if (isRead) {
    await auditRead(frame)
    await commitAside(frame, answer)
  }
  return answer
}

async function auditDone(tx: Tx, { audited, entered }: Frame): Promise<void> {
  const event = audited('done')
  await Promise.all([insertAuditEvent(tx, event), ...[...entered].map((tenantId) => insertAuditElsewhere(tx, { ...event, tenantId }))])
}

/** What is committed with a read, whose own transaction writes nothing. */
async function commitAside({ call: { commitWith }, context, parts }: Frame, answer: unknown): Promise<void> {
  if (commitWith) await parts.services.databases.transact({ tenantId: context.tenantId }, ({ tx }) => commitWith(tx, answer))
}

/** Reads leave no trace unless the handler said that they showed something that must: a secret or a sensitive value. */
async function auditRead(frame: Frame): Promise<void> {
  const { facts, call, parts, context } = frame
  if (call.operation.roleRule.isOfPerson) return
  if (!Object.keys(facts).some((fact) => !call.operation.pathParams.includes(fact))) return
  await parts.services.databases.transact({ tenantId: context.tenantId }, ({ tx }) => insertAuditEvent(tx, frame.audited('done')))
}

function keptAnswer(frame: Frame, result: unknown): { text: string } | { secretOf: string } {
  const { issuesSecret } = frame.call.operation
  if (!issuesSecret) return { text: bodyText(result) }
  const id = typeof result === 'object' && result !== null ? (result as Record<string, unknown>)[issuesSecret.idField] : undefined
  return { secretOf: `${issuesSecret.idField} ${String(id)}` }
}

async function runStaged(frame: Frame): Promise<unknown> {
  const { call, key, context, parts } = frame
  const { operation } = call
  const own = { tenantId: context.tenantId }
  const { databases } = parts.services
  const file = key && context.upload ? hashedUpload(context.upload) : undefined
  const claim = key && file ? { ...key, fingerprint: fileFingerprint(key.fingerprint, file.upload) } : key
  if (claim) {
    const kept = await claimStaged(frame, claim, file)
    if (kept !== undefined) {
      call.onReplay?.()
      return rawJson(kept)
    }
  }
  const staged: StagedContext = {
    ...context,
    ...(file ? { upload: file.upload } : {}),
    inTransaction: (run, options = {}) =>
      inTransaction(frame, { isReadOnly: options.readOnly === true, tenantId: tenantFor(frame, options.tenantId) }, run),
  }
  try {
    // As above, the schema has just vouched for the input.
    const result = await operation.stagedHandler?.(staged, frame.input as never)
    if (operation.effect === 'read') {
      await auditRead(frame)
      await commitAside(frame, result)
    } else if (context.actor.kind !== 'public') {
      await databases.transact(own, async ({ tx }) => {
        await call.commitWith?.(tx, result)
        if (claim) await keepAnswer(tx, withBytes(claim, file), keptAnswer(frame, result))
        if (!operation.roleRule.isOfPerson) await auditDone(tx, frame)
      })
    }
    return result
  } catch (error) {
    if (claim) await databases.transact(own, ({ tx }) => freeKey(tx, claim)).catch(() => {})
    throw error
  }
}

type HashedFile = ReturnType<typeof hashedUpload>

function withBytes(claim: KeyScope, file: HashedFile | undefined): KeyScope {
  return file ? { ...claim, fingerprint: fileFingerprint(claim.fingerprint, file.upload, file.digest()) } : claim
}

async function claimStaged({ parts, context }: Frame, claim: KeyScope, file: HashedFile | undefined): Promise<string | undefined> {
  const own = { tenantId: context.tenantId }
  const { databases } = parts.services
  try {
    return await databases.transact(own, ({ tx }) => claimKey(tx, claim))
  } catch (error) {
    if (!file || !(error instanceof AppError) || error.code !== 'idempotency_conflict') throw error
    // What is kept of a call with a file covers its bytes, so only all of these tell whether it is the same call again.
    await finished(file.upload.stream.resume())
    const kept = await databases.transact(own, ({ tx }) => takeKey(tx, withBytes(claim, file)))
    if (kept === undefined) throw error
    return kept
  }
}

/** A public operation learns its tenant from what it was sent (a channel's key, say); nobody else chooses one. */
function tenantFor(frame: Frame, wanted: number | undefined): number {
  if (wanted === undefined || wanted === frame.context.tenantId) return frame.context.tenantId
  if (frame.actor.kind !== 'public') throw new Error('Only a public operation may name its tenant')
  return wanted
}

async function inTransaction<T>(
  frame: Frame,
  options: { readonly isReadOnly: boolean; readonly tenantId: number },
  work: (context: TxContext, open: OpenTransaction) => Promise<T>,
): Promise<T> {
  const { parts, context, isGlobal } = frame
  const { databases } = parts.services
  return rerun(async (attempt) => {
    const afterwards: (() => void)[] = []
    const result = await databases.transact({ tenantId: options.tenantId, isReadOnly: options.isReadOnly, isGlobal }, async (open) => {
      // A write needs its stamp for every row; a read does without and saves the round trip.
      const stamp = options.isReadOnly ? '' : await open.stamp()
      const { entered } = frame
      const inner = { context: { ...context, tenantId: options.tenantId }, open, stamp, attempt, afterwards, entered }
      return inContext(inner, (own) => work(own, open))
    })
    for (const run of afterwards) run()
    return result
  })
}

function checkOutput(call: Call, answer: unknown): void {
  const result = call.operation.output.safeParse(JSON.parse(bodyText(answer)))
  if (!result.success) throw new Error(`${call.operation.name} answered something else than its output schema: ${result.error.message}`)
}

function checkCode({ operation }: Call, error: AppError): void {
  if (operation.codes.includes(error.code)) return
  const sentence = `${operation.name} answered ${error.code}, which is none of its errors. Declare it. It said: ${error.message}`
  throw new AppError('internal', sentence, { cause: error })
}

/** What a database error means to a caller. Anything unknown becomes `internal`; its text goes to the log alone. */
function asAppError(error: unknown, parts: PipelineParts, call: Call): AppError {
  if (error instanceof AppError) return error
  if (error instanceof StaleRead)
    return new AppError('conflict', 'Something else changed at the same moment. Read again and repeat the call.', { cause: error })
  const known = databaseError(sqlState(error))
  if (!known) parts.services.log.error({ err: error, operation: call.operation.name, requestId: call.requestId }, 'call failed')
  const [code, sentence, retryAfterSeconds] =
    known ?? (['internal', 'Something failed on our side. Quote the requestId when you report it.'] as const)
  return new AppError(code, sentence, { cause: error, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) })
}
