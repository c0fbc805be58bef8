/** From errands to Temporal. Twice is harmless: a workflow starts once under its id, and one that is signalled knows what it was told. */
import type { Services } from '#platform/services.ts'
import { type Lane, ownWorkflowId, type StartErrand } from '#platform/shapes/errands.ts'

import type { WaitingErrand } from './relay.ts'

/** What waits in Temporal's queues goes by these too; within one of them, tenants take turns. */
const priorities = { people: 2, triggers: 3, bulk: 5 } as const satisfies Record<Lane, number>

/** Carries one errand out. Throws AppError `unavailable` while Temporal is away. */
export async function carryOut({ temporal }: Services, { tenantId, outboxId, lane, errand }: WaitingErrand): Promise<void> {
  const startOf = ({ workflow, workflowId, args }: Pick<StartErrand, 'workflow' | 'workflowId' | 'args'>) => ({
    workflow,
    workflowId: workflowId ?? ownWorkflowId({ workflow, tenantId, outboxId }),
    args,
    tenantId,
    priority: priorities[lane],
  })
  switch (errand.kind) {
    case 'start':
      await temporal.start(startOf(errand))
      return
    case 'signal':
      return temporal.signal(errand.workflowId, errand.signal, errand.signalArgs)
    case 'signalWithStart':
      return temporal.signalWithStart({ ...startOf(errand), signal: errand.signal, signalArgs: errand.signalArgs })
  }
}
