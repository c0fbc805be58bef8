/** Names for what an XLSForm brings: its own where they are allowed and free. */
import { nameOf } from '#platform/names.ts'
import { reservedNames } from '#platform/reserved-names.ts'
import { systemFields } from '#tools/properties/operators.types.ts'

import type { Tenant } from './convert.rules.ts'

export interface DraftName {
  readonly name: string
  /** What the XLSForm says, where that is another name. */
  readonly said?: string
}

const longest = 64

function plain(said: string): string | undefined {
  return nameOf(said.replaceAll(/[.-]/g, '_').slice(0, longest))
}

/** Finds names that are free, in the order in which they are asked for. */
export function numberer(between = '_') {
  // The next number of each stem: thousands may share one.
  const numbers = new Map<string, number>()
  return (base: string, isTaken: (name: string) => boolean): string => {
    const stem = base.slice(0, longest - 6)
    let name = base
    let number = numbers.get(stem.toLowerCase()) ?? 2
    for (; isTaken(name); number++) name = `${stem}${between}${number}`
    numbers.set(stem.toLowerCase(), number)
    return name
  }
}

/** By what a list calls its choices their names here, each another; pauses after each. */
export function* namesOfChoices(choices: readonly string[]): Generator<void, Map<string, string>> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const free = numberer()
  for (const [index, said] of choices.entries()) {
    yield
    const base = nameOf(said.replaceAll(/[.-]/g, '_')) ?? nameOf(`o${said.replaceAll(/[^A-Za-z0-9]/g, '')}`) ?? `o${index + 1}`
    const name = free(base, (one) => taken.has(one.toLowerCase()))
    taken.add(name.toLowerCase())
    names.set(said, name)
  }
  return names
}

/** Gives each thing a name that nothing else has, in the order in which they ask. */
export function namer(tenant: Tenant) {
  const entities = new Set(tenant.entities)
  const properties = new Set([...tenant.properties, ...systemFields.map((field) => field.toLowerCase()), ...reservedNames.property])
  const free = numberer()
  const words: readonly string[] = [...reservedNames.form, ...reservedNames.entity]
  const told = (said: string, name: string): DraftName => (name === said ? { name } : { name, said: said.slice(0, 80) })
  return {
    /** Of the form and of its entity. */
    form(said: string): DraftName {
      const own = plain(said) ?? 'Form'
      const name = words.includes(own.toLowerCase()) ? `${own}Form` : own
      entities.add(name.toLowerCase())
      return told(said, name)
    },
    /** Of a repeat. */
    entity(said: string, form: string): string {
      const isTaken = (name: string) => entities.has(name.toLowerCase()) || words.includes(name.toLowerCase())
      const own = plain(said) ?? 'Repeat'
      const name = isTaken(own) ? free(`${form}_${own}`.slice(0, longest), isTaken) : own
      entities.add(name.toLowerCase())
      return name
    },
    property(said: string, entity: string): DraftName {
      const isTaken = (name: string) => properties.has(name.toLowerCase())
      const own = plain(said) ?? 'Question'
      const name = isTaken(own) ? free(`${entity}_${own}`.slice(0, longest), isTaken) : own
      properties.add(name.toLowerCase())
      return told(said, name)
    },
  }
}
