/** What the tokens of a context may name, known from the catalog before any record is read. */
import type { Shapes } from '#platform/tokens/shape.ts'
import type { CatalogProperty } from '#tools/entities/catalog.types.ts'
import { shapeOfRecord, shapeOfUser, shapesOfCaller } from '#tools/query/service.ts'
import { shapeOfRows } from '#tools/reports/service.ts'

import type { Plan, PlannedInclude } from './context.rules.ts'

function shapesOfIncludes(includes: readonly PlannedInclude[]): Shapes {
  const shapes = includes.map((one) => {
    const record = shapeOfRecord(one.properties, shapesOfIncludes(one.includes))
    return [one.name, one.via === 'parent' ? record : ({ kind: 'list', of: record } as const)] as const
  })
  return Object.fromEntries(shapes)
}

/** The roots of a context: its entity, its includes, its reports, and what every text has. */
export function shapesOf({ entity, includes, reports, hasUser }: Plan): Shapes {
  return {
    [entity.internalName]: shapeOfRecord(entity.properties),
    ...shapesOfIncludes(includes),
    ...Object.fromEntries(reports.map(({ name, report }) => [name, shapeOfRows(report.definition)] as const)),
    ...(hasUser ? { user: shapeOfUser } : {}),
    ...shapesOfCaller,
  }
}

/** The options of properties by the names that lead to them: what `label` shows. */
export function labelsOf({ entity, includes, reports }: Plan): ReadonlyMap<string, CatalogProperty> {
  const labels = new Map<string, CatalogProperty>()
  const add = (before: string, properties: readonly CatalogProperty[], inside: readonly PlannedInclude[]) => {
    for (const property of properties) if (property.options.length > 0) labels.set(`${before}.${property.internalName}`, property)
    for (const one of inside) add(`${before}.${one.name}`, one.properties, one.includes)
  }
  add(entity.internalName, entity.properties, [])
  for (const one of includes) add(one.name, one.properties, one.includes)
  for (const { name, report } of reports)
    for (const output of report.definition.report?.outputs ?? []) {
      const { of } = output.result
      if (of && of.options.length > 0) labels.set(`${name}.${output.name}`, of)
    }
  return labels
}
