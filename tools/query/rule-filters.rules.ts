/** Filters of access rules: their tokens, and what stands in the tokens' places for one caller. */
import { parseTemplate, soleToken } from '#platform/tokens/template.ts'
import { type Finding, finding } from '#platform/validation.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { systemFields } from '#tools/properties/operators.types.ts'
import type { Scalar } from '#tools/properties/service.ts'

/** What `$user` has of its own. */
export const userFields = ['tenantUserId', 'userId', 'userName', 'displayName', 'email', 'phone', 'languageCode', 'timeZoneIana'] as const

/** A token of the caller: a field of theirs, or one of the records that are linked to them. */
export type UserToken =
  | { readonly field: (typeof userFields)[number] }
  | { readonly entity: CatalogEntity; readonly name: string; readonly isProperty: boolean }

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isTokenText = (value: unknown): value is string => typeof value === 'string' && value.includes('[[')

const grammar =
  'A token of a filter is [[$user.tenantUserId]] or another field of the user, or [[$user.Entity.Property]] of a record that is linked to them.'

/** The token that a text is, and what is wrong with one that is none. */
export function readUserToken(
  catalog: Catalog,
  text: string,
): UserToken | { readonly message: string; readonly suggestion?: string | undefined } {
  const template = parseTemplate(text)
  const token = soleToken(template)
  const [fault] = template.faults
  if (!token) return fault ?? { message: `${quoted(text)} is more than a token. ${grammar}` }
  const [root, first, second, ...rest] = token.path
  const isIndexed = token.path.some(({ index }) => index !== undefined)
  if (root.name !== '$user' || !first || rest.length > 0 || isIndexed || token.filters.length > 0) return { message: grammar }
  if (!second) {
    const field = userFields.find((known) => known === first.name)
    return field ? { field } : { message: `A user has no ${quoted(first.name)}. ${grammar}`, suggestion: nearest(first.name, userFields) }
  }
  const bridged = catalog.entities.filter((one) => one.isTenantUserRole)
  const entity = bridged.find((one) => one.internalName.toLowerCase() === first.name.toLowerCase())
  if (!entity) {
    const names = bridged.map((one) => one.internalName)
    return {
      message: `No records of ${quoted(first.name)} are linked to users. set_entity_identity_bridge links them.`,
      suggestion: nearest(first.name, names),
    }
  }
  const system = systemFields.find((field) => field === second.name)
  if (system) return { entity, name: system, isProperty: false }
  const property = entity.properties.find((one) => one.internalName.toLowerCase() === second.name.toLowerCase())
  if (property) return { entity, name: property.internalName, isProperty: true }
  const names = [...entity.properties.map((one) => one.internalName), ...systemFields]
  return { message: `${entity.internalName} has no property ${quoted(second.name)}.`, suggestion: nearest(second.name, names) }
}

// Deeper than any filter may nest; what is not sound is told by the parser of filters.
const maxDepth = 16

/** The texts in a filter that are tokens, with their places, which begin at `path`. */
export function tokensOfFilter(filter: unknown, path = '$', depth = 0): { readonly text: string; readonly path: string }[] {
  if (depth > maxDepth) return []
  if (isTokenText(filter)) return [{ text: filter, path }]
  if (Array.isArray(filter)) return filter.flatMap((one: unknown, index) => tokensOfFilter(one, `${path}[${index}]`, depth + 1))
  if (!isObject(filter)) return []
  return Object.entries(filter).flatMap(([key, one]) => tokensOfFilter(one, `${path}.${key}`, depth + 1))
}

/** What is wrong with the tokens of a filter. */
export function findTokenIssues(catalog: Catalog, filter: unknown, path: string): Finding[] {
  return tokensOfFilter(filter, path).flatMap(({ text, path: place }) => {
    const read = readUserToken(catalog, text)
    return 'message' in read ? [finding(place, read.message, { suggestion: read.suggestion })] : []
  })
}

/** What a token stands for; none: it has no value. Several, where the caller is linked to several records or one holds a list. */
export type ValuesOfTokens = (text: string) => readonly Scalar[]

/** Thrown inside, where the whole filter comes to nothing. */
const nothing = Symbol('nothing')

/** The filter with the tokens' values in their places; undefined where one has none, so that its rule reaches nothing, whatever the operator. */
export function withValues(filter: unknown, valuesOf: ValuesOfTokens): { readonly filter: unknown } | undefined {
  const filled = fill(filter, valuesOf, 0)
  return filled === nothing ? undefined : { filter: filled }
}

const several: Readonly<Record<string, string>> = { eq: 'in', ne: 'notIn' }

function fill(value: unknown, valuesOf: ValuesOfTokens, depth: number): unknown {
  if (depth > maxDepth) return nothing
  if (Array.isArray(value)) {
    const parts = value.flatMap((one: unknown): readonly unknown[] => {
      if (!isTokenText(one)) return [fill(one, valuesOf, depth + 1)]
      const values = valuesOf(one)
      return values.length === 0 ? [nothing] : values
    })
    return parts.includes(nothing) ? nothing : parts
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, one]) => [
    key,
    key === 'value' && isTokenText(one) ? one : fill(one, valuesOf, depth + 1),
  ])
  if (entries.some(([, one]) => one === nothing)) return nothing
  const filled = Object.fromEntries(entries) as Record<string, unknown>
  if (!isTokenText(filled['value'])) return filled
  const values = valuesOf(filled['value'])
  if (values.length === 0) return nothing
  if (filled['op'] === 'in' || filled['op'] === 'notIn') return { ...filled, value: values }
  if (values.length === 1) return { ...filled, value: values[0] }
  const op = several[String(filled['op'])]
  // Between two bounds of several there is no sense that its author can have meant.
  return op === undefined ? nothing : { ...filled, op, value: values }
}
