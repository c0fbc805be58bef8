import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { decodeCursor, listOf, notOfThisList, pageInput, pageOf } from '#platform/paging.ts'

import { exampleInstance, workflowTask } from './runs.schema.ts'
import { toCurrentStep } from './shown.ts'
import { countTasks, listTasks, type TaskRow } from './tasks.store.ts'
import { findFlowVersion } from './versions.ts'
import type { FlowVersion } from './runs.types.ts'

function toTask(row: TaskRow, version: FlowVersion | undefined): z.output<typeof workflowTask> {
  const { question, form } = row.input ?? {}
  return {
    workflowInstanceId: row.runId,
    workflowId: row.workflowId,
    workflow: row.internalName,
    ...(row.entityId === null ? {} : { entityId: row.entityId }),
    ...(row.eiRecordId === null ? {} : { eiRecordId: row.eiRecordId }),
    step: toCurrentStep(row, version),
    ...(typeof question === 'string' ? { question } : {}),
    ...(typeof form === 'string' || typeof form === 'number' ? { form: String(form) } : {}),
    waitingSince: row.begunAt,
  }
}

const exampleStep = exampleInstance.currentSteps[0]

export const listMyTasks = defineOperation({
  ...reads(z.array(workflowTask)),
  errors: [],
  name: 'list_my_tasks',
  title: 'List my tasks',
  description: 'Steps of runs that wait for me, or for a role that I hold, the newest first. act_on_workflow_instance does one.',
  method: 'POST',
  path: '/api/v1/workflow-instances/my-tasks',
  roles: 'any',
  input: z.object({ ...pageInput }),
  examples: [
    {
      title: 'What waits for me',
      input: {},
      output: [
        {
          workflowInstanceId: 77,
          workflowId: 10_300,
          workflow: 'InspectionReview',
          entityId: 10_060,
          eiRecordId: 20_481,
          step: exampleStep as NonNullable<typeof exampleStep>,
          question: 'Is inspection I-7 complete?',
          waitingSince: '2026-03-01T08:30:00.000Z',
        },
      ],
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, actor } = context
    const page = pageOf(context, input)
    const before = page.cursor === undefined ? null : decodeCursor(page.cursor, 2)
    const [runId, stepNo] = before ?? []
    if (before && (typeof runId !== 'number' || typeof stepNo !== 'number')) throw notOfThisList()
    const place = typeof runId === 'number' && typeof stepNo === 'number' ? ([runId, stepNo] as const) : null
    const found = await listTasks(tx, tenantId, actor, page, place)
    const versions = new Map<string, FlowVersion | undefined>()
    for (const { workflowId, version } of found.rows) {
      const key = `${workflowId} ${version}`
      if (!versions.has(key)) versions.set(key, await findFlowVersion(context, workflowId, version))
    }
    return listOf(page, found, {
      show: (row) => toTask(row, versions.get(`${row.workflowId} ${row.version}`)),
      cursor: (row) => [row.runId, row.stepNo],
      total: await countTasks(tx, tenantId, actor, page),
    })
  },
})
