/** The grammar of a workflow: what a definition, a step, an action, a branch, an assignee and a trigger may say. What it names is held against the tenant by checking. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { idOrName, newName } from '#platform/names.ts'
import { type RoleName, roleNames } from '#platform/roles.ts'
import { dataTypes, displayInputs } from '#tools/properties/properties.schema.ts'
import { filterRules } from '#tools/query/query.schema.ts'

/** Of one list: the top, a lane, the body of a loop. */
export const maxSteps = 200
/** Of a definition, those in lanes and loops among them. */
export const maxStepsInAll = 500
/** Lists below the top: a loop in a lane stands two deep. */
export const maxDepth = 4
export const maxTriggers = 20
export const maxActions = 20
export const maxBranches = 50
const maxVariables = 100
export const maxDurationDaysUnlessTold = 365

/** Where a step leads to end its list. */
export const end = 'end'

export const duration = z.string().min(2).max(60)

// The word of a target, which a name must not be.
const name = newName().refine((text) => text.toLowerCase() !== end, { error: '"end" is where a list ends; choose another name' })
const target = z.string().min(1).max(64)

export const runRole = z.enum(roleNames as [RoleName, ...RoleName[]])
export const runRoles = z.array(runRole).max(roleNames.length)

export const variable = z.strictObject({
  name,
  dataType: z.enum(dataTypes),
  isList: z.boolean().optional(),
  value: z.unknown().optional(),
})
export const variables = z.array(variable).max(maxVariables)

export const inputField = z.strictObject({
  name,
  dataType: z.enum(dataTypes),
  isRequired: z.boolean().optional(),
  isList: z.boolean().optional(),
})
export const inputFields = z.array(inputField).max(maxVariables)

/** A value that a token or an expression may stand for. */
export const expression = z.strictObject({ $expr: z.array(z.unknown()).min(1).max(51) })
const tokens = z.string().max(65_536).includes('[[', { error: 'A text here is one that holds a token, such as [[$vars.count]]' })
export const dynamic = <S extends z.ZodType>(schema: S) => z.union([schema, tokens, expression])

/** One of these; none: whoever holds DataEdit. */
export const assignee = z.strictObject({
  tenantUserId: dynamic(z.int().min(1).max(2_147_483_647)).optional(),
  role: runRole.optional(),
  people: z.strictObject({ entity: idOrName, filter: filterRules.optional() }).optional(),
  property: z.string().min(1).max(200).optional(),
  parent: idOrName.optional(),
  peer: idOrName.optional(),
  variable: target.optional(),
  eiRecordId: dynamic(z.int().min(1)).optional(),
})

/** An assignee, or an address as send_message takes it. */
export const recipient = z.strictObject({
  ...assignee.shape,
  phone: z.string().min(3).max(200).optional(),
  email: z.string().min(3).max(400).optional(),
})

export const text = z.string().min(1).max(16_000)

export const card = z.strictObject({
  title: z.string().min(1).max(400).optional(),
  text: z.string().min(1).max(8_000).optional(),
  imageAssetKey: z.string().min(1).max(400).optional(),
  choices: z
    .array(z.strictObject({ key: z.string().min(1).max(64), label: z.string().min(1).max(400) }))
    .min(1)
    .max(20)
    .optional(),
  link: z.strictObject({ label: z.string().min(1).max(400), url: z.string().min(1).max(2_000) }).optional(),
})

export const action = z.strictObject({
  internalName: name,
  displays: displayInputs.optional(),
  goTo: target.optional(),
  requiresComment: z.boolean().optional(),
  set: z.record(target, z.unknown()).optional(),
})

export const branch = z.strictObject({ when: filterRules, goTo: target })

const retry = z.strictObject({
  attempts: z.int().min(1).max(20).optional(),
  firstSeconds: z.number().min(0.1).max(86_400).optional(),
  maxSeconds: z.number().min(0.1).max(604_800).optional(),
})

const onOverdue = z.strictObject({
  goTo: target.optional(),
  assign: assignee.optional(),
  notify: z.strictObject({ to: recipient, text: text.optional(), template: z.string().min(1).max(64).optional() }).optional(),
})

export const stepTypeId = z.int().min(1)
export const config = z.looseObject({})

export const step = z.strictObject({
  internalName: name,
  stepType: z.string().min(1).max(64).optional(),
  stepTypeId: stepTypeId.optional(),
  displays: displayInputs.optional(),
  position: z.int().min(1).max(10_000).optional(),
  config: config.optional(),
  when: filterRules.optional(),
  assignee: assignee.optional(),
  dueIn: duration.optional(),
  onOverdue: onOverdue.optional(),
  retry: retry.optional(),
  timeoutSeconds: z.number().min(1).max(31_536_000).optional(),
  onlyAssignee: z.boolean().optional(),
  notBy: z.array(target).max(20).optional(),
  onError: z.union([z.enum(['fail', 'continue']), z.strictObject({ goTo: target })]).optional(),
  compensate: z.strictObject({ stepType: z.string().min(1).max(64), config: config.optional() }).optional(),
  actions: z.array(action).max(maxActions).optional(),
  branches: z.array(branch).max(maxBranches).optional(),
  next: target.optional(),
})

export const trigger = z.strictObject({
  internalName: newName().optional(),
  triggerType: z.string().min(1).max(64),
  config: config.optional(),
  filter: filterRules.optional(),
  isEnabled: z.boolean().optional(),
})

export const concurrency = z.enum(['parallel', 'queue', 'skipIfRunning'])

/** What a workflow says of itself beside its name, its steps and its triggers. */
export const headFields = {
  description: z.string().max(2_000),
  categoryId: z.int().min(1).max(2_147_483_647).nullable(),
  entity: idOrName.nullable(),
  roles: runRoles,
  variables,
  input: inputFields,
  maxDurationDays: z.int().min(1).max(3_650),
  concurrency,
} as const

component('WorkflowStepInput', step)
component('WorkflowActionInput', action)
component('WorkflowBranchInput', branch)
component('WorkflowAssignee', assignee)
component('WorkflowTriggerInput', trigger)
