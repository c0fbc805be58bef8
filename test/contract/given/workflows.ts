/** Working calls of the operations on definitions of workflows. */
import type { Given, Stage } from '../arrange.ts'

interface Made {
  readonly workflow: string
  readonly definition: Record<string, unknown>
}

/** What a workflow may say of an entity with a status. */
async function definitionOf({ call, unique }: Stage): Promise<Made> {
  const status = unique('Status')
  const entity = unique('Inspection')
  const workflow = unique('Review')
  await call('create_property', { internalName: status, dataType: 'Text' })
  await call('create_entity', { internalName: entity, properties: [{ property: status }] })
  const definition = {
    internalName: workflow,
    displays: [{ languageCode: 'en-US', name: 'Review' }],
    entity,
    roles: ['DataEdit'],
    steps: [
      {
        internalName: 'check',
        stepType: 'approval',
        config: { question: `Is [[${entity}.externalKey]] complete?` },
        actions: [{ internalName: 'approve' }, { internalName: 'reject' }],
        branches: [{ when: [{ property: '$steps.check.action', op: 'eq', value: 'reject' }], goTo: 'end' }],
      },
      {
        internalName: 'close',
        stepType: 'saveRecord',
        config: { entity, eiRecordId: `[[${entity}.eiRecordId]]`, values: { [status]: 'closed' } },
      },
    ],
    triggers: [{ triggerType: 'recordCreated', config: { entity } }],
  }
  return { workflow, definition }
}

interface Kept extends Made {
  readonly stepIds: number[]
  readonly actionId: number
  readonly branchId: number
}

async function kept(stage: Stage): Promise<Kept> {
  const made = await definitionOf(stage)
  await stage.call('import_workflow', made.definition)
  const { steps, actions, branches } = await stage.call('get_workflow', { workflow: made.workflow })
  const stepIds = steps.map((step: { stepId: number }) => step.stepId)
  return { ...made, stepIds, actionId: actions[0].actionId, branchId: branches[0].branchId }
}

/** A call that names the workflow, its first step and more. */
const ofStep =
  (more: (made: Kept, stage: Stage) => Record<string, unknown> = () => ({})) =>
  async (stage: Stage) => {
    const made = await kept(stage)
    return { input: { workflow: made.workflow, stepId: made.stepIds[0], ...more(made, stage) } }
  }

const ofWorkflow =
  (more: (made: Kept, stage: Stage) => Record<string, unknown> = () => ({})) =>
  async (stage: Stage) => {
    const made = await kept(stage)
    return { input: { workflow: made.workflow, ...more(made, stage) } }
  }

const published = async (stage: Stage) => {
  const { workflow } = await kept(stage)
  await stage.call('publish_workflow', { workflow })
  return workflow
}

export const given: Given = {
  async list_workflows(stage) {
    await kept(stage)
    return { input: {} }
  },
  create_workflow: async ({ unique }) => ({ input: { internalName: unique('Flow'), displays: [{ languageCode: 'en-US', name: 'Flow' }] } }),
  get_workflow: ofWorkflow(),
  update_workflow: ofWorkflow(() => ({ description: 'Of inspections', maxDurationDays: 30 })),
  delete_workflow: ofWorkflow(),
  set_workflow_display: ofWorkflow(() => ({ languageCode: 'en-US', name: 'Review of an inspection' })),
  create_workflow_step: ofWorkflow(() => ({ internalName: 'pause', stepType: 'wait', config: { for: 'P1D' } })),
  get_workflow_step: ofStep(),
  update_workflow_step: ofStep(() => ({ dueIn: 'P2D' })),
  delete_workflow_step: ofStep(),
  duplicate_workflow_step: ofStep(),
  move_workflow_step: ofStep(() => ({ direction: 1 })),
  reorder_workflow_steps: ofWorkflow(({ stepIds }) => ({ stepIds: stepIds.toReversed() })),
  save_workflow_action: ofStep(() => ({ internalName: 'later', goTo: 'close' })),
  delete_workflow_action: ofStep(({ actionId }) => ({ actionId })),
  save_workflow_branch: ofStep(() => ({ when: [{ property: '$steps.check.action', op: 'eq', value: 'approve' }], goTo: 'close' })),
  delete_workflow_branch: ofStep(({ branchId }) => ({ branchId })),
  set_workflow_triggers: async (stage) => ({
    ...(await ofWorkflow(() => ({ triggers: [{ triggerType: 'webhookReceived', config: { scheme: 'standardWebhooks' } }] }))(stage)),
    varying: ['secret', 'triggerKey', 'url'],
  }),
  validate_workflow: ofWorkflow(),
  test_workflow: async (stage) => ({
    ...(await ofWorkflow(() => ({ answers: { check: { action: 'reject' } }, now: '2026-03-01T08:30:00Z' }))(stage)),
    // Whoever tries it is who answers.
    varying: ['by'],
  }),
  publish_workflow: ofWorkflow(),
  async toggle_workflow(stage) {
    return { input: { workflow: await published(stage), isEnabled: false } }
  },
  async list_workflow_versions(stage) {
    return { input: { workflow: await published(stage) } }
  },
  clone_workflow: ofWorkflow((_made, { unique }) => ({ internalName: unique('Copy') })),
  import_workflow: async (stage) => ({ input: (await definitionOf(stage)).definition }),
  export_workflow: ofWorkflow(),
  get_workflow_diagram: ofWorkflow(),
}
