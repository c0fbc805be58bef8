/** Workflows on the wire. */
import { z } from 'zod'

import { component, documentAs } from '#platform/document-schema.ts'
import { definitionId, idOrName } from '#platform/names.ts'
import { validation } from '#platform/validation.ts'
import { filterRules } from '#tools/query/query.schema.ts'

import { headFields, maxSteps, maxTriggers, step as stepGrammar, trigger as triggerInput } from './definition/grammar.schema.ts'

export const workflowSlot = idOrName.describe('id or internalName')
export const stepId = definitionId.describe('As get_workflow shows it')
export const workflowId = z.int()

export const workflow = z.object({
  workflowId,
  tenantId: z.int(),
  internalName: z.string(),
  name: z.string(),
  description: z.string(),
  categoryId: z.int().nullable(),
  displays: z.array(z.object({ languageRegionId: z.int(), languageCode: z.string(), name: z.string(), description: z.string() })),
  entity: z.string().nullable().describe('Whose record a run is about'),
  entityId: z.int().nullable(),
  version: z.int().nullable().describe('Published; null: a draft alone'),
  isEnabled: z.boolean().describe('Its triggers fire'),
  hasChanges: z.boolean().describe('The draft is newer than the published version'),
  tenantUserId: z.int().nullable().describe('Whom its runs act as; access rules may name it'),
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
  ownerName: z.string().nullable(),
})

/** Steps, actions, branches and triggers of a draft, which may be faulty: as they were sent, with ids. */
export const step = z.looseObject({ stepId: z.int(), stepTypeId: z.int().nullable(), position: z.int() })
export const action = z.looseObject({ actionId: z.int(), stepId: z.int() })
export const branch = z.looseObject({ branchId: z.int(), stepId: z.int() })
export const trigger = z.looseObject({
  triggerId: z.int(),
  triggerKey: z.string().optional(),
  url: z.string().optional().describe('Where a webhook is sent'),
})

export const runtime = z.object({
  roles: z.array(z.string()).describe('What its runs may do'),
  variables: z.array(z.looseObject({})),
  input: z.array(z.looseObject({})),
  maxDurationDays: z.int(),
  concurrency: z.string(),
})

export const workflowDetail = z.object({
  workflow,
  steps: z.array(step),
  actions: z.array(action),
  branches: z.array(branch),
  triggers: z.array(trigger),
  runtime,
  validation: validation.nullable().describe('What is wrong with the draft today; null: nothing'),
})

export const workflowVersion = z.object({
  version: z.int(),
  createdDate: z.iso.datetime(),
  createdBy: z.object({ tenantUserId: z.int(), displayName: z.string() }),
  sizeBytes: z.int(),
  isCurrent: z.boolean(),
  changes: z.array(z.string()).describe('Since the version before'),
})

const loose = (shown: z.ZodType) => documentAs(z.looseObject({}), shown)

/** What create_workflow and update_workflow take beside name and displays, in short for a tool. */
export const headInput = {
  description: headFields.description.optional(),
  categoryId: headFields.categoryId.optional().describe('As list_categories shows it'),
  entity: headFields.entity.optional().describe('Whose record a run is about'),
  roles: headFields.roles.optional().describe('What its runs may do; publishing asks that you hold them'),
  variables: documentAs(z.array(z.looseObject({})).max(100), headFields.variables)
    .optional()
    .describe('[{name, dataType, isList?, value?}]'),
  input: documentAs(z.array(z.looseObject({})).max(100), headFields.input)
    .optional()
    .describe('[{name, dataType, isRequired?, isList?}]'),
  maxDurationDays: headFields.maxDurationDays.optional().describe('365 unless told'),
  concurrency: headFields.concurrency.optional().describe('Of runs about one record; parallel unless told'),
} as const

const { internalName, stepType, stepTypeId, displays, position, dueIn, timeoutSeconds, onlyAssignee, notBy, next } = stepGrammar.shape

/** What the step operations take, in short for a tool; get_schema part stepTypes tells what stands in config. */
export const stepInput = {
  internalName,
  stepType: stepType.describe('As get_schema part stepTypes lists them, with their config'),
  stepTypeId: stepTypeId.describe('In place of stepType'),
  displays: documentAs(z.array(z.looseObject({})).max(100), displays.unwrap()).optional(),
  position: position.describe('From 1; last unless told'),
  config: z.looseObject({}).optional().describe('By the type'),
  when: filterRules.optional().describe('Skipped unless it holds; a rule may go by $steps.check.action'),
  assignee: loose(stepGrammar.shape.assignee.unwrap())
    .optional()
    .describe('One of tenantUserId, role, people: {entity, filter?}, property, parent, peer, variable, eiRecordId'),
  dueIn: dueIn.describe('ISO 8601'),
  onOverdue: loose(stepGrammar.shape.onOverdue.unwrap()).optional().describe('{goTo?, assign?, notify?: {to, text}}'),
  retry: loose(stepGrammar.shape.retry.unwrap()).optional().describe('{attempts, firstSeconds, maxSeconds}'),
  timeoutSeconds: timeoutSeconds.describe('Of one try'),
  onlyAssignee: onlyAssignee.describe('DataEdit alone does not act'),
  notBy: notBy.describe('startedBy or steps: who did that may not act here'),
  onError: stepGrammar.shape.onError.describe('fail unless told'),
  compensate: loose(stepGrammar.shape.compensate.unwrap()).optional().describe('{stepType, config} that undoes it'),
  actions: documentAs(z.array(z.looseObject({})).max(20), stepGrammar.shape.actions.unwrap())
    .optional()
    .describe('Buttons: [{internalName, goTo?, requiresComment?, set?}]'),
  branches: documentAs(z.array(z.looseObject({})).max(50), stepGrammar.shape.branches.unwrap())
    .optional()
    .describe('[{when, goTo}], the first that holds'),
  next: next.describe('A step, or end; the following step unless told'),
} as const

export const stepsInput = documentAs(z.array(z.looseObject({})).max(maxSteps), z.array(stepGrammar).max(maxSteps))
export const triggersInput = documentAs(z.array(z.looseObject({})).max(maxTriggers), z.array(triggerInput).max(maxTriggers))

component('Workflow', workflow)
component('WorkflowStep', step)
component('WorkflowAction', action)
component('WorkflowBranch', branch)
component('WorkflowTrigger', trigger)
component('WorkflowDetail', workflowDetail)
component('WorkflowVersion', workflowVersion)

export const exampleWorkflow: z.output<typeof workflow> = {
  workflowId: 10_300,
  tenantId: 2,
  internalName: 'InspectionReview',
  name: 'Review of an inspection',
  description: 'From the submitted form to the approval',
  categoryId: null,
  displays: [{ languageRegionId: 1, languageCode: 'en-US', name: 'Review of an inspection', description: '' }],
  entity: 'Inspection',
  entityId: 10_060,
  version: 1,
  isEnabled: true,
  hasChanges: false,
  tenantUserId: 31,
  createdDate: '2026-03-01T08:30:00.000Z',
  modifiedDate: '2026-03-01T08:30:00.000Z',
  ownerName: 'Ana',
}

/** Before it was published. */
export const exampleDraft: z.output<typeof workflow> = {
  ...exampleWorkflow,
  version: null,
  isEnabled: false,
  hasChanges: true,
  tenantUserId: null,
}

export const exampleApproval = {
  internalName: 'check',
  stepType: 'approval',
  config: { question: 'Is inspection [[Inspection.externalKey]] complete?' },
  assignee: { role: 'BuilderAdmin' as const },
  actions: [
    { internalName: 'approve', goTo: 'close' },
    { internalName: 'reject', requiresComment: true, goTo: 'end' },
  ],
}

export const exampleSteps = [
  exampleApproval,
  {
    internalName: 'close',
    stepType: 'saveRecord',
    config: { entity: 'Inspection', eiRecordId: '[[Inspection.eiRecordId]]', values: { Status: 'closed' } },
  },
]

export const exampleTriggers = [
  {
    triggerType: 'recordUpdated',
    config: { entity: 'Inspection', properties: ['Status'] },
    filter: [{ property: 'Status', op: 'eq', value: 'submitted' }],
  },
]

export const exampleDefinition = {
  internalName: 'InspectionReview',
  displays: [{ languageCode: 'en-US', name: 'Review of an inspection' }],
  description: 'From the submitted form to the approval',
  entity: 'Inspection',
  roles: ['DataEdit' as const],
  steps: exampleSteps,
  triggers: exampleTriggers,
}

export const exampleStep = {
  stepId: 10_301,
  stepTypeId: 2,
  position: 1,
  ...exampleApproval,
  actions: [
    { actionId: 10_302, stepId: 10_301, internalName: 'approve', goTo: 'close' },
    { actionId: 10_303, stepId: 10_301, internalName: 'reject', requiresComment: true, goTo: 'end' },
  ],
}
