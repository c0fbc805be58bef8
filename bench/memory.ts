/** Resident memory by what holds it. */
import { commandOf, familyOf, memoryOf } from './processes.ts'

/** Megabytes. */
export interface Memory {
  readonly server: number
  readonly postgres: number
  readonly temporal: number
  /** Children that read files, where they are running. */
  readonly others: number
}

/** Memory of a whole product by its server's process. */
export function memoryOfProduct(pid: number): Memory {
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
  const of = (part: keyof Memory) => memoryOf(families.get(part) ?? [])
  return { server: of('server'), postgres: of('postgres'), temporal: of('temporal'), others: of('others') }
}
