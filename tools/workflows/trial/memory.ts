/** What a trial holds: what its steps brought, its variables and the items of its loops. */
import type { Roots } from '../runs/scope.ts'
import type { RunRow, Said } from '../runs/runs.types.ts'
import { type FoundStep, isObject, stepsIn } from '../runs/steps.rules.ts'
import { bytesOf, refuseTooMuch } from '../values/bounds.rules.ts'

interface Brought {
  readonly step: string
  readonly iteration: readonly number[]
  readonly no: number
  readonly result: unknown
}

export interface Memory {
  readonly variables: Said
  keep(step: FoundStep, iteration: readonly number[], no: number, result: unknown): void
  setVariables(step: FoundStep, set: Said): void
  setItems(step: string, iteration: readonly number[], items: readonly unknown[]): void
  /** As tokens of a step at that iteration find it. */
  rootsOf(known: Roots, loop: string | undefined, iteration: readonly number[]): Roots
  /** Of each iteration of a loop what its last step brought. */
  iterations(loop: FoundStep, iteration: readonly number[], after: number, count: number): unknown[]
}

const narrow = 'Read fewer rows or properties, or pass on ids.'
const placeOf = (step: string, iteration: readonly number[]) => `${step} ${iteration.join()}`
const startsWith = (whole: readonly number[], start: readonly number[]) => start.every((index, at) => whole[at] === index)
/** The result of an iteration is kept up to this, as in a run. */
const iterationBytes = 1_024

export function newMemory(variables: RunRow['variables']): Memory {
  const brought: Brought[] = []
  const items = new Map<string, readonly unknown[]>()
  let now: Said = variables
  let bytes = 0
  const count = (value: unknown, what: string) => {
    bytes += bytesOf(value, what, narrow)
    refuseTooMuch(bytes)
  }
  return {
    get variables() {
      return now
    },
    keep({ name }, iteration, no, result) {
      count(result, `The result of ${name}`)
      brought.push({ step: name, iteration, no, result: result ?? null })
    },
    setVariables({ name }, set) {
      for (const [variable, value] of Object.entries(set)) count(value, `The variable ${variable} of ${name}`)
      now = { ...now, ...set }
    },
    setItems(step, iteration, all) {
      count(all, `What ${step} goes over`)
      items.set(placeOf(step, iteration), all)
    },
    rootsOf(known, loop, iteration) {
      const seen = brought.filter((one) => startsWith(iteration, one.iteration))
      const results = [...new Map(seen.map((one) => [one.step, one])).values()]
      const index = iteration.at(-1)
      if (loop === undefined || index === undefined) return { ...known, results, item: {} }
      const $item = items.get(placeOf(loop, iteration.slice(0, -1)))?.[index] ?? null
      return { ...known, results, item: { $item, $index: index } }
    },
    iterations({ config }, iteration, after, total) {
      const inside = new Set([...stepsIn(Array.isArray(config['steps']) ? config['steps'] : [])].map(({ name }) => name))
      const ended = brought.filter(
        (one) =>
          one.no > after && inside.has(one.step) && one.iteration.length === iteration.length + 1 && startsWith(one.iteration, iteration),
      )
      const last = new Map(ended.map((one) => [one.iteration.at(-1), one.result]))
      return Array.from({ length: total }, (_, index) => {
        const result = last.get(index) ?? null
        return isObject(result) && JSON.stringify(result).length > iterationBytes ? null : result
      })
    },
  }
}
