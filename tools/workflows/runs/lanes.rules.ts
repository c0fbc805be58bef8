/** What a parallel step leaves behind. */
import { isObject, listIn, stepsIn } from './steps.rules.ts'

/** Each lane by the result of its last step, of what all steps brought. */
export function resultsOfLanes(lanes: unknown, results: unknown): Record<string, unknown> {
  return Object.fromEntries(
    listIn(lanes)
      .filter(isObject)
      .map((lane) => {
        const names = [...stepsIn(listIn(lane['steps']))].map(({ name }) => name)
        const last = names.findLast((name) => isObject(results) && (results[name] ?? null) !== null)
        return [String(lane['internalName']), last !== undefined && isObject(results) ? results[last] : null]
      }),
  )
}
