/** What of a run no log shows: values of sensitive properties, and whatever a definition makes of them. */
import { isGiven } from '#platform/tokens/resolve-json.ts'

import type { Said } from './runs.types.ts'
import { isObject, listIn, sealedMark, stepsIn } from './steps.rules.ts'

const mask = '•••'

export interface Masks {
  /** Of sensitive properties, and of variables that one of them goes into. */
  readonly names: ReadonlySet<string>
  readonly isNamed: (text: string) => boolean
  /** What the steps say in the definition, by their names. */
  readonly configs: ReadonlyMap<string, Said>
}

/** Whether a token of the text has one of the names as a part. */
function namesIn(names: ReadonlySet<string>): (text: string) => boolean {
  if (names.size === 0) return () => false
  return (text) =>
    [...text.matchAll(/\[\[([^\]]{1,2000})\]\]/g)].some(([, token = '']) => token.split(/[^A-Za-z0-9_]+/).some((part) => names.has(part)))
}

/** Whether some text in a value of a definition names one of them. */
function mentions(value: unknown, isNamed: Masks['isNamed']): boolean {
  if (typeof value === 'string') return isNamed(value)
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => mentions(one, isNamed))
}

/** What each variable may be given anywhere in the definition. */
function assignmentsIn(steps: readonly unknown[]): (readonly [variable: string, value: unknown])[] {
  return [...stepsIn(steps)].flatMap(({ said, stepType, config }) => {
    const sets = [
      stepType === 'set' ? config['values'] : undefined,
      ...listIn(said['actions']).map((one) => (isObject(one) ? one['set'] : undefined)),
    ]
    return sets.flatMap((set) => (isObject(set) ? Object.entries(set) : []))
  })
}

export function masksOf(sensitive: ReadonlySet<string>, steps: readonly unknown[]): Masks {
  const configs = new Map([...stepsIn(steps)].map(({ name, config }) => [name, config]))
  if (sensitive.size === 0) return { names: sensitive, isNamed: () => false, configs }
  const names = new Set(sensitive)
  // Lines of a report hold the values of its columns without their names.
  if ([...configs.values()].some(({ asText }) => asText !== undefined)) names.add('text')
  const assigned = assignmentsIn(steps)
  // What holds it may go into others; each round finds one more at least.
  for (let known = -1; known < names.size;) {
    known = names.size
    const isNamed = namesIn(names)
    for (const [variable, value] of assigned) if (!names.has(variable) && mentions(value, isNamed)) names.add(variable)
  }
  return { names, isNamed: namesIn(names), configs }
}

/** The value with what stands under these names masked, and sealed settings. */
export function masked(value: unknown, { names }: Pick<Masks, 'names'>): unknown {
  const visit = (one: unknown): unknown => {
    if (typeof one === 'string') return one.includes('⟦sealed:') ? one.replaceAll(sealedMark, mask) : one
    if (typeof one !== 'object' || one === null) return one
    if (Array.isArray(one)) return one.map(visit)
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, names.has(name) && part !== null ? mask : visit(part)]))
  }
  return visit(value)
}

/** What a step was carried out with, without what its definition makes of sensitive values. */
export function maskedInput(value: unknown, step: string | null, masks: Masks): unknown {
  const said = step === null || masks.names.size === 0 ? undefined : masks.configs.get(step)
  if (said === undefined) return masked(value, masks)
  const visit = (one: unknown, from: unknown): unknown => {
    if (isObject(from) && isGiven(from)) return visit(one, from.$given)
    if (typeof from === 'string' || (isObject(from) && '$expr' in from)) return mentions(from, masks.isNamed) ? mask : one
    if (typeof one !== 'object' || one === null) return one
    const inside = (key: string | number): unknown => (typeof from === 'object' && from !== null ? (from as Said)[key] : undefined)
    if (Array.isArray(one)) return one.map((part: unknown, index) => visit(part, inside(index)))
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, visit(part, inside(name))]))
  }
  return masked(visit(value, said), masks)
}
