/** A run that waits for the end of another one, which it started. */
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { mustFindDefinition } from '#tools/definitions/service.ts'

import { placeOfWorkflows } from '../definition/drafts.ts'
import { findWorkflows } from '../workflows.store.ts'
import type { OpenStep } from './carrying.ts'
import { findRun, lockRun } from './runs.store.ts'
import type { RunRow } from './runs.types.ts'
import { emitPoke } from './starting.ts'
import { slotIn } from './steps.rules.ts'
import { answerStep, listWaiting } from './steps.store.ts'
import { findFlowVersion } from './versions.ts'

const waitingType = 'runWorkflow'

const nameOf = (runId: number) => `run:${runId}`

/** What the step goes on with. */
function answerOf({ runId, state, output, error, finishedDate }: RunRow, at: string) {
  const payload = { workflowInstanceId: runId, state, output, ...(error ? { message: error.message } : {}) }
  return { kind: 'signalled' as const, by: null, at: finishedDate ?? at, payload }
}

/** In the transaction from which on a step waits: the other run may have ended meanwhile. */
async function take(context: TxContext, { order, run }: OpenStep, runId: number): Promise<void> {
  const { tx, tenantId, stamp } = context
  const other = await findRun(tx, tenantId, runId)
  if (other && other.finishedDate === null) return
  const gone = { kind: 'signalled' as const, by: null, at: stamp, payload: { workflowInstanceId: runId, state: 'cancelled' } }
  await answerStep(tx, tenantId, order.runId, order.no, other ? answerOf(other, stamp) : gone)
  await emitPoke(context, run, order.no)
}

export const awaitRun = { nameOf, take } as const

/** Tells the run that waits for this one, which has just ended. The waiting one is held after this one, and never the other way round. */
export async function tellWaiting(context: TxContext, ended: RunRow): Promise<void> {
  const { tx, tenantId, stamp } = context
  if (ended.causedBy?.kind !== 'workflow' || ended.causedBy.id === undefined) return
  const parent = await lockRun(tx, tenantId, ended.causedBy.id)
  if (!parent) return
  const waiting = await listWaiting(tx, tenantId, parent.runId)
  const row = waiting.find(({ stepType, awaits }) => stepType === waitingType && awaits === nameOf(ended.runId))
  if (!row) return
  await answerStep(tx, tenantId, parent.runId, row.stepNo, answerOf(ended, stamp))
  await emitPoke(context, parent, row.stepNo)
}

/** The entity that runs of a workflow are about, as it is published now; undefined for one that is about none. Throws 404. */
export async function entityOfPublished(services: Services, tenantId: number, workflow: unknown): Promise<string | undefined> {
  return inSystemTransaction(services, tenantId, async (context) => {
    const { definitionId } = await mustFindDefinition(context, placeOfWorkflows, slotIn(workflow))
    const version = (await findWorkflows(context.tx, tenantId, [definitionId])).get(definitionId)?.version ?? null
    return version === null ? undefined : (await findFlowVersion(context, definitionId, version))?.entity
  })
}
