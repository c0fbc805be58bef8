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

function free(base: string, isTaken: (name: string) => boolean): string {
  let name = base
  for (let n = 2; isTaken(name); n++) name = `${base.slice(0, longest - 4)}_${n}`
  return name
}

/** Gives each thing a name that nothing else has, in the order in which they ask. */
export function namer(tenant: Tenant) {
  const entities = new Set(tenant.entities)
  const properties = new Set([...tenant.properties, ...systemFields.map((field) => field.toLowerCase()), ...reservedNames.property])
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
