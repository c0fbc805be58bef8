/** Changes of a draft, piece by piece. Ids are given by the caller; nothing here is checked against the tenant. */
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { quoted } from '#platform/suggest.ts'
import { unknownName } from '#platform/validation.ts'

import { findStepType, stepTypes } from '../step-types/registry.rules.ts'
import { isObject, listIn, type Said, type WorkflowBody } from './definition.types.ts'
import { maxActions, maxBranches, maxSteps } from './grammar.schema.ts'
import { allSteps } from './walking.rules.ts'

/** Gives the next id of those that were taken. */
export type NextId = () => number

type Change<T = unknown> = { readonly body: WorkflowBody; readonly result: T }

function noSuch(what: string, id: unknown): AppError {
  return new AppError('not_found', `The workflow has no ${what} ${quoted(id)}. get_workflow shows its ${what}s.`)
}

export function mustFindStep(body: WorkflowBody, stepId: number): { readonly step: Said; readonly index: number } {
  const index = body.steps.findIndex((one) => one['stepId'] === stepId)
  const step = body.steps[index]
  if (!step) throw noSuch('step', stepId)
  return { step, index }
}

/** Where a position is kept, it tells the order; what is moved gets another. */
function inOrder(body: WorkflowBody, steps: readonly Said[]): WorkflowBody {
  return { ...body, steps: steps.map((step, index) => (step['position'] === undefined ? step : { ...step, position: index + 1 })) }
}

/** The name of a step's type, whichever way it was said. */
export function typeNamed(said: Said): Said {
  const { stepTypeId, stepType } = said
  if (stepTypeId === undefined) return said
  const type = stepTypes.find((one) => one.stepTypeId === stepTypeId)
  const { stepTypeId: _said, ...rest } = said
  if (!type) return said
  if (stepType !== undefined && stepType !== type.internalName) return said
  return { ...rest, stepType: type.internalName }
}

/** Throws 400 where no type of step is meant. */
export function mustNameType(said: Said): Said {
  const named = typeNamed(said)
  const names = stepTypes.map(({ internalName }) => internalName)
  if (named['stepTypeId'] !== undefined) {
    const message = `There is no step type ${quoted(named['stepTypeId'])}, or stepType names another. get_schema shows them.`
    throw new AppError('invalid_input', message, { issues: [finding('$.stepTypeId', message)] })
  }
  if (findStepType(named['stepType'])) return named
  const issue = unknownName('$.stepType', 'step type', named['stepType'], names, 'get_schema')
  throw new AppError('invalid_input', issue.message, { issues: [issue] })
}

function refuseTakenName(body: WorkflowBody, name: unknown, except?: Said): void {
  const lower = String(name).toLowerCase()
  const isTaken = [...allSteps(body)].some(({ said }) => said !== except && String(said['internalName']).toLowerCase() === lower)
  if (!isTaken) return
  const message = `The workflow has a step ${quoted(name)} already. Names are unique over the whole definition.`
  throw new AppError('already_exists', message, { issues: [finding('$.internalName', message)] })
}

function refuseTooMany(parts: unknown, most: number, noun: string): void {
  if (Array.isArray(parts) && parts.length > most)
    throw new AppError('too_large', `A step has at most ${most} ${noun}, and this one ${parts.length}.`)
}

/** A step with ids for what stands in it, as a draft keeps it. Throws `too_large`. */
export function identified(said: Said, next: NextId, before?: Said): Said {
  const known = (list: unknown, index: number, id: 'actionId' | 'branchId', name: unknown) => {
    const old = listIn(list).filter(isObject)
    const same = id === 'actionId' ? old.find((one) => one['internalName'] === name) : old[index]
    return typeof same?.[id] === 'number' ? same[id] : next()
  }
  const { stepId: _theirs, actions, branches, ...rest } = said
  refuseTooMany(actions, maxActions, 'actions')
  refuseTooMany(branches, maxBranches, 'branches')
  const withIds = (list: unknown, id: 'actionId' | 'branchId', old: unknown) =>
    Array.isArray(list)
      ? list.map((one: unknown, index) => (isObject(one) ? { ...one, [id]: known(old, index, id, one['internalName']) } : one))
      : list
  return {
    stepId: typeof before?.['stepId'] === 'number' ? before['stepId'] : next(),
    ...rest,
    ...(actions === undefined ? {} : { actions: withIds(actions, 'actionId', before?.['actions']) }),
    ...(branches === undefined ? {} : { branches: withIds(branches, 'branchId', before?.['branches']) }),
  }
}

function insertAt(body: WorkflowBody, step: Said, index: number): WorkflowBody {
  if (body.steps.length >= maxSteps)
    throw new AppError(
      'too_large',
      `A workflow has at most ${maxSteps} steps. Put some into a lane, or into a workflow that runWorkflow calls.`,
    )
  return inOrder(body, body.steps.toSpliced(index, 0, step))
}

export function addStep(body: WorkflowBody, said: Said, next: NextId): Change<Said> {
  refuseTakenName(body, said['internalName'])
  const step = identified(said, next)
  const { position } = said
  const index = typeof position === 'number' ? Math.min(position - 1, body.steps.length) : body.steps.length
  const changed = insertAt(body, step, index)
  return { body: changed, result: changed.steps[index] ?? step }
}

const stepTokens = /(\$steps\.)([A-Za-z]\w*)/g
const targetKeys: readonly string[] = ['goTo', 'next', 'onTimeout']
/** What stands below is the owner's: `next` is a name like any other there. */
const dataKeys: readonly string[] = ['values', 'input', 'set', 'params', 'body', 'headers', 'output', 'definitionJson']

/** Targets and tokens that name a step by an old name, under its new one; with `holder`, the steps and lanes within bear the new names too. */
function renamed(value: unknown, names: ReadonlyMap<string, string>, isNamed: boolean, key = '', holder = '', isData = false): unknown {
  if (typeof value === 'string') {
    const isName = key === 'internalName' && isNamed && (holder === 'steps' || holder === 'lanes')
    if (!isData && (isName || targetKeys.includes(key) || key === 'notBy')) return names.get(value) ?? value
    return value.replaceAll(stepTokens, (_all, root: string, name: string) => `${root}${names.get(name) ?? name}`)
  }
  if (Array.isArray(value)) return value.map((one: unknown) => renamed(one, names, isNamed, key, key, isData))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, renamed(one, names, isNamed, name, holder, isData || dataKeys.includes(name))]),
  )
}

/** What is named is changed, null takes it away, and the rest stays. */
export function changeStep(body: WorkflowBody, stepId: number, change: Said, next: NextId): Change<Said> {
  const { step, index } = mustFindStep(body, stepId)
  const { position, ...fields } = change
  if (fields['internalName'] !== undefined) refuseTakenName(body, fields['internalName'], step)
  const merged = Object.fromEntries(Object.entries({ ...step, ...fields }).filter(([, value]) => value !== null))
  const changed = identified(merged, next, step)
  const [from, to] = [String(step['internalName']), String(changed['internalName'])]
  const replaced = body.steps.toSpliced(index, 1, changed)
  // Objects stay objects.
  const steps = from === to ? replaced : (renamed(replaced, new Map([[from, to]]), false) as readonly Said[])
  const placed = typeof position === 'number' ? moved(steps, index, Math.min(position, steps.length) - 1) : steps
  const after = inOrder({ ...body, steps: placed }, placed)
  return { body: after, result: mustFindStep(after, stepId).step }
}

function moved(steps: readonly Said[], from: number, to: number): readonly Said[] {
  const [step] = steps.slice(from, from + 1)
  return step ? steps.toSpliced(from, 1).toSpliced(to, 0, step) : steps
}

export function removeStep(body: WorkflowBody, stepId: number): Change<Said> {
  const { step, index } = mustFindStep(body, stepId)
  return { body: inOrder(body, body.steps.toSpliced(index, 1)), result: step }
}

/** A name that no step of the definition has. */
function freeName(taken: ReadonlySet<string>, name: string): string {
  const base = name.replace(/\d+$/, '').slice(0, 58)
  for (let n = 2; ; n++) if (!taken.has(`${base}${n}`.toLowerCase())) return `${base}${n}`
}

/** The names of a definition's steps and lanes. */
function namesOf(steps: readonly Said[]): string[] {
  return [...allSteps({ steps })].flatMap(({ said, config }) => [
    String(said['internalName']),
    ...listIn(config['lanes']).flatMap((lane) => (isObject(lane) ? [String(lane['internalName'])] : [])),
  ])
}

/** A copy behind the step, with names of its own within; it leads where the step leads. */
export function duplicateStep(body: WorkflowBody, stepId: number, next: NextId, internalName?: string): Change<Said> {
  const { step, index } = mustFindStep(body, stepId)
  if (internalName !== undefined) refuseTakenName(body, internalName)
  const taken = new Set(namesOf(body.steps).map((name) => name.toLowerCase()))
  const names = new Map<string, string>()
  for (const name of namesOf([step])) {
    const fresh = names.size === 0 && internalName !== undefined ? internalName : freeName(taken, name)
    taken.add(fresh.toLowerCase())
    names.set(name, fresh)
  }
  const [copy] = renamed([step], names, true, 'steps', 'steps') as readonly Said[]
  const named = identified(copy ?? {}, next)
  const changed = insertAt(body, named, index + 1)
  return { body: changed, result: changed.steps[index + 1] ?? named }
}

/** False where it stands at the end already. */
export function moveStep(body: WorkflowBody, stepId: number, direction: -1 | 1): Change<boolean> {
  const { index } = mustFindStep(body, stepId)
  const to = index + direction
  if (to < 0 || to >= body.steps.length) return { body, result: false }
  return { body: inOrder(body, moved(body.steps, index, to)), result: true }
}

/** Throws 400 unless exactly the steps of the workflow are named. */
export function reorderSteps(body: WorkflowBody, stepIds: readonly number[]): WorkflowBody {
  const known = new Map(body.steps.map((step): [unknown, Said] => [step['stepId'], step]))
  const steps = stepIds.flatMap((stepId): Said[] => {
    const step = known.get(stepId)
    return step ? [step] : []
  })
  const isWhole = new Set(stepIds).size === stepIds.length && steps.length === body.steps.length && steps.length === stepIds.length
  if (!isWhole) {
    const message = `Send each stepId of the workflow once: ${[...known.keys()].slice(0, 50).join(', ')}.`
    throw new AppError('invalid_input', message, { issues: [finding('$.stepIds', message)] })
  }
  return inOrder(body, steps)
}

type PartKind = 'action' | 'branch'
const listOf = { action: 'actions', branch: 'branches' } as const
const idOf = { action: 'actionId', branch: 'branchId' } as const

function withPart(body: WorkflowBody, index: number, kind: PartKind, parts: readonly Said[]): WorkflowBody {
  const step = body.steps[index] ?? {}
  const { [listOf[kind]]: _before, ...rest } = step
  const changed = parts.length === 0 ? rest : { ...rest, [listOf[kind]]: parts }
  return { ...body, steps: body.steps.toSpliced(index, 1, changed) }
}

/** Changes the part of the id, or of the name, as a whole; else adds one behind the others, or at a position. */
export function savePart(
  body: WorkflowBody,
  {
    stepId,
    kind,
    part,
    partId,
    position,
  }: { stepId: number; kind: PartKind; part: Said; partId: number | undefined; position: number | undefined },
  next: NextId,
): Change<Said> {
  const { step, index } = mustFindStep(body, stepId)
  const parts = listIn(step[listOf[kind]]).filter(isObject)
  const byId = partId === undefined ? -1 : parts.findIndex((one) => one[idOf[kind]] === partId)
  if (partId !== undefined && byId < 0) throw noSuch(kind, partId)
  const byName = kind === 'action' ? parts.findIndex((one) => one['internalName'] === part['internalName']) : -1
  if (byId >= 0 && byName >= 0 && byId !== byName)
    throw new AppError('already_exists', `The step has an action ${quoted(part['internalName'])} already.`)
  const at = byId >= 0 ? byId : byName
  const saved = { [idOf[kind]]: parts[at]?.[idOf[kind]] ?? next(), ...part }
  const kept = at >= 0 ? parts.toSpliced(at, 1) : parts
  const to = position === undefined ? (at >= 0 ? at : kept.length) : Math.min(position - 1, kept.length)
  return { body: withPart(body, index, kind, kept.toSpliced(to, 0, saved)), result: saved }
}

export function removePart(body: WorkflowBody, stepId: number, kind: PartKind, partId: number): WorkflowBody {
  const { step, index } = mustFindStep(body, stepId)
  const parts = listIn(step[listOf[kind]]).filter(isObject)
  const rest = parts.filter((one) => one[idOf[kind]] !== partId)
  if (rest.length === parts.length) throw noSuch(kind, partId)
  return withPart(body, index, kind, rest)
}
