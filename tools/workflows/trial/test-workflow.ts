import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding, toIssue } from '#platform/findings.ts'
import { defineStagedOperation, reads, type TxContext } from '#platform/operation.ts'
import { flagOf } from '#platform/roles.ts'
import { readTime } from '#platform/tokens/zoned.ts'

import { findDraftProblems, openDraft } from '../definition/drafts.ts'
import { planOf } from '../definition/plan.rules.ts'
import { entityOf } from '../definition/slots.rules.ts'
import { rolesOfBody } from '../definition/rights.rules.ts'
import { readInput, recordOf } from '../runs/begun-with.ts'
import type { anyJson } from '../runs/runs.schema.ts'
import type { FlowVersion } from '../runs/runs.types.ts'
import { workflowSlot } from '../workflows.schema.ts'
import { answers, testedWorkflow } from './trial.schema.ts'
import { tryOut } from './trial.ts'

/** The record that the trial is about; without one, what names it is empty. */
async function findRecord(context: TxContext, version: FlowVersion, eiRecordId: number | undefined) {
  if (eiRecordId === undefined) return undefined
  try {
    return await recordOf(context, version, { eiRecordId })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error
    const { message } = error
    throw new AppError('invalid_input', message, { issues: [finding('$.record', message)], cause: error })
  }
}

function momentOf(now: string | undefined): number {
  if (now === undefined) return Date.now()
  const time = readTime(now)
  if (time?.kind === 'instant') return time.ms
  const message = 'A time such as 2026-03-01T08:30:00Z.'
  throw new AppError('invalid_input', message, { issues: [finding('$.now', message)] })
}

export const testWorkflow = defineStagedOperation({
  ...reads(testedWorkflow),
  name: 'test_workflow',
  title: 'Try a workflow out',
  description:
    'Runs the draft at once without effects or waiting: reads are real, as far as I may read; what would change or send something says what it would do; people answer as answers say, by step. Then publish_workflow.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/test',
  roles: 'BuilderAdmin',
  input: z.object({
    workflow: workflowSlot,
    input: z.record(z.string().max(64), z.unknown()).optional().describe('As start_workflow takes it'),
    record: z.int().min(1).optional().describe('eiRecordId that it is about'),
    answers: answers.optional(),
    now: z.string().max(60).optional().describe('ISO 8601: what time it would be'),
  }),
  errors: ['not_found', 'unknown_entity'],
  examples: [
    {
      title: 'Approved',
      input: { workflow: 'InspectionReview', record: 20_481, answers: { check: { action: 'approve' } } },
      output: {
        state: 'completed',
        trace: [
          {
            step: 'check',
            stepType: 'approval',
            event: 'done',
            output: { action: 'approve', comment: null, by: 7, at: '2026-03-01T08:30:00.000Z', assignee: { role: 'DataEdit' } },
          },
        ],
        issues: [],
        variables: {},
      },
    },
  ],
  async stagedHandler(context, { workflow, input = {}, record: eiRecordId, answers: said = {}, now }) {
    const nowMs = momentOf(now)
    const opened = await context.inTransaction(
      async (inner) => {
        const draft = await openDraft(inner, workflow)
        const { body, state, row } = draft
        const problems = await findDraftProblems(inner, draft)
        const { variables, input: fields, steps } = body
        const isSound = problems.every(({ severity }) => severity !== 'error')
        const version: FlowVersion = {
          workflowId: state.workflowId,
          version: (state.version ?? 0) + 1,
          internalName: row.internalName,
          entity: entityOf(draft.catalog, body.entity)?.internalName,
          variables,
          input: fields,
          steps,
          plan: isSound ? planOf(body) : { steps: [] },
          actsAs: context.actor.tenantUserId,
          roleFlag: flagOf(rolesOfBody(body)),
        }
        return {
          problems,
          isSound,
          version,
          record: await findRecord(inner, version, eiRecordId),
          given: isSound ? readInput(version, input) : {},
        }
      },
      { readOnly: true },
    )
    const { problems, isSound, version, record, given } = opened
    // What publish_workflow would refuse cannot be carried out.
    if (!isSound) return { state: 'failed' as const, trace: [], issues: problems.slice(0, 100).map(toIssue), variables: {} }
    const { state, trace, issues, variables, output } = await tryOut(context, { version, record, input: given, answers: said, nowMs })
    return {
      state,
      // What is told was made of JSON.
      trace: trace.map(({ output: shown, ...line }) => ({
        ...line,
        ...(shown === undefined ? {} : { output: shown as z.output<typeof anyJson> }),
      })),
      issues: [...problems, ...issues].slice(0, 200).map(toIssue),
      variables: { ...variables },
      ...(output === null ? {} : { output: output as z.output<typeof anyJson> }),
    }
  },
})
