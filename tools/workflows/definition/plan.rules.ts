/** The skeleton of a sound definition, as runs go through it. */
import type { Plan, PlanStep } from '#platform/flow/plan.types.ts'

import { isObject, type Said, type WorkflowBody } from './definition.types.ts'
import { listsWithin, stepsOf, type StepList, topOf } from './walking.rules.ts'

function onErrorOf({ onError }: Said): PlanStep['onError'] {
  if (onError === 'continue') return onError
  return isObject(onError) && typeof onError['goTo'] === 'string' ? { goTo: onError['goTo'] } : undefined
}

function planList(list: StepList): PlanStep[] {
  return stepsOf(list).map((step): PlanStep => {
    const { said, type, config } = step
    const { next } = said
    const onError = onErrorOf(said)
    const inner = listsWithin(step)
    const lanes = Array.isArray(config['lanes']) ? config['lanes'] : []
    return {
      name: String(said['internalName']),
      ...(typeof next === 'string' ? { next } : {}),
      ...(type?.isQuick ? { isQuick: true as const } : {}),
      ...(onError === undefined ? {} : { onError }),
      ...(type?.kind === 'lanes'
        ? {
            lanes: inner.map((lane, index) => ({
              name: String((lanes[index] as Said | undefined)?.['internalName']),
              steps: planList(lane),
            })),
            join: config['join'] === 'any' ? ('any' as const) : ('all' as const),
          }
        : {}),
      ...(type?.kind === 'loop'
        ? {
            body: inner.flatMap(planList),
            ...(typeof config['maxParallel'] === 'number' ? { maxParallel: config['maxParallel'] } : {}),
          }
        : {}),
    }
  })
}

/** The plan of a definition that checking found nothing wrong with. */
export function planOf(body: Pick<WorkflowBody, 'steps'>): Plan {
  return { steps: planList(topOf(body)) }
}
