import { z } from 'zod'

import { type ActingFor, runAs } from '#platform/acting.ts'
import type { Tx } from '#platform/db/pool.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, type StagedContext, writes } from '#platform/operation.ts'
import { insertErrands, outboxTopic } from '#platform/outbox.ts'
import { roleBits } from '#platform/roles.ts'

import { actOn, findTask, type Task } from './acting.ts'
import { comment, exampleInstance, iteration, step, workflowInstance, workflowInstanceId } from './runs.schema.ts'
import { lockedAt, lockRun } from './runs.store.ts'
import type { Said } from './runs.types.ts'
import { showRun } from './shown.ts'
import { mustSeeRun } from './sight.ts'
import { recordOfForm } from './steps.rules.ts'
import { findFlowVersion } from './versions.ts'

interface Act {
  readonly action: string
  readonly step?: string | undefined
  readonly iteration?: readonly number[] | undefined
  readonly comment?: string | undefined
  readonly values?: Said | undefined
}

/** Who saves a form: the person, else the run in the person's name, which the task itself lets in. */
function saverOf({ tenantId, actor }: StagedContext, { run }: Task): ActingFor {
  const origin = { kind: 'workflow', id: run.runId, depth: run.depth + 1 } as const
  const { tenantUserId, roleFlag } = actor
  if ((roleFlag & roleBits.DataEdit) !== 0) return { tenantId, tenantUserId, roleFlag, origin }
  return {
    tenantId,
    tenantUserId: run.actsAs,
    roleFlag: run.roleFlag | roleBits.DataEdit | roleBits.DataView,
    writesAs: tenantUserId,
    origin,
  }
}

/** Saves the form's record together with the act on the task: both, or neither. */
async function submit(context: StagedContext, task: Task, act: Act): Promise<void> {
  const { services, signal, tenantId, actor } = context
  const { run, row } = task
  const { form } = row.input ?? {}
  const values = act.values ?? {}
  const record = recordOfForm(row.input ?? {}, run)
  const commitWith = async (tx: Tx, answer: unknown): Promise<void> => {
    const stamp = await lockedAt(tx, tenantId, run.runId)
    // Every operation that saves through a form answers the record's id.
    const saved = (answer as { readonly eiRecordId: number }).eiRecordId
    const emit = (errand: Parameters<typeof insertErrands>[2][number]) => insertErrands(tx, tenantId, [errand])
    await actOn({ tx, tenantId, actor, stamp, emit }, task, { ...act, values, eiRecordId: saved })
  }
  const operation = record === null ? 'create_form_record' : 'update_form_record'
  const input = { form, ...(record === null ? {} : { record: String(record) }), values }
  await runAs(services, saverOf(context, task), operation, input, { signal, commitWith })
  services.wake.poke(outboxTopic)
}

export const actOnWorkflowInstance = defineStagedOperation({
  ...writes(workflowInstance),
  errors: ['not_found', 'already_exists', 'unknown_property', 'unknown_entity', 'unprocessable', 'stale_layout', 'unsupported_type'],
  name: 'act_on_workflow_instance',
  title: 'Act on a task of a run',
  description:
    'Takes an action on the step that waits for me: list_my_tasks or get_workflow_instance show the actions. A form takes its values. Somebody was first: 409.',
  method: 'POST',
  path: '/api/v1/workflow-instances/{workflowInstanceId}/act',
  roles: 'any',
  input: z.object({
    workflowInstanceId,
    action: z.string().min(1).max(64).describe('One that the step shows'),
    step,
    iteration,
    comment: comment.optional(),
    values: z.record(z.string().max(64), z.unknown()).optional().describe('Of a form'),
  }),
  examples: [
    {
      title: 'Approve',
      input: { workflowInstanceId: 77, action: 'approve', comment: 'Complete.' },
      output: { ...exampleInstance, state: 'running', currentSteps: [] },
    },
  ],
  async stagedHandler(context, { workflowInstanceId: runId, ...act }) {
    const task = await context.inTransaction(async (inner) => {
      const run = await mustSeeRun(inner, runId, lockRun)
      const version = mustExist(await findFlowVersion(inner, run.workflowId, run.version), 'version')
      const found = await findTask(inner, version, run, act)
      if (found.row.stepType === 'form') return found
      if (act.values !== undefined) {
        const message = `The step ${found.row.step} is no form: leave values out.`
        throw new AppError('invalid_input', message, { issues: [finding('$.values', message)] })
      }
      await actOn(inner, found, act)
      return found
    })
    if (task.row.stepType === 'form') await submit(context, task, act)
    context.audit({ workflowInstanceId: runId, action: act.action })
    return context.inTransaction(async (inner) => showRun(inner, await mustSeeRun(inner, runId)), { readOnly: true })
  },
})
