import type { Step } from './step.ts'

const entity = 'WorkOrder{{run}}'
const workflow = 'OrderReview{{run}}'
const stepId = '{{stepId}}'

export const steps: readonly Step[] = [
  {
    operation: 'create_workflow',
    input: { internalName: workflow, displays: [{ languageCode: 'en-US', name: 'Review of an order' }], entity, roles: ['DataEdit'] },
  },
  {
    operation: 'create_workflow_step',
    input: { workflow, internalName: 'check', stepType: 'approval', config: { question: `Is [[${entity}.externalKey]] done?` } },
    keeps: { stepId: 'answer.stepId' },
  },
  {
    operation: 'save_workflow_action',
    input: { workflow, stepId, internalName: 'reject', goTo: 'end' },
    keeps: { actionId: 'answer.actionId' },
  },
  {
    operation: 'save_workflow_branch',
    input: { workflow, stepId, when: [{ property: '$steps.check.comment', op: 'isNotEmpty' }], goTo: 'end' },
    keeps: { branchId: 'answer.branchId' },
  },
  { operation: 'delete_workflow_branch', input: { workflow, stepId, branchId: '{{branchId}}' } },
  { operation: 'delete_workflow_action', input: { workflow, stepId, actionId: '{{actionId}}' } },
  { operation: 'update_workflow_step', input: { workflow, stepId, dueIn: 'P2D' } },
  { operation: 'get_workflow_step', input: { workflow, stepId } },
  { operation: 'duplicate_workflow_step', input: { workflow, stepId }, keeps: { secondStepId: 'answer.newStepId' } },
  { operation: 'move_workflow_step', input: { workflow, stepId, direction: 1 } },
  { operation: 'reorder_workflow_steps', input: { workflow, stepIds: ['{{#secondStepId}}', '{{#stepId}}'] } },
  { operation: 'delete_workflow_step', input: { workflow, stepId: '{{secondStepId}}' } },
  { operation: 'set_workflow_display', input: { workflow, languageCode: 'en-US', name: 'Review' } },
  { operation: 'set_workflow_triggers', input: { workflow, triggers: [{ triggerType: 'recordCreated', config: { entity } }] } },
  { operation: 'update_workflow', input: { workflow, maxDurationDays: 30 } },
  { operation: 'validate_workflow', input: { workflow } },
  { operation: 'publish_workflow', input: { workflow } },
  { operation: 'toggle_workflow', input: { workflow, isEnabled: false } },
  { operation: 'list_workflow_versions', input: { workflow } },
  {
    operation: 'import_workflow',
    title: 'to run',
    input: {
      internalName: 'RunOfReview{{run}}',
      displays: [{ languageCode: 'en-US', name: 'Run' }],
      steps: [{ internalName: 'check', stepType: 'waitForEvent', config: { event: 'checked' } }],
      triggers: [],
    },
  },
  { operation: 'publish_workflow', title: 'to run', input: { workflow: 'RunOfReview{{run}}' } },
  {
    operation: 'start_workflow',
    input: { workflow: 'RunOfReview{{run}}' },
    keeps: { workflowInstanceId: 'answer.workflowInstanceId' },
  },
  { operation: 'list_workflow_instances', input: { workflow: 'RunOfReview{{run}}' } },
  { operation: 'get_workflow_instance', input: { workflowInstanceId: '{{workflowInstanceId}}' } },
  { operation: 'comment_workflow_instance', input: { workflowInstanceId: '{{workflowInstanceId}}', comment: 'Seen.' } },
  { operation: 'pause_workflow_instance', input: { workflowInstanceId: '{{workflowInstanceId}}' } },
  { operation: 'resume_workflow_instance', input: { workflowInstanceId: '{{workflowInstanceId}}' } },
  { operation: 'list_my_tasks', input: {} },
  { operation: 'get_workflow_instance_log', input: { workflowInstanceId: '{{workflowInstanceId}}' } },
  { operation: 'cancel_workflow_instance', input: { workflowInstanceId: '{{workflowInstanceId}}' } },
  { operation: 'list_workflows', input: {} },
  { operation: 'get_workflow', input: { workflow } },
  { operation: 'export_workflow', input: { workflow } },
  { operation: 'get_workflow_diagram', input: { workflow } },
  { operation: 'clone_workflow', input: { workflow, internalName: 'CopyOfOrderReview{{run}}' } },
  {
    operation: 'import_workflow',
    input: { internalName: 'CopyOfOrderReview{{run}}', steps: [{ internalName: 'done', stepType: 'end', config: { state: 'completed' } }] },
  },
  { operation: 'delete_workflow', input: { workflow: 'CopyOfOrderReview{{run}}' } },
  { operation: 'delete_workflow', title: 'the other one', input: { workflow } },
]
