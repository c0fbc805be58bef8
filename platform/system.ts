/** Transactions that no call opened: of activities, the relay and boot. They act as the system, for one tenant. */
import { rerun } from './db/transaction.ts'
import type { Actor, CallContext, TxContext } from './operation.ts'
import type { Services } from './services.ts'
import { bySystem, type Origin } from './shapes/origin.ts'
import { inContext } from './transaction-context.ts'

/** The system inside one tenant. What it does is not gated by roles but by who may call this; access rules ask for those of whom it stands in for. */
function systemActor(tenantId: number, { tenantUserId = 0, roleFlag = 0 }: SystemWork): Actor {
  return { kind: 'system', tenantId, tenantUserId, userId: 0, displayName: 'system', roleFlag, credentialId: 'system' }
}

/** What a transaction of the system is for. */
export interface SystemWork {
  /** The tenant user whose work it is: history and jobs name them. Absent: the product's own. */
  readonly tenantUserId?: number | undefined
  /** The roles of the call that began it: access rules are asked with those of them that the user still has. */
  readonly roleFlag?: number | undefined
  readonly origin?: Origin
}

/**
 * Runs `work` in a transaction of the tenant as the system, again when a concurrent change asks for it, and its after-commit steps. `work` must be
 * safe to run twice, as a handler is.
 */
export async function inSystemTransaction<T>(
  services: Services,
  tenantId: number,
  work: (context: TxContext) => Promise<T>,
  of: SystemWork = {},
): Promise<T> {
  const context: CallContext = {
    transport: 'internal',
    tenantId,
    actor: systemActor(tenantId, of),
    origin: of.origin ?? bySystem,
    requestId: `system-${crypto.randomUUID()}`,
    signal: new AbortController().signal,
    log: services.log,
    services,
    upload: undefined,
    raw: undefined,
    answerBytes: services.config.limits.answerBytes,
    audit: () => {},
  }
  return rerun(async (attempt) => {
    const afterwards: (() => void)[] = []
    const result = await services.databases.transact({ tenantId, isGlobal: false }, async (open) =>
      inContext({ context, open, stamp: await open.stamp(), attempt, afterwards }, work),
    )
    for (const run of afterwards) run()
    return result
  })
}
