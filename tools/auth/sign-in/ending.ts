/** The end of a person's session, as its tenant's audit log tells it. */
import { insertAuditEvent } from '#platform/audit.ts'
import { credentialsTopic } from '#platform/authenticate.ts'
import { mustExist } from '#platform/errors.ts'
import type { StagedContext } from '#platform/operation.ts'

import { deleteSession } from './sign-in.store.ts'

/** Throws AppError `not_found` where the session is not the person's. */
export async function endSession(context: StagedContext, sessionId: number, operation: string): Promise<void> {
  const { services, actor, requestId, transport, ip } = context
  const ended = await services.databases.lookUp((tx) => deleteSession(tx, actor, sessionId))
  mustExist(ended[0], 'session')
  services.wake.poke(credentialsTopic)
  for (const { sessionId, ...member } of ended) {
    await services.databases.transact({ tenantId: member.tenantId }, ({ tx }) =>
      insertAuditEvent(tx, {
        tenantId: member.tenantId,
        // Which of the person's sessions asked is another tenant's matter where it is one of another.
        actor: { ...actor, ...member, credentialId: `session:${sessionId}` },
        operation,
        outcome: 'done',
        transport,
        requestId,
        ip,
        facts: { sessionId },
      }),
    )
  }
}
