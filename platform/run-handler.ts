/** How the handler of an admitted call is run: its transactions, its idempotency key, and the trace that it leaves. */
import { finished } from 'node:stream/promises'

import { bodyText, rawJson } from './answer.ts'
import { type AuditEvent, insertAuditElsewhere, insertAuditEvent } from './audit.ts'
import type { Call } from './call.ts'
import type { Tx } from './db/pool.ts'
import { type OpenTransaction, rerun } from './db/transaction.ts'
import { AppError } from './errors.ts'
import { claimKey, fileFingerprint, freeKey, hashedUpload, keepAnswer, type KeyScope, takeKey } from './idempotency.ts'
import type { Actor, CallContext, StagedContext, TxContext } from './operation.ts'
import { inContext } from './transaction-context.ts'

/** A call that is admitted, with everything that its handler is run with. */
interface Frame {
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

/** Runs the operation's handler, in a transaction unless it opens its own; keeps the answer of a write under its idempotency key, and audits it. */
export function runHandler(frame: Frame): Promise<unknown> {
  const { handler } = frame.call.operation
  return handler ? runInTransaction(frame, handler) : runStaged(frame)
}

type Handler = (context: TxContext, input: never) => Promise<unknown>

/** An operation whose handler is one transaction. */
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
async function commitAside({ call: { commitWith }, context }: Frame, answer: unknown): Promise<void> {
  if (commitWith) await context.services.databases.transact({ tenantId: context.tenantId }, ({ tx }) => commitWith(tx, answer))
}

/** Reads leave no trace unless the handler said that they showed something that must: a secret or a sensitive value. */
async function auditRead(frame: Frame): Promise<void> {
  const { facts, call, context } = frame
  if (call.operation.roleRule.isOfPerson) return
  if (!Object.keys(facts).some((fact) => !call.operation.pathParams.includes(fact))) return
  await context.services.databases.transact({ tenantId: context.tenantId }, ({ tx }) => insertAuditEvent(tx, frame.audited('done')))
}

function keptAnswer(frame: Frame, result: unknown): { text: string } | { secretOf: string } {
  const { issuesSecret } = frame.call.operation
  if (!issuesSecret) return { text: bodyText(result) }
  const id = typeof result === 'object' && result !== null ? (result as Record<string, unknown>)[issuesSecret.idField] : undefined
  return { secretOf: `${issuesSecret.idField} ${String(id)}` }
}

/** An operation that waits, streams or calls out, and opens the transactions that it needs by itself. */
async function runStaged(frame: Frame): Promise<unknown> {
  const { call, key, context } = frame
  const { operation } = call
  const own = { tenantId: context.tenantId }
  const { databases } = context.services
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

async function claimStaged({ context }: Frame, claim: KeyScope, file: HashedFile | undefined): Promise<string | undefined> {
  const own = { tenantId: context.tenantId }
  const { databases } = context.services
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
  const { context, isGlobal } = frame
  const { databases } = context.services
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
