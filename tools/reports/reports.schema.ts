/** Reports on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { isLongerAsJson } from '#platform/json-text.ts'
import { idOrName, newName } from '#platform/names.ts'
import { pageInput, pageSizeMax } from '#platform/paging.ts'
import { validation } from '#platform/validation.ts'
import { definitionJson as anyDefinition, description, sharing } from '#tools/definitions/definitions.schema.ts'
import { format } from '#tools/exports/exports.schema.ts'
import { recipient } from '#tools/messaging/messaging.schema.ts'
import { aggregateOf, filterRules, groupOf, links, reportRow, sort } from '#tools/query/query.schema.ts'
import { cadences } from '#tools/query/report/report.schema.ts'
import { dataTypes } from '#tools/properties/properties.schema.ts'

export const reportSlot = idOrName.describe('id or internalName')
export const reportDefinitionId = z.int()

/** How a report is delivered to whom, as its subscriber is shown it. */
export const reportSchedule = z.object({
  reportDefinitionId,
  cron: z.string().nullable(),
  timeZone: z.string().nullable(),
  every: z.string().nullable().describe('ISO 8601'),
  format,
  params: z.record(z.string(), z.unknown()),
  to: z.array(recipient),
  channel: z.string().nullable(),
  text: z.string().nullable(),
  onlyWhenRows: z.boolean(),
  nextDate: z.iso.datetime().nullable(),
  stoppedReason: z.string().nullable().describe('Why it stopped by itself'),
})

export const report = z.object({
  reportDefinitionId,
  internalName: z.string(),
  description: z.string(),
  isShared: z.boolean(),
  isSystem: z.boolean(),
  isApiVisible: z.boolean(),
  definitionJson: z.string().describe('JSON text, with the names of today'),
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
  ownerName: z.string().nullable(),
  validation: validation.nullable().describe('What is wrong with it today; null: nothing'),
  schedule: reportSchedule.nullable().describe('Your own, of schedule_report'),
})

const entityName = z.union([z.string(), z.int()]).describe('An alias, or an entity by internalName or id')
const name = z.union([z.string(), z.int()])
const alias = z.string().min(1).max(64)

const join = z.strictObject({
  entityId: name,
  parentEntityId: name.nullish().describe('What it is joined to; the first entity unless told'),
  joinType: z.enum(links).optional().describe('Required where there are several ways'),
  joinMode: z.enum(['inner', 'left']).optional(),
  alias: alias.optional().describe('Where an entity comes twice'),
})

const parameter = z.strictObject({
  name: z.string(),
  dataType: z.enum(dataTypes),
  isRequired: z.boolean().optional(),
  isList: z.boolean().optional(),
  value: z.unknown().optional().describe('Where a call gives none'),
})

/** What a definitionJson holds. Its parts are read by definition.rules.ts, which tells of each mistake with its place. */
const reportDefinition = z.strictObject({
  primaryEntityId: name,
  joinMode: z.enum(['inner', 'left']).optional().describe('inner unless told'),
  joins: z.array(join).optional(),
  columns: z.array(z.strictObject({ entity: entityName.optional(), property: name, alias: alias.optional() })).optional(),
  groupBy: z.array(groupOf.extend({ entity: entityName.optional() })).optional(),
  aggregates: z.array(aggregateOf.extend({ entity: entityName.optional() })).optional(),
  computed: z.array(z.strictObject({ alias, $expr: z.array(z.unknown()) })).optional(),
  filters: filterRules.optional(),
  having: filterRules.optional().describe('Over the columns of the result'),
  sort: sort.optional(),
  page: z.int().min(1).optional(),
  pageSize: z.int().min(1).max(pageSizeMax).optional().describe('50 unless told'),
  asOfDate: z.string().optional(),
  variance: z.strictObject({ dateFrom: z.string(), dateTo: z.string().optional(), cadence: z.enum(cadences).optional() }).optional(),
  parameters: z.array(parameter).optional(),
})

export const definitionJson = anyDefinition.describe(
  '{primaryEntityId, joins: [{entityId, parentEntityId, joinType}], columns, groupBy: [{entity, property, datePart}], aggregates: [{entity, property, fn, alias}], filters, having, sort, …}: docs_read guides/reports.md',
)

export const reportInput = z.object({
  internalName: newName('report'),
  description: description.optional(),
  ...sharing,
  definitionJson,
})

const { page, pageNumber, pageSize } = pageInput

const params = z.record(z.string().max(64), z.unknown())

/** Each run of a schedule, and each reading of a context, reads those that are kept with it. */
const maxKeptCharacters = 10_000
export const keptParams = params.refine(
  (values) => !isLongerAsJson(values, maxKeptCharacters),
  `At most ${maxKeptCharacters} characters as JSON`,
)

/** What a run takes beside the definition. */
export const runInput = {
  params: params.optional().describe('Values of its parameters, by name'),
  page: page.describe('From 1'),
  pageNumber,
  pageSize: pageSize.describe('That of the report unless told'),
} as const

export const rowsOfReport = z.object({
  rows: z.array(
    reportRow.extend({
      snapshotDate: z.iso.datetime().optional(),
      changeFlags: z.record(z.string(), z.boolean()).optional().describe('Whether each value differs from the snapshot before'),
    }),
  ),
  page: z.int(),
  pageSize: z.int(),
  totalCount: z.int(),
  truncated: z.literal(true).optional().describe('There are more than 500 snapshots: these are the first'),
})

export const exampleDefinition = {
  primaryEntityId: 'WorkOrder',
  joinMode: 'left',
  joins: [{ entityId: 'WorkLog', joinType: 'child' }],
  groupBy: [{ entity: 'WorkOrder', property: 'Status' }],
  aggregates: [
    { entity: 'WorkOrder', fn: 'COUNT', distinct: true, alias: 'orders' },
    { entity: 'WorkLog', property: 'Hours', fn: 'SUM', alias: 'hours' },
  ],
  filters: { logic: 'AND', rules: [{ entity: 'WorkOrder', property: 'DueDate', op: 'gte', value: '[[$param.since]]' }] },
  sort: [{ property: 'hours', direction: 'desc' }],
  parameters: [{ name: 'since', dataType: 'DateOnly', value: '2026-01-01' }],
}

export const exampleReport = {
  reportDefinitionId: 10_140,
  internalName: 'HoursByStatus',
  description: 'Hours logged',
  isShared: true,
  isSystem: false,
  isApiVisible: true,
  definitionJson: JSON.stringify(exampleDefinition),
  createdDate: '2026-03-01T08:30:00.000Z',
  modifiedDate: '2026-03-01T08:30:00.000Z',
  ownerName: 'Ana',
  validation: null,
  schedule: null,
} satisfies z.input<typeof report>

export const exampleRows = {
  rows: [
    {
      combinedPivotJson: '{"WorkOrder_Status": "open", "WorkOrder_COUNT": 12, "WorkLog_Hours": 40.5}',
      data: { WorkOrder_Status: 'open', orders: 12, hours: 40.5 },
    },
  ],
  page: 1,
  pageSize: 50,
  totalCount: 1,
} satisfies z.input<typeof rowsOfReport>

component('Report', report)
component('ReportDefinition', definitionJson, z.union([z.string(), reportDefinition]))
component('RowsOfReport', rowsOfReport)
component('ReportSchedule', reportSchedule)
