import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { toIssue } from '#platform/findings.ts'
import { defineStagedOperation, reads } from '#platform/operation.ts'
import type { anyJson } from '#tools/workflows/runs/runs.schema.ts'
import { findFlowVersion, isObject, openInstall, recordOf, tryOut } from '#tools/workflows/service.ts'
import { answers, testedWorkflow } from '#tools/workflows/trial/trial.schema.ts'

import { installId } from '../action-packs.schema.ts'

export const testActionPackInstall = defineStagedOperation({
  ...reads(testedWorkflow),
  errors: ['not_found', 'unknown_entity'],
  name: 'test_action_pack_install',
  title: 'Try an installed action pack out',
  description:
    'Runs the install at once without effects or waiting, with the payload that its trigger would bring: reads are real, as far as I may read; what would change or send something says what it would do.',
  method: 'POST',
  path: '/api/v1/action-packs/installs/{installId}/test',
  roles: 'BuilderAdmin',
  input: z.object({
    installId,
    payload: z.record(z.string().max(64), z.unknown()).optional().describe('What $trigger holds; eiRecordId: the record that it is about'),
    answers: answers.optional(),
  }),
  examples: [
    {
      title: 'As if fired by hand',
      input: { installId: 10_400, payload: { input: {} } },
      output: {
        state: 'completed',
        trace: [{ step: 'tell', stepType: 'notify', event: 'done', output: { would: 'send_message' } }],
        issues: [],
        variables: {},
      },
    },
  ],
  async stagedHandler(context, { installId: id, payload = {}, answers: said = {} }) {
    const { version, record } = await context.inTransaction(
      async (inner) => {
        const { workflowId, version: newest } = (await openInstall(inner, id)).state
        const found = mustExist(await findFlowVersion(inner, workflowId, newest ?? 0), 'version')
        const { eiRecordId } = payload
        const isAbout = found.entity !== undefined && typeof eiRecordId === 'number'
        return { version: found, record: isAbout ? await recordOf(inner, found, { eiRecordId }) : undefined }
      },
      { readOnly: true },
    )
    const input = isObject(payload['input']) ? payload['input'] : {}
    const trigger = { by: context.actor.tenantUserId, input, ...payload }
    const tried = await tryOut(context, { version, record, input, trigger, answers: said, nowMs: Date.now() })
    const { state, trace, issues, variables, output } = tried
    return {
      state,
      // What is told was made of JSON.
      trace: trace.map(({ output: shown, ...line }) => ({
        ...line,
        ...(shown === undefined ? {} : { output: shown as z.output<typeof anyJson> }),
      })),
      issues: issues.slice(0, 200).map(toIssue),
      variables: { ...variables },
      ...(output === null ? {} : { output: output as z.output<typeof anyJson> }),
    }
  },
})
