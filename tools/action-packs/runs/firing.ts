/** How a run of an install is started by hand. */
import { AppError, mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { type Draft, findFlowVersion, isObject, listIn, readInput, recordOf, type Started, startRun } from '#tools/workflows/service.ts'

import type { Values } from '../settings.rules.ts'

/** Whether a manual trigger of the pack says what it takes; else the input is free. */
function asksForInput({ body }: Pick<Draft, 'body'>): boolean {
  return body.triggers.some(({ triggerType, config }) => triggerType === 'manual' && isObject(config) && listIn(config['input']).length > 0)
}

/** Throws 409 where the pack skips a second run about the record. */
export async function fire(context: TxContext, draft: Draft, said: Values, eiRecordId: number | undefined): Promise<Started> {
  const { tenantUserId } = context.actor
  const { workflowId, version: newest } = draft.state
  const version = mustExist(await findFlowVersion(context, workflowId, newest ?? 0), 'version')
  const about = eiRecordId === undefined ? undefined : await recordOf(context, version, { eiRecordId })
  const input = asksForInput(draft) ? readInput(version, said) : said
  // As with other triggers, what fires about a record says which.
  const trigger = { by: tenantUserId, input, ...(eiRecordId === undefined ? {} : { eiRecordId }) }
  const start = { version, ...about, input, trigger, triggerType: 'manual', startedBy: tenantUserId, lane: 'people' } as const
  const started = await startRun(context, start)
  if (!started) throw new AppError('conflict', 'A run about this record is under way, and the pack skips others meanwhile.')
  return started
}
