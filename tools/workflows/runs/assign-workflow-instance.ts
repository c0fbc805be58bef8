import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { assignTask } from './acting.ts'
import { lockRun } from './runs.store.ts'
import { findPresentUsers } from './people.store.ts'
import { exampleInstance, iteration, step, workflowInstance, workflowInstanceId } from './runs.schema.ts'
import { showRun } from './shown.ts'
import { mustSeeRun } from './sight.ts'
import { mustFindStep } from './steps.rules.ts'
import { tellTaskAnew } from './telling.ts'
import { findFlowVersion } from './versions.ts'

export const assignWorkflowInstance = defineOperation({
  ...writes(workflowInstance),
  errors: ['not_found'],
  name: 'assign_workflow_instance',
  title: 'Assign the task of a run to a user',
  description: 'Gives the waiting task to a user, who is told over their channel. list_users shows users.',
  method: 'POST',
  path: '/api/v1/workflow-instances/{workflowInstanceId}/assign',
  roles: 'DataEdit',
  input: z.object({ workflowInstanceId, tenantUserId: z.int().min(1), step, iteration }),
  examples: [{ title: 'To Ana', input: { workflowInstanceId: 77, tenantUserId: 12 }, output: exampleInstance }],
  async handler(context, input) {
    const run = await mustSeeRun(context, input.workflowInstanceId, lockRun)
    const { tenantUserId } = input
    if ((await findPresentUsers(context.tx, context.tenantId, [tenantUserId])).length === 0)
      throw new AppError('invalid_input', `There is no user ${tenantUserId} who can act.`, {
        issues: [finding('$.tenantUserId', 'No user who can act.')],
      })
    const row = await assignTask(context, run, input)
    const version = mustExist(await findFlowVersion(context, run.workflowId, run.version), 'version')
    const order = { tenantId: context.tenantId, runId: run.runId, no: row.stepNo }
    const task = { order, run, found: mustFindStep(version.steps, row.step), input: row.input ?? {} }
    await tellTaskAnew(context, task, { user: tenantUserId, role: null, users: null })
    return showRun(context, await mustSeeRun(context, input.workflowInstanceId))
  },
})
