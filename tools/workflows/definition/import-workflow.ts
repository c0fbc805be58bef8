import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { toIssue } from '#platform/findings.ts'
import { newName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { issue, maxFindings } from '#platform/validation.ts'
import { findAnyDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { displayInputs } from '#tools/properties/properties.schema.ts'

import { exampleDefinition, exampleDraft, headInput, stepsInput, triggersInput, workflow } from '../workflows.schema.ts'
import { isObject } from './definition.types.ts'
import { createDraft, findDraftProblems, keepDraft, openDraft, refuseTooLarge, withIds } from './drafts.ts'
import { readHead, withHead } from './heads.ts'
import { identifiedBody } from './importing.ts'
import { chosenSecrets, findSecretProblems } from './secrets.rules.ts'
import { showWorkflow } from './shown.ts'
import { keepAddresses, sealSecrets } from './webhooks.ts'

export const importWorkflow = defineOperation({
  ...writes(workflow.extend({ issues: z.array(issue) })),
  errors: ['already_exists'],
  isIdempotent: true,
  name: 'import_workflow',
  title: 'Import a workflow',
  description:
    'Takes a whole definition as a draft; onto a taken name it becomes the draft of that workflow. A faulty one is kept, with its issues. Then publish_workflow; set_workflow_triggers gives webhooks secrets that config.secret did not.',
  method: 'POST',
  path: '/api/v1/workflows/import',
  roles: 'BuilderAdmin',
  input: z.object({
    internalName: newName('workflow'),
    displays: displayInputs.optional(),
    ...headInput,
    steps: stepsInput.optional().describe('As create_workflow_step takes them; lanes and loops hold theirs in config'),
    triggers: triggersInput.optional().describe('As set_workflow_triggers takes them'),
  }),
  examples: [{ title: 'A review', input: exampleDefinition, output: { ...exampleDraft, issues: [] } }],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const { internalName, description = '', steps = [], triggers = [] } = input
      const { displays = [] } = await readHead(context, { displays: input.displays })
      const plain = withHead({ displays, steps, triggers }, input, displays)
      refuseTooLarge(plain)
      const known = await findAnyDefinition(context, 'workflow', internalName)
      const before = known ? await openDraft(context, known.definitionId) : undefined
      const body = await withIds(context, (next) => identifiedBody(plain, next, before?.body))
      const draft = before
        ? await keepDraft(context, before, body, { description })
        : await createDraft(context, await cachedCatalog(context), { internalName, description }, body)
      await keepAddresses(context, draft.state.workflowId, body)
      // Beside the draft, as in set_workflow_triggers: one that nobody could sign with is told of, and not kept.
      const said = triggers.filter(isObject)
      await sealSecrets(context, chosenSecrets(said, body.triggers))
      const ofSecrets = said.flatMap((one, index) => findSecretProblems(one, `$.triggers[${index}]`))
      const issues = [...ofSecrets, ...(await findDraftProblems(context, draft))].slice(0, maxFindings).map(toIssue)
      return { ...(await showWorkflow(context, draft)), issues }
    })
  },
})
