/** What a list may be filtered by: the properties of the kind, the fields that every record has, and the properties of related kinds. */
import { texts } from '../texts/index.ts'
import { relatedIn } from './filter.rules.ts'
import type { Field } from './filters.tsx'
import { type Kind, kindOf, relationsOf } from './kinds.ts'
import type { ListState } from './list-state.rules.ts'

const words = texts.records
/** Kinds that are offered; rules of a link may speak of others. */
const mostRelated = 12

const systemFields: readonly Field[] = [
  { name: 'externalKey', label: words.key, type: 'Text' },
  { name: 'modifiedDate', label: words.modified, type: 'DateTime' },
  { name: 'createdDate', label: words.created, type: 'DateTime' },
]

export const ownFields = (kind: Kind): readonly Field[] => [...kind.properties, ...systemFields]

/** With those of related kinds, which cost a call each. A kind that is related to itself is filtered by its own. */
async function allFields(kind: Kind): Promise<readonly Field[]> {
  const { parents, children, peers } = await relationsOf(kind.entity)
  const names = new Set([...parents, ...children, ...peers].map(({ entity }) => entity).filter((entity) => entity !== kind.entity))
  const related = await Promise.all([...names].slice(0, mostRelated).map(kindOf))
  const theirs = related.flatMap(({ entity, label, properties }) =>
    properties.map((property) => ({ ...property, name: `${entity}.${property.name}`, label: `${label}: ${property.label}` })),
  )
  return [...ownFields(kind), ...theirs]
}

/** Those that a page needs: of related kinds where somebody filters, or a link already does. */
export async function fieldsFor(kind: Kind, { filter }: ListState, isFiltering: boolean): Promise<readonly Field[]> {
  return isFiltering || relatedIn(filter).length > 0 ? allFields(kind) : ownFields(kind)
}
