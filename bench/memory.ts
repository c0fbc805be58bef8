/** What a product uses, by the processes that use it. */
import { commandOf, cpuOf, familyOf, memoryOf } from './processes.ts'

/** Megabytes of memory, or milliseconds of CPU. */
export interface Memory {
  readonly server: number
  readonly postgres: number
  readonly temporal: number
  /** Children that read files, where they are running. */
  readonly others: number
}

function partsOf(pid: number, measure: (pids: readonly number[]) => number): Memory {
  const families = new Map<keyof Memory, number[]>()
  for (const member of familyOf(pid)) {
    const command = commandOf(member)
    const part =
      member === pid
        ? 'server'
        : /(^|\/)postgres[: ]/.test(command)
          ? 'postgres'
          : /temporal\S* server/.test(command)
            ? 'temporal'
            : 'others'
    families.set(part, [...(families.get(part) ?? []), member])
  }
  const of = (part: keyof Memory) => measure(families.get(part) ?? [])
  return { server: of('server'), postgres: of('postgres'), temporal: of('temporal'), others: of('others') }
}

/** Memory of a whole product by its server's process. */
export function memoryOfProduct(pid: number): Memory {
  return partsOf(pid, memoryOf)
}

/** CPU that a whole product has used so far; of the backends of PostgreSQL those that live. */
export function cpuOfProduct(pid: number): Memory {
  return partsOf(pid, (pids) => pids.reduce((sum, one) => sum + cpuOf(one), 0))
}
