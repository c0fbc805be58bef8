/** The steps of a definition, wherever they stand, and what they name. */
import { findStepType } from '../step-types/registry.rules.ts'
import type { NameUse, StepConfig, StepType } from '../step-type.types.ts'
import { findTriggerType } from '../trigger-types.rules.ts'
import { isObject, listIn, type Place, type Said, valueAt, type WorkflowBody } from './definition.types.ts'
import { maxDepth } from './grammar.schema.ts'

/** A list of steps: the top, a lane, or the body of a loop. */
export interface StepList {
  readonly at: Place
  readonly steps: readonly unknown[]
  /** 0 at the top. */
  readonly depth: number
  /** The loops around it, the innermost last. */
  readonly loops: readonly StepConfig[]
}

export interface PlacedStep {
  readonly said: Said
  readonly at: Place
  readonly type: StepType | undefined
  readonly config: StepConfig
  readonly list: StepList
}

/** The lists that stand in the config of a step. */
export function listsWithin({ said, at, type, config, list }: PlacedStep): StepList[] {
  const below = (steps: unknown, place: Place, loops = list.loops): StepList => ({
    at: [...at, 'config', ...place],
    steps: listIn(steps),
    depth: list.depth + 1,
    loops,
  })
  if (type?.kind === 'loop') return [below(config['steps'], ['steps'], [...list.loops, config])]
  if (type?.kind !== 'lanes' || said['config'] === undefined) return []
  return listIn(config['lanes']).flatMap((lane, index) => (isObject(lane) ? [below(lane['steps'], ['lanes', index, 'steps'])] : []))
}

export function stepsOf(list: StepList): PlacedStep[] {
  return list.steps.flatMap((said, index) => {
    if (!isObject(said)) return []
    const config = isObject(said['config']) ? said['config'] : {}
    return [{ said, at: [...list.at, index], type: findStepType(said['stepType']), config, list }]
  })
}

export function topOf(body: Pick<WorkflowBody, 'steps'>): StepList {
  return { at: ['steps'], steps: body.steps, depth: 0, loops: [] }
}

/** Every list of a definition, the top first; what nests deeper than a definition may is not looked into. */
export function* listsOf(list: StepList): Generator<StepList> {
  yield list
  if (list.depth > maxDepth) return
  for (const step of stepsOf(list)) for (const inner of listsWithin(step)) yield* listsOf(inner)
}

/** Every step of a definition. */
export function* allSteps(body: Pick<WorkflowBody, 'steps'>): Generator<PlacedStep> {
  for (const list of listsOf(topOf(body))) yield* stepsOf(list)
}

/** Something that a definition names. */
export interface Naming {
  readonly use: Exclude<NameUse, { readonly kindIn: string }>
  readonly value: unknown
  readonly at: Place
  /** The config that the names of other fields in `use` are about. */
  readonly config: StepConfig
}

/** What a config names, by what its type says. */
export function* namingsOf(names: Readonly<Record<string, NameUse>>, config: StepConfig, at: Place): Generator<Naming> {
  for (const [field, use] of Object.entries(names)) {
    const value = valueAt(config, field)
    if (value === undefined || value === null) continue
    const place = [...at, ...field.split('.')]
    if (typeof use === 'object' && 'kindIn' in use) {
      if (valueAt(config, use.kindIn) === 'workflow') yield { use: 'workflow', value, at: place, config }
      continue
    }
    if (use === 'assignee' && Array.isArray(value)) {
      for (const [index, one] of value.entries()) yield { use, value: one as unknown, at: [...place, index], config }
      continue
    }
    yield { use, value, at: place, config }
    if (use === 'trigger' && isObject(value)) yield* namingsOfTrigger(value, place)
  }
}

export function* namingsOfTrigger(said: Said, at: Place): Generator<Naming> {
  const type = findTriggerType(said['triggerType'])
  if (type && isObject(said['config'])) yield* namingsOf(type.names, said['config'], [...at, 'config'])
}

/** What a step names in its config, in its compensation and by whom it asks. */
export function* namingsOfStep({ said, at, type, config }: PlacedStep): Generator<Naming> {
  if (type) yield* namingsOf(type.names, config, [...at, 'config'])
  const { compensate, assignee, onOverdue } = said
  const undoing = isObject(compensate) ? findStepType(compensate['stepType']) : undefined
  if (undoing && isObject(compensate) && isObject(compensate['config']))
    yield* namingsOf(undoing.names, compensate['config'], [...at, 'compensate', 'config'])
  yield* namingsOf({ assignee: 'assignee' }, { assignee }, at)
  for (const [index, action] of listIn(said['actions']).entries())
    if (isObject(action)) yield* namingsOf({ set: 'variables' }, action, [...at, 'actions', index])
  if (isObject(onOverdue))
    yield* namingsOf({ assign: 'assignee', 'notify.to': 'recipient', 'notify.template': 'messageTemplate' }, onOverdue, [
      ...at,
      'onOverdue',
    ])
}

/** Everything that a definition names by a use, steps first. */
export function* allNamings(body: Pick<WorkflowBody, 'steps' | 'triggers'>): Generator<Naming> {
  for (const step of allSteps(body)) yield* namingsOfStep(step)
  for (const [index, said] of body.triggers.entries()) yield* namingsOfTrigger(said, ['triggers', index])
}
