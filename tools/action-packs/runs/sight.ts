/** Action runs whom their callers see. */
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { findRun, lockRun, mustSeeRun, type RunRow } from '#tools/workflows/service.ts'

async function onlyActions(context: TxContext, runId: number, find: typeof findRun): Promise<RunRow> {
  const notThere = new AppError('not_found', 'No such action run.')
  const isAction = (await findRun(context.tx, context.tenantId, runId))?.pack
  if (isAction === null || isAction === undefined) throw notThere
  try {
    return await mustSeeRun(context, runId, find)
  } catch (error) {
    throw error instanceof AppError && error.code === 'not_found' ? notThere : error
  }
}

/** The run, where the caller sees it. Throws 404. */
export const mustSeeAction = (context: TxContext, runId: number) => onlyActions(context, runId, findRun)

/** The same, held until the transaction ends. */
export const mustHoldAction = (context: TxContext, runId: number) => onlyActions(context, runId, lockRun)
