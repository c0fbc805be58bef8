/** The data of one row: which properties it names, and what the one validator of values says of them. */
import { type Finding, finding } from '#platform/findings.ts'
import { maxIssues } from '#platform/issues.ts'
import type { PatternMatcher } from '#platform/patterns.ts'
import { checkValue, type Value } from '#tools/properties/service.ts'
import { type CatalogProperty, propertyIndex } from '#tools/entities/catalog.types.ts'
import { unknownProperty } from '#tools/query/service.ts'

import { type Layout, layoutOf, RowValues } from './row-values.rules.ts'

export interface CheckedData {
  /** By entityPropertyId: what was named, in canonical form. */
  readonly values: ReadonlyMap<number, Value>
  readonly issues: readonly Finding[]
}

const layouts = new WeakMap<readonly CatalogProperty[], Layout>()

function layoutFor(properties: readonly CatalogProperty[]): Layout {
  let layout = layouts.get(properties)
  if (!layout) {
    layout = layoutOf(properties.map((property) => property.entityPropertyId))
    layouts.set(properties, layout)
  }
  return layout
}

/** Checks the data of one row, names and values, up to `most` mistakes. Required properties are checked later, on the merged row. */
export function checkData(
  properties: readonly CatalogProperty[],
  data: Readonly<Record<string, unknown>>,
  path: string,
  { patterns, most = maxIssues }: { readonly patterns: PatternMatcher; readonly most?: number | undefined },
): CheckedData {
  const index = propertyIndex(properties)
  const values = new RowValues(layoutFor(properties))
  const issues: Finding[] = []
  for (const name in data) {
    if (issues.length >= most) break
    const raw = data[name]
    const property = index.get(name) ?? index.get(name.toLowerCase())
    if (!property) {
      const known = properties.map((one) => one.internalName)
      issues.push(unknownProperty('The entity', name, known, `${path}.${name}`))
      continue
    }
    if (values.has(property.entityPropertyId)) {
      issues.push(finding(`${path}.${name}`, `${property.internalName} is named twice.`))
      continue
    }
    const checked = checkValue(property, raw, patterns)
    if ('problem' in checked) {
      issues.push(finding(`${path}.${name}`, checked.problem, { suggestion: checked.suggestion }))
    } else values.add(property.entityPropertyId, checked.value)
  }
  return { values, issues }
}

const required = new WeakMap<readonly CatalogProperty[], readonly CatalogProperty[]>()

function requiredOf(properties: readonly CatalogProperty[]): readonly CatalogProperty[] {
  let found = required.get(properties)
  if (!found) {
    found = properties.filter((property) => property.isRequired)
    required.set(properties, found)
  }
  return found
}

/** Required properties that the merged row leaves empty. */
export function findMissing(properties: readonly CatalogProperty[], values: ReadonlyMap<number, Value>, path: string): Finding[] {
  return requiredOf(properties)
    .filter((property) => (values.get(property.entityPropertyId) ?? null) === null)
    .map((property) => finding(`${path}.${property.internalName}`, `${property.internalName} is required.`))
}
