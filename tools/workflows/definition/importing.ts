/** Whole definitions: read from a call, and written out again. */
import { isObject, listIn, type Said, type WorkflowBody } from './definition.types.ts'
import { identified, type NextId, typeNamed } from './editing.rules.ts'

/** In the order of their positions; those that say none stand where they were written. */
export function inOrder<S extends Said>(steps: readonly S[]): readonly S[] {
  const placeOf = ({ step, index }: { step: S; index: number }) => (typeof step['position'] === 'number' ? step['position'] : index + 1)
  const placed = steps.map((step, index) => ({ step, index }))
  return placed.toSorted((a, b) => placeOf(a) - placeOf(b) || a.index - b.index).map(({ step }) => step)
}

/** The types of all steps by their names, those in lanes and loops too. */
function namedWithin(value: unknown, isSteps: boolean): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => namedWithin(one, isSteps))
  if (!isObject(value)) return value
  const named = isSteps ? typeNamed(value) : value
  return Object.fromEntries(
    Object.entries(named).map(([key, one]) => [key, ['steps', 'lanes', 'config'].includes(key) ? namedWithin(one, key === 'steps') : one]),
  )
}

/** Steps whose types are said by name, wherever they stand. */
export function withTypesNamed(steps: readonly Said[]): readonly Said[] {
  return namedWithin(steps, true) as readonly Said[]
}

/** Triggers with ids: those of before where one has the same name, or stands in the same place with the same type. */
export function identifiedTriggers(said: readonly Said[], next: NextId, before: readonly Said[] = []): Said[] {
  return said.map(({ triggerId: _theirs, ...one }, index) => {
    const name = String(one['internalName']).toLowerCase()
    const byName = one['internalName'] === undefined ? undefined : before.find((old) => String(old['internalName']).toLowerCase() === name)
    const inPlace = before[index]
    const isSame = inPlace?.['triggerType'] === one['triggerType'] && inPlace?.['internalName'] === undefined
    const old = byName ?? (isSame ? inPlace : undefined)
    return { triggerId: typeof old?.['triggerId'] === 'number' ? old['triggerId'] : next(), ...one }
  })
}

/** A config without the secret that an owner chose, which is kept apart. */
export function withoutSecret(said: Said): Said {
  if (!isObject(said['config'])) return said
  const { secret: _secret, ...config } = said['config']
  return { ...said, config }
}

/** Steps and triggers with ids; those of `before` where a step has the same name. */
export function identifiedBody(body: WorkflowBody, next: NextId, before?: WorkflowBody): WorkflowBody {
  const known = new Map(
    listIn(before?.steps)
      .filter(isObject)
      .map((step) => [step['internalName'], step]),
  )
  const named = withTypesNamed(body.steps)
  return {
    ...body,
    steps: inOrder(named).map((step) => identified(step, next, known.get(step['internalName']))),
    triggers: identifiedTriggers(body.triggers.map(withoutSecret), next, before?.triggers),
  }
}

const without = (said: unknown, id: string): unknown =>
  isObject(said) ? Object.fromEntries(Object.entries(said).filter(([key]) => key !== id)) : said

/** As import takes it: without ids, which belong to this tenant. */
export function exported({ internalName, description }: { internalName: string; description: string }, body: WorkflowBody) {
  const { displays, steps, triggers, ...head } = body
  const parts = (step: Said, name: 'actions' | 'branches', id: string) =>
    step[name] === undefined ? {} : { [name]: listIn(step[name]).map((one) => without(one, id)) }
  return {
    internalName,
    displays: displays.map(({ languageCode, name, description: text }) => ({
      languageCode,
      name,
      ...(text === '' ? {} : { description: text }),
    })),
    ...(description === '' ? {} : { description }),
    ...head,
    steps: steps.map(({ stepId: _id, ...step }) => ({
      ...step,
      ...parts(step, 'actions', 'actionId'),
      ...parts(step, 'branches', 'branchId'),
    })),
    triggers: triggers.map((one) => without(one, 'triggerId') as Said),
  }
}

/** A body as a new workflow has it, for a copy. */
export function copied(body: WorkflowBody, next: NextId): WorkflowBody {
  const { displays: _displays, internalName: _name, description: _text, ...plain } = exported({ internalName: '', description: '' }, body)
  return identifiedBody({ ...plain, displays: body.displays }, next)
}
