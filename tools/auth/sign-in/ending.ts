/** The end of a person's session, as its tenant's audit log tells it. */
import { insertAuditEvent } from '#platform/audit.ts'
import { credentialsTopic } from '#platform/authenticate.ts'
import { mustExist } from '#platform/errors.ts'
import type { StagedContext } from '#platform/operation.ts'

import { deleteSession } from './sign-in.store.ts'

/** Throws AppError `not_found` where the session is not the person's. */
export async function endSession(context: StagedContext, sessionId: number, operation: string): Promise<void> {
  const { services, actor, requestId, transport, ip } = context
  const ended = mustExist(await services.databases.lookUp((tx) => deleteSession(tx, actor.userId, sessionId)), 'session')
  services.wake.poke(credentialsTopic)
  await services.databases.transact({ tenantId: ended.tenantId }, ({ tx }) =>
    insertAuditEvent(tx, {
      tenantId: ended.tenantId,
      // Which of the person's sessions asked is another tenant's matter where it is one of another.
      actor: { ...actor, ...ended, credentialId: `session:${sessionId}` },
      operation,
      outcome: 'done',
      transport,
      requestId,
      ip,
      facts: { sessionId },
    }),
  )
}
