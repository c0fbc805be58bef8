/**
 * The pipeline: the one function that runs any operation. Credential, rate limit, role, input, idempotency key, tenant transaction, audit,
 * outbox and output are its business; a handler owns its verb.
 */
import { bodyText, isBytesAnswer } from './answer.ts'
import { type AuditEvent, insertAuditEvent } from './audit.ts'
import { type Authenticator, publicActor } from './authenticate.ts'
import { countCall } from './call-counts.ts'
import type { Call, Pipeline } from './call.ts'
import { databaseError } from './database-errors.ts'
import { sqlState, StaleRead } from './db/transaction.ts'
import { AppError, type ErrorCode } from './errors.ts'
import { closedToGrants } from './grants.ts'
import { fingerprintOf, type KeyScope, sealedFingerprint } from './idempotency.ts'
import { type Actor, type CallContext, scopeOf } from './operation.ts'
import { parseInTurns } from './parse.ts'
import { findNoSuchId } from './path-ids.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Registry } from './registry.ts'
import { byCall } from './shapes/origin.ts'
import { allows, roleBits, rolesOf, roleWords } from './roles.ts'
import type { Services } from './services.ts'
import { type Room, rowsOf, sharerOf } from './room.ts'
import { runHandler } from './run-handler.ts'
import { refuseElsewhere } from './tenant-hosts.ts'
import { limitsOf } from './tenant-state.ts'
import { inSpan } from './trace.ts'

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
function isAdmitted({ operation }: Call, { kind, roleFlag, isOfProvider }: Actor): boolean {
  const { name, roleRule, admitsEnrolment, admitsProvider } = operation
  if (kind === 'enrolment') return admitsEnrolment === true
  if (roleRule.isOfPerson) return kind === 'session' && (isOfProvider !== true || admitsProvider === true)
  if (kind === 'grant' && closedToGrants.has(name)) return false
  return allows(roleRule, roleFlag) && (kind !== 'signed' || roleRule.admitsSigned)
}

const notOfProvider = (name: string) =>
  `${name} is a person's own, and the tenant's provider speaks for its tenant alone. Sign in with login, and send that session's token.`

function whyNotAdmitted({ operation }: Call, actor: Actor): string {
  if (operation.roleRule.isOfPerson && actor.isOfProvider === true) return notOfProvider(operation.name)
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
  if (actor.isOfProvider === true) throw new AppError('forbidden', notOfProvider(operation.name))
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
    shownIn: call.shownIn,
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
  try {
    return await runHandler({ call, context, input, actor, isGlobal, key, facts, audited, entered })
  } catch (error) {
    // A grant or a change that a handler refuses leaves the same trace as a call that is refused here; a stranger has no tenant to leave one in, and what
    // people do with their own log-in is not their tenant's to read.
    const isOwn = actor.kind === 'public' || operation.roleRule.isOfPerson
    if (error instanceof AppError && error.code === 'forbidden' && !isOwn)
      await services.databases.transact({ tenantId: actor.tenantId }, ({ tx }) => insertAuditEvent(tx, audited('denied', error.code)))
    throw error
  }
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
