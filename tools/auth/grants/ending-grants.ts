/** The end of what an application may do, as its tenant's audit log tells it. */
import { insertAuditEvent } from '#platform/audit.ts'
import { credentialsTopic } from '#platform/authenticate.ts'
import type { Transport } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'

import { deleteGrant, type EndedGrant } from './grants.store.ts'

export interface EndedBy {
  /** Whose it must be; absent: whosever. */
  readonly userId?: number
  readonly operation: string
  readonly requestId: string
  readonly transport: Transport
  readonly ip: string | undefined
}

/** Answers what it was; undefined where there is no such grant. */
export async function endGrant(services: Services, grantId: number, by: EndedBy): Promise<EndedGrant | undefined> {
  const ended = await services.databases.lookUp((tx) => deleteGrant(tx, grantId, by.userId))
  if (!ended) return undefined
  services.wake.poke(credentialsTopic)
  const { tenantId, tenantUserId, userId, clientName } = ended
  const { operation, requestId, transport, ip } = by
  await services.databases.transact({ tenantId }, ({ tx }) =>
    insertAuditEvent(tx, {
      tenantId,
      actor: { kind: 'grant', tenantId, tenantUserId, userId, displayName: '', roleFlag: 0, credentialId: `grant:${grantId}` },
      operation,
      outcome: 'done',
      transport,
      requestId,
      ip,
      facts: { appId: grantId, name: clientName },
    }),
  )
  return ended
}
