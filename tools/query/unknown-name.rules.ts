/** The finding that a property or an entity is not there, said in one way everywhere. */
import { type Finding, finding } from '#platform/findings.ts'
import { nearest, quoted } from '#platform/suggest.ts'

const nearestOf = (name: unknown, known: readonly string[]) => (typeof name === 'string' ? nearest(name, known) : undefined)

/** The finding at `path`; `known` holds the names that would have been right. */
export function unknownProperty(entityName: string, name: unknown, known: readonly string[], path: string): Finding {
  const message = `${entityName} has no property ${quoted(name)}. describe_entity lists them.`
  return finding(path, message, { suggestion: nearestOf(name, known), code: 'unknown_property' })
}

export function unknownEntity(name: unknown, known: readonly string[], path: string): Finding {
  const message = `There is no entity ${quoted(name)}. list_entities shows them.`
  return finding(path, message, { suggestion: nearestOf(name, known), code: 'unknown_entity' })
}
