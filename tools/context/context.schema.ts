/** Contexts on the wire: which records around one record belong together. */
import { z } from 'zod'

import { component, documentAs } from '#platform/document-schema.ts'
import { idOrName, newName } from '#platform/names.ts'
import { validation } from '#platform/validation.ts'
import { displayInputs } from '#tools/properties/properties.schema.ts'
import { filterRules, sort } from '#tools/query/query.schema.ts'
import { keptParams } from '#tools/reports/reports.schema.ts'

export const contextSlot = idOrName.describe('As list_contexts shows it')
export const contextId = z.int()

export const maxIncludes = 40
export const maxDepth = 4
const maxReports = 10
const limitMost = 500
export const limitUnlessTold = 50

const filter = documentAs(
  z.union([z.looseObject({}), z.array(z.looseObject({})).max(200)]).describe('As filterRules of list_instances'),
  filterRules,
)

export const include = z.strictObject({
  name: newName(),
  via: z
    .union([z.literal('parent'), z.strictObject({ parent: idOrName.optional(), child: idOrName.optional(), peer: idOrName.optional() })])
    .describe('parent, or one of {parent}, {child}, {peer} with the entity'),
  properties: z.array(z.string().max(64)).max(300).optional().describe('All unless told'),
  filter: filter.optional(),
  sort: sort.optional(),
  limit: z.int().min(1).max(limitMost).optional().describe(`Rows of each record, ${limitUnlessTold} unless told; not of a parent`),
  includes: z.array(z.looseObject({})).max(maxIncludes).optional().describe(`As these, inside their row; at most ${maxDepth} deep`),
})

export const includedReport = z.strictObject({
  name: newName(),
  report: idOrName,
  params: keptParams.optional().describe('Values of its parameters; tokens name the rest of the bundle'),
})

export const contextDefinition = z.object({
  internalName: newName('context'),
  displays: displayInputs.optional(),
  entity: idOrName.describe('Of the record that it is about'),
  includes: z.array(include).max(maxIncludes).optional().describe('Related records, each under a name'),
  reports: z.array(includedReport).max(maxReports).optional().describe('Rows of reports, each under a name'),
  user: z.boolean().optional().describe('With the user whom the record is linked to, as user'),
})

/** What is stored beside the name, as it is shown. */
const shownInclude = include.extend({ name: z.string(), includes: z.array(z.looseObject({})).optional() })

export const context = z.object({
  contextId,
  internalName: z.string(),
  displays: z.array(z.object({ languageRegionId: z.int(), name: z.string(), description: z.string() })),
  entity: idOrName,
  includes: z.array(shownInclude),
  reports: z.array(includedReport.extend({ name: z.string() })),
  user: z.boolean(),
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
  ownerName: z.string().nullable(),
  validation: validation.nullable().describe('What is wrong with it today; null: nothing'),
})

const anyRecord = z.looseObject({})

/** Which record a bundle is about. */
export const anchorInput = {
  context: contextSlot,
  eiRecordId: z.int().min(1).max(Number.MAX_SAFE_INTEGER).optional().describe('The record; or by key, or by user'),
  key1: z.string().max(200).optional().describe('With key2 and key3, in place of eiRecordId'),
  key2: z.string().max(200).optional(),
  key3: z.string().max(200).optional(),
  tenantUserId: z.int().min(1).max(2_147_483_647).optional().describe('The record that is linked to this user'),
  asOfDate: z.string().max(100).optional().describe('ISO 8601 time; a day means its end, in UTC'),
} as const

export const bundle = z.object({
  context: z.string(),
  anchor: z.object({ entity: z.string(), entityId: z.int(), eiRecordId: z.int(), externalKey: z.string() }),
  data: z
    .record(z.string(), z.union([anyRecord, z.array(anyRecord), z.null()]))
    .describe('By the entity’s name, and by the names of the includes and reports'),
  truncated: z.array(z.string()).describe('Includes and reports of which there is more'),
  withheld: z.array(z.string()).describe('Values that you may not see, by names with dots; they are null'),
  asOfUtc: z.iso.datetime(),
})

export const contextToken = z.object({
  token: z.string(),
  type: z.enum(['text', 'number', 'boolean', 'dateTime', 'date', 'time', 'choice', 'file', 'record', 'any']),
  isList: z.boolean(),
})

component('Context', context)
component('ContextBundle', bundle)

export const exampleContextInput = {
  internalName: 'OrderForCustomer',
  entity: 'WorkOrder',
  includes: [
    { name: 'site', via: 'parent' as const, properties: ['Name', 'City'] },
    { name: 'visits', via: { child: 'Visit' }, sort: [{ property: 'VisitDate', direction: 'desc' as const }], limit: 10 },
  ],
}

export const exampleContext: z.output<typeof context> = {
  contextId: 10_140,
  ...exampleContextInput,
  displays: [],
  reports: [],
  user: false,
  createdDate: '2026-03-01T08:30:00.000Z',
  modifiedDate: '2026-03-01T08:30:00.000Z',
  ownerName: 'Ana Torres',
  validation: null,
}

export const exampleBundle: z.output<typeof bundle> = {
  context: 'OrderForCustomer',
  anchor: { entity: 'WorkOrder', entityId: 42, eiRecordId: 20_481, externalKey: 'WO-1042' },
  data: {
    WorkOrder: { eiRecordId: 20_481, externalKey: 'WO-1042', Title: 'Replace the gate valve' },
    site: { eiRecordId: 20_112, externalKey: 'S-7', Name: 'Mill Street', City: 'Leeds' },
    visits: [{ eiRecordId: 20_530, externalKey: '', VisitDate: '2026-03-02' }],
  },
  truncated: [],
  withheld: [],
  asOfUtc: '2026-03-02T10:00:00.000Z',
}
