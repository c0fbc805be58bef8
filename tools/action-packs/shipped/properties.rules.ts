/** The properties that settings of a shipped pack name: whether the entity has them, and of the kind that the pack works with. */
import { quoted } from '#platform/suggest.ts'
import { type Finding, finding } from '#platform/validation.ts'
import { type CatalogEntity, propertyIndex } from '#tools/entities/catalog.types.ts'
import type { DataType } from '#tools/properties/properties.schema.ts'
import { checkValue } from '#tools/properties/service.ts'
import { unknownProperty } from '#tools/query/service.ts'

import type { NamedProperty } from './shipped.types.ts'

/** How the values of a type are written in JSON, where that is no text. */
const jsonOf: Readonly<Partial<Record<DataType, 'number' | 'boolean'>>> = { Number: 'number', Currency: 'number', Boolean: 'boolean' }

const mostNamed = 20

// Whether it holds is found out when it is saved: a text may take long.
const anyPattern = { matches: () => true } as const

const hasToken = (value: unknown) => typeof value === 'string' && value.includes('[[')

/** What may be written and would be refused each time. */
function findRefused(property: CatalogEntity['properties'][number], { written = [] }: NamedProperty): Finding[] {
  return written.flatMap(({ at, value }) => {
    const checked = hasToken(value) ? undefined : checkValue(property, value, anyPattern)
    if (!checked || !('problem' in checked)) return []
    const { problem, suggestion } = checked
    return [finding(`$.settings.${at}`, `${property.internalName} does not take it. ${problem}`, { suggestion })]
  })
}

function findUnfit(entity: CatalogEntity, named: NamedProperty): Finding[] {
  const { at, name, types, value } = named
  const path = `$.settings.${at}`
  const { properties, internalName } = entity
  const fitting = properties.filter(({ dataType }) => types?.includes(dataType) ?? true).map((one) => one.internalName)
  const property = propertyIndex(properties).get(String(name).toLowerCase())
  if (!property) return [unknownProperty(internalName, name, fitting, path)]
  const { dataType } = property
  if (types && !types.includes(dataType)) {
    const has =
      fitting.length === 0
        ? `${internalName} has none: attach_property adds one.`
        : `Name one of ${fitting.slice(0, mostNamed).join(', ')}.`
    return [finding(path, `${property.internalName} is a ${dataType}, and a ${types.join(' or ')} is needed. ${has}`)]
  }
  const refused = findRefused(property, named)
  if (value === undefined) return refused
  const json = jsonOf[dataType] ?? 'string'
  const isWrong = [value].flat().some((one) => typeof one !== json)
  const article = json === 'string' ? 'a text' : json === 'number' ? 'a number' : 'true or false'
  return isWrong
    ? [finding(path, `${property.internalName} is a ${dataType}: give its value as ${article}, not as ${quoted(value)}.`)]
    : refused
}

/** What is wrong with them, and with what is written to them. */
export function findPropertyProblems(entity: CatalogEntity, named: readonly NamedProperty[]): Finding[] {
  return named.flatMap((one) => (one.name === undefined ? [] : findUnfit(entity, one)))
}
