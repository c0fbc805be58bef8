import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { finding, readDraft, refuseErrors } from '#platform/validation.ts'

import { exampleTriggers, trigger, triggersInput, workflowId, workflowSlot } from '../workflows.schema.ts'
import { isObject, type Said, valueAt } from './definition.types.ts'
import { editDraft } from './drafts.ts'
import { trigger as triggerGrammar } from './grammar.schema.ts'
import { identifiedTriggers, withoutSecret } from './importing.ts'
import { findTriggerTypeProblem } from './naming.rules.ts'
import { showTriggers } from './shown.ts'
import { keepAddresses, keepSecrets } from './webhooks.ts'

const secretForm = z.string().min(16).max(500)
const standardForm = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/

/** Throws 400 for a trigger that has not the form of one, or a secret that nobody could sign with. */
function readTriggers(said: readonly Said[]): void {
  const findings = said.flatMap((one, index) => {
    const path = `$.triggers[${index}]`
    const read = readDraft(triggerGrammar, one, path)
    if (!read.isOk) return read.findings
    const secret = valueAt(one, 'config.secret')
    const isStandard = valueAt(one, 'config.scheme') === 'standardWebhooks'
    const isSecret = typeof secret === 'string' && secretForm.safeParse(secret).success && (!isStandard || standardForm.test(secret))
    const words = isStandard ? 'whsec_ and base64 of at least 24 bytes' : '16 to 500 characters'
    return [
      ...findTriggerTypeProblem(one, ['triggers', index]),
      ...(secret === undefined || isSecret ? [] : [finding(`${path}.config.secret`, `A secret is ${words}. Leave it out to get one.`)]),
    ]
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
    const chosen = new Map(
      draft.body.triggers.flatMap(({ triggerId }, index): [number, string][] => {
        const secret = valueAt(said[index], 'config.secret')
        return typeof secret === 'string' ? [[Number(triggerId), secret]] : []
      }),
    )
    const webhooks = await keepAddresses(context, id, draft.body)
    const stray = [...chosen.keys()].find((triggerId) => !webhooks.some((one) => one.triggerId === triggerId))
    if (stray !== undefined) throw new AppError('invalid_input', 'Only a trigger webhookReceived has a secret.')
    const made = await keepSecrets(context, webhooks, chosen)
    context.audit({ workflowId: id, triggers: said.map((one) => one['triggerType']) })
    const triggers = showTriggers(context.services, draft.body, webhooks).map((one) => {
      const secret = made.get(one.triggerId)
      return secret === undefined ? one : { ...one, secret }
    })
    return { workflowId: id, triggers }
  },
})
