/** Action runs as the wire has them. */
import type { z } from 'zod'

import type { TxContext } from '#platform/operation.ts'
import type { anyJson } from '#tools/workflows/runs/runs.schema.ts'
import {
  findFlowVersion,
  isTold,
  listLog,
  masked,
  type Masks,
  masksOf,
  type RunRow,
  sensitiveNames,
  toLine,
} from '#tools/workflows/service.ts'

import type { actionRun, actionState, listedActionRun } from './runs.schema.ts'

const mostLines = 500

function stateOf({ state, isPaused, hadFailures, finishedDate }: RunRow): z.output<typeof actionState> {
  if (isPaused && finishedDate === null) return 'paused'
  if (state !== 'completed') return state
  return hadFailures ? 'partly' : 'succeeded'
}

function show(row: RunRow, told: boolean, masks: Masks): z.output<typeof listedActionRun> {
  // What a run holds is JSON.
  const shown = (value: unknown) => masked(value, masks) as z.output<typeof anyJson>
  const { causedBy, error, entityId, eiRecordId, finishedDate, output } = row
  const payload = row.trigger ?? { by: row.startedBy, input: row.input }
  return {
    actionRunId: row.runId,
    installId: row.workflowId,
    actionPack: row.pack ?? '',
    version: row.packVersion ?? '',
    trigger: { triggerType: row.triggerType ?? 'manual', ...(told ? { payload: shown(payload) } : {}) },
    state: stateOf(row),
    ...(entityId === null ? {} : { entityId }),
    ...(eiRecordId === null ? {} : { eiRecordId }),
    startedBy: row.startedBy,
    startedDate: row.createdDate,
    ...(finishedDate === null ? {} : { finishedDate }),
    ...(output === null || !told ? {} : { output: shown(output) }),
    ...(causedBy === null ? {} : { causedBy: { kind: causedBy.kind, ...(causedBy.id === undefined ? {} : { id: causedBy.id }) } }),
    ...(told ? {} : { withheld: ['trigger.payload', 'output', 'error'] }),
    ...(error === null ? {} : { error: told ? error : { ...error, message: 'It failed.' } }),
  }
}

/** Each as a list has it, in the order given. */
export async function showActionRuns(context: TxContext, rows: readonly RunRow[]): Promise<z.output<typeof listedActionRun>[]> {
  const masks = masksOf(await sensitiveNames(context), [])
  const shown: z.output<typeof listedActionRun>[] = []
  for (const row of rows) shown.push(show(row, await isTold(context, row), masks))
  return shown
}

/** With its log, as far as an answer holds it. */
export async function showActionRun(context: TxContext, row: RunRow): Promise<z.output<typeof actionRun>> {
  const { tx, tenantId, answerBytes } = context
  const version = await findFlowVersion(context, row.workflowId, row.version)
  const told = await isTold(context, row, version)
  const masks = masksOf(await sensitiveNames(context), version?.steps ?? [])
  const page = {
    pageSize: mostLines,
    offset: 0,
    cursor: undefined,
    isNumbered: false,
    bytes: Math.floor(answerBytes / 2),
    countTo: undefined,
  }
  const { rows, hasMore } = await listLog(tx, tenantId, row.runId, page, 0)
  return { ...show(row, told, masks), steps: rows.map((line) => toLine(line, told, masks)), ...(hasMore ? { hasMoreSteps: true } : {}) }
}
