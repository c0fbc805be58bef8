/** Where steps lead: targets that are absent, steps that nothing reaches, loops in which nobody waits. */
import { pathText } from '#platform/issues.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { type Finding, finding } from '#platform/validation.ts'

import { isObject, listIn, type Place } from './definition.types.ts'
import { end } from './grammar.schema.ts'
import { type PlacedStep, type StepList, stepsOf } from './walking.rules.ts'

interface Way {
  readonly target: unknown
  readonly at: Place
}

const goToIn = (said: unknown, at: Place): Way[] =>
  isObject(said) && said['goTo'] !== undefined ? [{ target: said['goTo'], at: [...at, 'goTo'] }] : []

/** The actions that a person may take: its own, else those of its type. */
export function actionsOf({ said, type }: PlacedStep): readonly { readonly name: string; readonly goTo: unknown }[] {
  const own = listIn(said['actions']).filter(isObject)
  if (own.length > 0) return own.map((one) => ({ name: String(one['internalName']), goTo: one['goTo'] }))
  return (type?.actions ?? []).map((name) => ({ name, goTo: undefined }))
}

/** Whether the step may go on to `next`, or to the step that follows. */
export function fallsThrough(step: PlacedStep): boolean {
  if (step.type?.kind === 'end') return false
  const actions = step.type?.actions === undefined ? [] : actionsOf(step)
  return actions.length === 0 || actions.some(({ goTo }) => goTo === undefined)
}

/** Every target that a step says. */
export function waysOf({ said, at, type, config }: PlacedStep): Way[] {
  const ofList = (name: string) => listIn(said[name]).flatMap((one, index) => goToIn(one, [...at, name, index]))
  const timeout = type?.names['onTimeout'] === 'step' ? config['onTimeout'] : undefined
  return [
    ...(said['next'] === undefined ? [] : [{ target: said['next'], at: [...at, 'next'] }]),
    ...ofList('actions'),
    ...ofList('branches'),
    ...goToIn(said['onError'], [...at, 'onError']),
    ...goToIn(said['onOverdue'], [...at, 'onOverdue']),
    ...(timeout === undefined ? [] : [{ target: timeout, at: [...at, 'config', 'onTimeout'] }]),
  ]
}

/** What is wrong with the ways of one list. */
export function findTargetProblems(list: StepList): Finding[] {
  const steps = stepsOf(list)
  const names = steps.map(({ said }) => String(said['internalName']))
  const indexOf = new Map(names.map((name, index) => [name, index]))
  const findings: Finding[] = []
  const leadsTo = steps.map((step, index) => {
    const ways = waysOf(step)
    const next = step.said['next'] === undefined && fallsThrough(step) && index + 1 < steps.length ? [index + 1] : []
    const isNextReached = fallsThrough(step)
    return [
      ...next,
      ...ways.flatMap(({ target, at }) => {
        if (typeof target !== 'string' || target === end) return []
        const found = indexOf.get(target)
        if (found !== undefined) return at.at(-1) === 'next' && !isNextReached ? [] : [found]
        const near = nearest(target, [...names, end])
        const where = list.depth === 0 ? 'There is no step' : 'This list has no step'
        findings.push(
          finding(pathText(at), `${where} ${quoted(target)}. A step leads within its own list, or to "end".`, { suggestion: near }),
        )
        return []
      }),
    ]
  })
  // From a definition that leads nowhere known, more would be guessed than found.
  if (findings.length > 0) return findings
  return [...findUnreached(steps, names, leadsTo), ...findWaitless(steps, names, leadsTo)]
}

function findUnreached(steps: readonly PlacedStep[], names: readonly string[], leadsTo: readonly (readonly number[])[]): Finding[] {
  const reached = new Set<number>()
  const waiting = steps.length > 0 ? [0] : []
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (reached.has(at)) continue
    reached.add(at)
    waiting.push(...(leadsTo[at] ?? []))
  }
  return steps.flatMap(({ at }, index) =>
    reached.has(index) ? [] : [finding(pathText(at), `Nothing leads to the step ${names[index]}. Lead a step to it, or delete it.`)],
  )
}

/** A way round on which no step waits would go on until the budget of the run ends it. */
function findWaitless(steps: readonly PlacedStep[], names: readonly string[], leadsTo: readonly (readonly number[])[]): Finding[] {
  const isWait = (index: number) => steps[index]?.type?.kind === 'wait'
  // 1: on the way that is being walked; 2: done.
  const marks = new Map<number, 1 | 2>()
  const findings: Finding[] = []
  const walk = (from: number) => {
    const path: { at: number; left: number[] }[] = [{ at: from, left: [...(leadsTo[from] ?? [])] }]
    marks.set(from, 1)
    for (let here = path.at(-1); here; here = path.at(-1)) {
      const next = here.left.pop()
      if (next === undefined) {
        marks.set(here.at, 2)
        path.pop()
      } else if (marks.get(next) === 1 && findings.length === 0) {
        const round = path.slice(path.findIndex(({ at }) => at === next)).map(({ at }) => names[at])
        const step = steps[here.at]
        const message = `${[...round, names[next]].join(' → ')} goes round without a wait. Put a wait, a question or a task into it, or use forEach.`
        if (step) findings.push(finding(pathText(step.at), message))
      } else if (!isWait(next) && !marks.has(next)) {
        marks.set(next, 1)
        path.push({ at: next, left: [...(leadsTo[next] ?? [])] })
      }
    }
  }
  for (const index of steps.keys()) if (!isWait(index) && !marks.has(index)) walk(index)
  return findings
}
