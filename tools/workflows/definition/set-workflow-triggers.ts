import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'
import { readDraft, refuseErrors } from '#platform/validation.ts'

import { exampleTriggers, trigger, triggersInput, workflowId, workflowSlot } from '../workflows.schema.ts'
import { isObject, type Said } from './definition.types.ts'
import { editDraft } from './drafts.ts'
import { trigger as triggerGrammar } from './grammar.schema.ts'
import { identifiedTriggers, withoutSecret } from './importing.ts'
import { findTriggerTypeProblem } from './naming.rules.ts'
import { chosenSecrets, findSecretProblems } from './secrets.rules.ts'
import { showTriggers } from './shown.ts'
import { keepAddresses, keepSecrets } from './webhooks.ts'

/** Throws 400 for a trigger that has not the form of one, or a secret that nobody could sign with. */
function readTriggers(said: readonly Said[]): void {
  const findings = said.flatMap((one, index) => {
    const path = `$.triggers[${index}]`
    const read = readDraft(triggerGrammar, one, path)
    if (!read.isOk) return read.findings
    return [...findTriggerTypeProblem(one, ['triggers', index]), ...findSecretProblems(one, path)]
  })
  refuseErrors(findings, 'The triggers')
}

export const setWorkflowTriggers = defineOperation({
  ...writes(
    z.object({
      workflowId,
      triggers: z.array(trigger.extend({ secret: z.string().optional().describe('This once: what a webhook is signed by') })),
    }),
  ),
  errors: ['not_found'],
  isIdempotent: true,
  issuesSecret: { idField: 'workflowId' },
  name: 'set_workflow_triggers',
  title: 'Set the triggers of a workflow',
  description:
    'Replaces what the draft fires on: records, forms, times, webhooks, messages, ends of runs. get_schema part triggerTypes tells what stands in config. Live from publish_workflow.',
  method: 'PUT',
  path: '/api/v1/workflows/{workflow}/triggers',
  roles: 'BuilderAdmin',
  input: z.object({
    workflow: workflowSlot,
    triggers: triggersInput.describe('[{internalName?, triggerType, config, filter?, isEnabled?}]'),
  }),
  examples: [
    {
      title: 'When an inspection was submitted',
      input: { workflow: 'InspectionReview', triggers: exampleTriggers },
      output: { workflowId: 10_300, triggers: exampleTriggers.map((one) => ({ triggerId: 10_310, ...one })) },
    },
  ],
  async handler(context, input) {
    const said = input.triggers.filter(isObject)
    readTriggers(said)
    const { draft } = await editDraft(context, input.workflow, (body, next) => ({
      body: { ...body, triggers: identifiedTriggers(said.map(withoutSecret), next, body.triggers) },
      result: undefined,
    }))
    const { workflowId: id } = draft.state
    const webhooks = await keepAddresses(context, id, draft.body)
    const made = await keepSecrets(context, webhooks, chosenSecrets(said, draft.body.triggers))
    context.audit({ workflowId: id, triggers: said.map((one) => one['triggerType']) })
    const triggers = showTriggers(context.services, draft.body, webhooks).map((one) => {
      const secret = made.get(one.triggerId)
      return secret === undefined ? one : { ...one, secret }
    })
    return { workflowId: id, triggers }
  },
})
