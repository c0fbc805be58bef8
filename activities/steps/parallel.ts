import { isObject, listIn, stepsIn } from '#tools/workflows/service.ts'

import type { Perform } from './step.types.ts'

/** Its lanes are carried out by the run; afterwards each is told by the result of its last step. */
export const parallel: Perform = async ({ phase, joined, open, scope }) => {
  if (phase !== 'join') return { kind: 'lanes' }
  const results = await (await scope()).resolve('[[$steps]]')
  const lanes = listIn(open.found.config['lanes']).filter(isObject)
  const result = Object.fromEntries(
    lanes.map((lane) => {
      const names = [...stepsIn(listIn(lane['steps']))].map(({ name }) => name)
      const last = names.findLast((name) => isObject(results) && (results[name] ?? null) !== null)
      return [String(lane['internalName']), last !== undefined && isObject(results) ? results[last] : null]
    }),
  )
  return joined?.isFailed ? { kind: 'failed', code: 'unprocessable', message: 'A lane failed.', result } : { kind: 'done', result }
}
