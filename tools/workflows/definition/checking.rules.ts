/** A whole definition held against the tenant as it is today: everything that is wrong with it, each with its place and the nearest right name. */
import { z } from 'zod'

import { pathText } from '#platform/issues.ts'
import { checkTokens } from '#platform/tokens/check.ts'
import type { Shapes } from '#platform/tokens/shape.ts'
import { type Finding, finding, maxFindings, readDraft, unknownName } from '#platform/validation.ts'
import { displayInputs } from '#tools/properties/properties.schema.ts'
import { readDisplays } from '#tools/properties/service.ts'

import { findStepType, stepTypes } from '../step-types/registry.rules.ts'
import type { StepType } from '../step-type.types.ts'
import { readTyped } from '../values/typed.rules.ts'
import { isObject, listIn, type Place, type Said, type WorkflowBody } from './definition.types.ts'
import type { Facts } from './facts.types.ts'
import {
  end,
  headFields,
  maxActions,
  maxDepth,
  maxSteps,
  maxStepsInAll,
  step as stepSchema,
  variable as variableSchema,
} from './grammar.schema.ts'
import { findNamingProblems } from './naming.rules.ts'
import { findNotByProblems } from './people.rules.ts'
import { entityOf } from './slots.rules.ts'
import { findBlindEntities, findLackingRoles } from './rights.rules.ts'
import { findConditionProblems, rootsIn, type Scope, scopeOf } from './scope.rules.ts'
import { actionsOf, findTargetProblems } from './targets.rules.ts'
import { findTriggerConfigProblems, findTriggerProblems, findWaitFilterProblems } from './triggers.rules.ts'
import { allSteps, listsOf, namingsOfStep, type PlacedStep, topOf } from './walking.rules.ts'

const { description: _ofRow, categoryId: _checkedAtOnce, ...bodyFields } = headFields
const head = z.object(bodyFields).partial()

function findTwice(declared: unknown, place: string): Finding[] {
  const names = listIn(declared).map((one) => (isObject(one) ? String(one['name']) : ''))
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [finding(`$.${place}[${index}].name`, 'An earlier one has this name.')] : [],
  )
}

/** What a variable begins with. */
function findVariableProblems(declared: unknown): Finding[] {
  return listIn(declared).flatMap((one, index) => {
    const read = variableSchema.safeParse(one)
    if (!read.success || read.data.value === undefined || read.data.value === null) return []
    const value = readTyped(read.data, read.data.value)
    return 'problem' in value ? [finding(`$.variables[${index}].value`, value.problem)] : []
  })
}

function findHeadProblems(facts: Facts, body: WorkflowBody): Finding[] {
  const { entity, roles, variables, input, maxDurationDays, concurrency } = body
  const read = readDraft(head, { entity, roles, variables, input, maxDurationDays, concurrency })
  const names = facts.catalog.entities.map((one) => one.internalName)
  const isUnknown = entity !== undefined && entity !== null && !entityOf(facts.catalog, entity)
  return [
    ...(read.isOk ? [] : read.findings),
    ...(isUnknown ? [unknownName('$.entity', 'entity', entity, names, 'list_entities', 'unknown_entity')] : []),
    ...(body.categoryId === undefined ||
    body.categoryId === null ||
    facts.references.categories.some((one) => one.categoryId === body.categoryId)
      ? []
      : [finding('$.categoryId', `There is no category ${body.categoryId}. list_categories shows them.`)]),
    ...findTwice(variables, 'variables'),
    ...findTwice(input, 'input'),
    ...findVariableProblems(variables),
  ]
}

/** A config held against its type. */
function findConfigProblems(facts: Facts, type: StepType, config: Said, at: Place): Finding[] {
  const path = pathText(at)
  const read = readDraft(type.config, config, path)
  if (!read.isOk) return [...read.findings]
  const { trigger } = config
  return [
    ...(type.check?.(config) ?? []).map(({ field, message, suggestion }) =>
      finding(field === '' ? path : `${path}.${field}`, message, { suggestion }),
    ),
    ...(type.names['trigger'] === 'trigger' && isObject(trigger) ? findTriggerConfigProblems(facts, trigger, [...at, 'trigger']) : []),
  ]
}

function unknownType(name: unknown, at: Place): Finding {
  const names = stepTypes.map(({ internalName }) => internalName)
  return unknownName(pathText([...at, 'stepType']), 'step type', name, names, 'get_schema')
}

function findShapeProblems(facts: Facts, { said, at, type, config }: PlacedStep): Finding[] {
  const { stepId: _id, actions, branches, ...rest } = said
  // The ids are ours.
  const without = (list: unknown, id: string) =>
    Array.isArray(list)
      ? list.map((one: unknown) => (isObject(one) ? Object.fromEntries(Object.entries(one).filter(([key]) => key !== id)) : one))
      : list
  const plain = {
    ...rest,
    ...(actions === undefined ? {} : { actions: without(actions, 'actionId') }),
    ...(branches === undefined ? {} : { branches: without(branches, 'branchId') }),
  }
  const read = readDraft(stepSchema, plain, pathText(at))
  const { compensate } = said
  const undoing = isObject(compensate) ? findStepType(compensate['stepType']) : undefined
  const undone = isObject(compensate) && isObject(compensate['config']) ? compensate['config'] : {}
  const compensateAt = [...at, 'compensate']
  const ofCompensation = !isObject(compensate)
    ? []
    : !undoing
      ? [unknownType(compensate['stepType'], compensateAt)]
      : undoing.kind === 'act'
        ? findConfigProblems(facts, undoing, undone, [...compensateAt, 'config'])
        : [
            finding(
              pathText([...compensateAt, 'stepType']),
              `${undoing.internalName} undoes nothing at once. Use a step that acts, such as saveRecord.`,
            ),
          ]
  const isMuted = type && type.actions === undefined && actions !== undefined
  return [
    ...(read.isOk ? [] : read.findings),
    ...(type ? findConfigProblems(facts, type, config, [...at, 'config']) : [unknownType(said['stepType'] ?? said['stepTypeId'], at)]),
    ...ofCompensation,
    ...(isMuted ? [finding(pathText([...at, 'actions']), `People act on form and approval, not on ${type.internalName}.`)] : []),
  ]
}

/** Of the step and of its actions, where they have the form of displays. */
function findDisplayProblems(facts: Facts, { said, at }: PlacedStep): Finding[] {
  const named = [said, ...listIn(said['actions'])].map((one, index) => ({ one, place: index === 0 ? at : [...at, 'actions', index - 1] }))
  return named.flatMap(({ one, place }) => {
    const read = isObject(one) && one['displays'] !== undefined ? displayInputs.safeParse(one['displays']) : undefined
    return read?.success === true ? [...readDisplays(read.data, facts.references, pathText([...place, 'displays'])).findings] : []
  })
}

/** Where a step goes on that nothing leads elsewhere. */
function goesOnTo({ said, at, list }: PlacedStep): string {
  const behind = list.steps[Number(at.at(-1)) + 1]
  const target = said['next'] ?? (isObject(behind) ? behind['internalName'] : undefined) ?? end
  return typeof target === 'string' ? target : JSON.stringify(target)
}

/** Actions that go on like another one, where nothing later asks which it was. */
function findUnasked(step: PlacedStep, text: string): Finding[] {
  const { said, at, type } = step
  const actions = type?.actions === undefined ? [] : actionsOf(step)
  const isAsked = listIn(said['branches']).length > 0 || text.includes(`$steps.${String(said['internalName'])}.action`)
  if (isAsked || actions.every(({ goTo }) => goTo !== undefined)) return []
  const next = goesOnTo(step)
  const alike = actions.filter(({ goTo = next }) => goTo === next).map(({ name }) => name)
  if (alike.length < 2) return []
  const message = `${alike.join(' and ')} of ${String(said['internalName'])} go on alike: nothing asks which it was. Give an action a goTo, or a branch.`
  return [finding(pathText(at), message, { severity: 'warning' })]
}

function findNeverOverdue({ said, at }: PlacedStep): Finding[] {
  if (said['onOverdue'] === undefined || said['dueIn'] !== undefined) return []
  return [finding(pathText([...at, 'onOverdue']), 'Without dueIn the step is never overdue. Say by when: P1D.', { severity: 'warning' })]
}

/** Everything of a step that may hold tokens, without the steps in it, which stand for themselves. */
function findTokenProblems({ said, at, type, config }: PlacedStep, roots: Shapes): Finding[] {
  const { steps, lanes, ...plain } = config
  const own =
    type?.kind === 'loop' || type?.kind === 'lanes'
      ? plain
      : { ...plain, ...(steps === undefined ? {} : { steps }), ...(lanes === undefined ? {} : { lanes }) }
  const { assignee, onOverdue, compensate, actions } = said
  // Filters are read as conditions beside this.
  return [...checkTokens({ config: own, assignee, onOverdue, compensate, actions }, roots, pathText(at))]
}

function* findStepProblems(
  facts: Facts,
  body: WorkflowBody,
  scope: Scope,
  step: PlacedStep,
  names: readonly string[],
  text: string,
): Generator<void, Finding[]> {
  const { said, at, list } = step
  const roots = rootsIn(scope, list)
  const findings = [...findShapeProblems(facts, step)]
  yield
  const condition = (filter: unknown, place: Place) =>
    filter === undefined ? [] : findConditionProblems(scope, roots, scope.own, filter, pathText(place))
  findings.push(...condition(said['when'], [...at, 'when']), ...findWaitFilterProblems(scope, step))
  for (const [index, branch] of listIn(said['branches']).entries()) {
    if (isObject(branch)) findings.push(...condition(branch['when'], [...at, 'branches', index, 'when']))
    yield
  }
  for (const naming of namingsOfStep(step)) {
    findings.push(...findNamingProblems({ facts, body, scope, roots }, naming))
    yield
  }
  findings.push(
    ...findDisplayProblems(facts, step),
    ...findTokenProblems(step, roots),
    ...findNotByProblems(said, at, names),
    ...findUnasked(step, text),
    ...findNeverOverdue(step),
  )
  return findings
}

function findNameProblems(steps: readonly PlacedStep[]): Finding[] {
  const isIn = (names: Set<string>, name: unknown) => {
    const lower = String(name).toLowerCase()
    return names.has(lower) || !names.add(lower)
  }
  const seen = new Set<string>()
  const isTaken = (name: unknown) => isIn(seen, name)
  return steps.flatMap(({ said, at, type, config }) => {
    // Those past the bound are refused for that.
    const actions = listIn(said['actions']).slice(0, maxActions)
    const ofStep = new Set<string>()
    const lanes = type?.kind === 'lanes' ? listIn(config['lanes']) : []
    return [
      ...(isTaken(said['internalName'])
        ? [finding(pathText([...at, 'internalName']), 'Another step or lane of the definition has this name.')]
        : []),
      ...actions.flatMap((action, index) =>
        isObject(action) && isIn(ofStep, action['internalName'])
          ? [finding(pathText([...at, 'actions', index, 'internalName']), 'Another action of the step has this name.')]
          : [],
      ),
      ...lanes.flatMap((lane, index) =>
        isObject(lane) && isTaken(lane['internalName'])
          ? [finding(pathText([...at, 'config', 'lanes', index, 'internalName']), 'Another step or lane of the definition has this name.')]
          : [],
      ),
    ]
  })
}

/** All findings of a definition; yields wherever others may have their turn. */
export function* checkWorkflow(facts: Facts, body: WorkflowBody): Generator<void, Finding[]> {
  const scope = scopeOf(facts.catalog, body)
  const steps = [...allSteps(body)]
  const findings = [...findHeadProblems(facts, body)]
  if (body.steps.length === 0) findings.push(finding('$.steps', 'A workflow has at least one step. create_workflow_step adds one.'))
  if (steps.length > maxStepsInAll)
    findings.push(finding('$.steps', `At most ${maxStepsInAll} steps, those in lanes and loops among them, got ${steps.length}.`))
  for (const list of listsOf(topOf(body))) {
    if (list.steps.length > maxSteps) findings.push(finding(pathText(list.at), `At most ${maxSteps} steps, got ${list.steps.length}.`))
    if (list.depth > maxDepth) findings.push(finding(pathText(list.at), `Lanes and loops nest at most ${maxDepth} deep.`))
    findings.push(...findTargetProblems(list))
    yield
  }
  const names = steps.slice(0, maxStepsInAll).map(({ said }) => String(said['internalName']))
  let warnings = 0
  // Once for all steps: which of them anything asks about.
  const text = JSON.stringify(body)
  for (const step of steps.slice(0, maxStepsInAll)) {
    const found = yield* findStepProblems(facts, body, scope, step, names, text)
    // However much is warned of, what is wrong behind it is found.
    findings.push(...found.filter(({ severity }) => severity === 'error' || ++warnings <= maxFindings))
    if (findings.length - Math.min(warnings, maxFindings) > maxFindings) return withoutDoubles(findings)
  }
  findings.push(...findNameProblems(steps), ...findTriggerProblems(facts, scope, body))
  yield
  findings.push(...findLackingRoles(facts, body), ...findBlindEntities(facts, body))
  return withoutDoubles(findings)
}

/** What two checks found alike is told once. */
function withoutDoubles(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((one) => [`${one.path} ${one.message}`, one])).values()]
}
