import type { Step } from './step.ts'

const entity = 'WorkOrder{{run}}'
const workflow = 'OrderReview{{run}}'
const stepId = '{{stepId}}'
const workflowInstanceId = '{{workflowInstanceId}}'

/** A run goes on by itself: lines that look at it until this holds of `run`, for half a minute at most. */
const untilRun = (holds: string): string[] => [
  'const asked = {',
  "  url: `${pm.variables.get('baseUrl')}/api/v1/workflow-instances/${pm.variables.get('workflowInstanceId')}`,",
  "  method: 'POST',",
  "  header: { Authorization: `Bearer ${pm.variables.get('apiKey')}`, 'Content-Type': 'application/json' },",
  "  body: { mode: 'raw', raw: '{}' },",
  '}',
  `const isSo = (run) => ${holds}`,
  'const look = (left) => pm.sendRequest(asked, (error, answer) => {',
  '  if (left > 0 && (error || !isSo(answer.json()))) setTimeout(() => look(left - 1), 300)',
  '})',
  'look(100)',
]

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
  { operation: 'test_workflow', input: { workflow, answers: { check: { action: 'approve' } } } },
  { operation: 'publish_workflow', input: { workflow } },
  { operation: 'toggle_workflow', input: { workflow, isEnabled: false } },
  { operation: 'list_workflow_versions', input: { workflow } },
  {
    operation: 'import_workflow',
    title: 'to run',
    input: {
      internalName: 'RunOfReview{{run}}',
      displays: [{ languageCode: 'en-US', name: 'Run' }],
      roles: ['DataView'],
      steps: [
        { internalName: 'check', stepType: 'waitForEvent', config: { event: 'checked' } },
        { internalName: 'approve', stepType: 'approval', config: { question: 'Is it done?' } },
        { internalName: 'look', stepType: 'callOperation', config: { operation: 'describe_entity', input: { entity: 'Absent{{run}}' } } },
      ],
      triggers: [],
    },
  },
  {
    operation: 'set_workflow_triggers',
    title: 'a webhook',
    input: {
      workflow: 'RunOfReview{{run}}',
      triggers: [
        {
          internalName: 'hook',
          triggerType: 'webhookReceived',
          config: { scheme: 'header', name: 'X-Token', secret: 'only-of-this-walk-{{run}}' },
        },
      ],
    },
    keeps: { triggerKey: 'answer.triggers[0].triggerKey' },
  },
  { operation: 'publish_workflow', title: 'to run', input: { workflow: 'RunOfReview{{run}}' } },
  {
    operation: 'receive_workflow_webhook',
    input: { triggerKey: '{{triggerKey}}' },
    headers: { 'Content-Type': 'application/json', 'X-Token': 'only-of-this-walk-{{run}}' },
    body: '{"order": 7}',
  },
  {
    operation: 'start_workflow',
    input: { workflow: 'RunOfReview{{run}}' },
    keeps: { workflowInstanceId: 'answer.workflowInstanceId' },
  },
  { operation: 'list_workflow_instances', input: { workflow: 'RunOfReview{{run}}' } },
  { operation: 'get_workflow_instance', input: { workflowInstanceId } },
  { operation: 'comment_workflow_instance', input: { workflowInstanceId, comment: 'Seen.' } },
  { operation: 'pause_workflow_instance', input: { workflowInstanceId } },
  { operation: 'resume_workflow_instance', input: { workflowInstanceId } },
  {
    operation: 'find_or_create_user',
    title: 'to ask',
    input: { email: 'asked-{{run}}@example.com' },
    keeps: { askedTenantUserId: 'answer.tenantUserId' },
  },
  { operation: 'signal_workflow_instance', input: { workflowInstanceId, event: 'checked' } },
  {
    operation: 'assign_workflow_instance',
    before: untilRun("run.currentSteps.some((step) => step.internalName === 'approve')"),
    input: { workflowInstanceId, tenantUserId: '{{#askedTenantUserId}}' },
  },
  { operation: 'list_my_tasks', input: {} },
  { operation: 'act_on_workflow_instance', input: { workflowInstanceId, action: 'approve' } },
  { operation: 'retry_workflow_instance', before: untilRun("run.state === 'failed'"), input: { workflowInstanceId } },
  { operation: 'get_workflow_instance_log', input: { workflowInstanceId } },
  {
    operation: 'start_workflow',
    title: 'to end it',
    input: { workflow: 'RunOfReview{{run}}' },
    keeps: { workflowInstanceId: 'answer.workflowInstanceId' },
  },
  { operation: 'cancel_workflow_instance', input: { workflowInstanceId } },
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
