/** Views on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { idOrName, newName } from '#platform/names.ts'
import { pageSizeMax } from '#platform/paging.ts'
import { validation } from '#platform/validation.ts'
import { definitionJson, description, sharing } from '#tools/definitions/definitions.schema.ts'
import { filterRules, sort } from '#tools/query/query.schema.ts'

export { entity } from '#tools/query/query.schema.ts'

export const viewSlot = idOrName.describe('id or internalName')
export const entityInstanceViewId = z.int()

export const view = z.object({
  entityInstanceViewId,
  entityId: z.int(),
  internalName: z.string(),
  description: z.string(),
  isShared: z.boolean(),
  isSystem: z.boolean(),
  isApiVisible: z.boolean(),
  viewJson: z.string().describe('JSON text, with the names of today'),
  syncEnabled: z.boolean(),
  syncFrequencyMinutes: z.int().nullable(),
  lastExportUtc: z.iso.datetime().nullable(),
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
  ownerName: z.string().nullable(),
  validation: validation.nullable().describe('What is wrong with it today; null: nothing'),
})

/** A column: a property or a field of every record, by name or id. */
const column = z.union([z.string(), z.int(), z.strictObject({ property: z.union([z.string(), z.int()]), entity: idOrName.optional() })])

const externalKeyFilter = z.union([z.string(), z.strictObject({ op: z.string().optional(), value: z.unknown() })])

/** What a viewJson holds. Its parts are read by views.rules.ts, which tells of each mistake with its place. */
const viewDefinition = z.strictObject({
  columns: z.array(column).optional().describe('In this order; all properties unless told'),
  filters: z
    .union([z.strictObject({ externalKeyFilter: externalKeyFilter.nullish(), propertyFilters: filterRules.nullish() }), filterRules])
    .optional(),
  sort: sort.optional(),
  pageSize: z.int().min(1).max(pageSizeMax).optional().describe('50 unless told'),
})

export const viewJson = definitionJson.describe(
  '{columns: [property], filters: {externalKeyFilter: text, propertyFilters: rules as in list_instances}, sort: [{property, direction}], pageSize}',
)

/** What save_view takes beside the entity. */
export const viewInput = z.object({
  internalName: newName('view'),
  description: description.optional(),
  ...sharing,
  viewJson,
})

export const exampleViewJson = {
  columns: ['Title', 'Priority', 'modifiedDate'],
  filters: { externalKeyFilter: 'WO-', propertyFilters: { logic: 'AND', rules: [{ property: 'Status', op: 'eq', value: 'open' }] } },
  sort: [{ property: 'Priority', direction: 'desc' }],
  pageSize: 20,
}

export const exampleView = {
  entityInstanceViewId: 10_120,
  entityId: 10_060,
  internalName: 'OpenOrders',
  description: 'What is to be done',
  isShared: true,
  isSystem: false,
  isApiVisible: true,
  viewJson: JSON.stringify(exampleViewJson),
  syncEnabled: false,
  syncFrequencyMinutes: null,
  lastExportUtc: null,
  createdDate: '2026-03-01T08:30:00.000Z',
  modifiedDate: '2026-03-01T08:30:00.000Z',
  ownerName: 'Ana',
  validation: null,
} satisfies z.input<typeof view>

component('View', view)
component('ViewDefinition', viewJson, z.union([z.string(), viewDefinition]))
