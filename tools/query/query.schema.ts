/** What a query of records says on the wire: which records, under which filter, in which order, and how much of each. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { idOrName } from '#platform/names.ts'
import { pageInput } from '#platform/paging.ts'
import { aggregates, operators } from '#tools/properties/operators.types.ts'

import { links } from './relations.rules.ts'
import { dateParts } from './report/report.schema.ts'

export { links }
export const entity = idOrName
export const record = z.union([z.int(), z.string().min(1).max(620)]).describe('eiRecordId, or a key of one part that is no number')

export const filterRules = z
  .union([z.looseObject({}), z.array(z.looseObject({}))])
  .describe(
    '{logic: AND|OR, rules: [{entity?, property, op, value}], groups: []} or an array of rules. op: eq ne gt gte lt lte between in notIn contains notContains startsWith endsWith isEmpty isNotEmpty under. entity: a related one; a group takes entity, via, has: some|none|every',
  )

const scalar = z.union([z.string(), z.number(), z.boolean()])

const filterRule = z.strictObject({
  entity: idOrName.optional().describe('A related entity; that of the records unless told'),
  property: z.union([z.string(), z.int()]).describe('internalName or id of a property, or a field that every record has'),
  op: z.enum(operators),
  value: z
    .union([scalar, z.array(scalar)])
    .optional()
    .describe('A list for in and notIn, two for between, none for isEmpty and isNotEmpty; of times also today, startOfMonth, -7d …'),
})

/** In the documents the schema below, which holds it. */
const anyGroup = z.looseObject({})

const filterGroup = z.strictObject({
  logic: z.enum(['AND', 'OR']).optional().describe('AND unless told'),
  entity: idOrName.optional().describe('Its rules speak of one related record of this entity'),
  via: z.enum(links).optional().describe('Where the entity is reached in several ways'),
  has: z.enum(['some', 'none', 'every']).optional().describe('some unless told; none and every hold where there is no such record'),
  rules: z.array(filterRule).optional(),
  groups: z.array(anyGroup).optional(),
})

export const sort = z
  .array(
    z.strictObject({
      property: z.string().max(200),
      entity: z.string().max(200).optional().describe('A parent; in reports any joined'),
      direction: z.enum(['asc', 'desc']).optional(),
    }),
  )
  .max(8)

export const listInput = {
  ...pageInput,
  filterRules: filterRules.optional(),
  filters: filterRules.optional().describe('Another name of filterRules'),
  sort: sort.optional(),
} as const

/** How much of each record is wanted. */
export const narrowInput = {
  properties: z.array(z.string().max(64)).max(300).optional().describe('internalNames; data and dataJson hold these alone'),
  withDataJson: z.boolean().optional().describe('dataJson beside data; unless told over REST, not over MCP'),
} as const

const alias = z.string().min(1).max(64)
const propertyName = z.union([z.string().max(200), z.int()])

export const groupOf = z.strictObject({
  property: propertyName,
  datePart: z.enum(dateParts).optional().describe('Of a date; the first five 2026, 2026-Q1, 2026-03, 2026-W09, 2026-03-01'),
  alias: alias.optional(),
})

export const aggregateOf = z.strictObject({
  property: propertyName.optional().describe('Absent: COUNT of rows'),
  fn: z.enum(aggregates),
  alias: alias.optional(),
  distinct: z.boolean().optional(),
  filter: filterRules.optional().describe('Only of these'),
})

const several = z.array(z.looseObject({}))
export const groupBy = several.describe(`[{property, datePart?: ${dateParts.join(' ')}, alias?}]`)
export const aggregateList = several.describe('[{fn: COUNT SUM AVG MIN MAX, property?, alias?, distinct?, filter?}]')
component('GroupBy', groupBy, z.array(groupOf))
component('Aggregates', aggregateList, z.array(aggregateOf))

export const reportRow = z.object({
  combinedPivotJson: z.string().describe('JSON text of the same by Entity_Property'),
  data: z.record(z.string(), z.unknown()).describe('By alias, else Entity_Property'),
})

component('ReportRow', reportRow)
component('FilterRule', filterRule)
component('FilterGroup', anyGroup, filterGroup)
component('FilterRules', filterRules, z.union([anyGroup, z.array(filterRule)]))
component('Sort', sort)
