/** Records through forms, on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { data, eiRecordId, exampleInstance, instance, keyPart, outcome } from '#tools/instances/instances.schema.ts'

import { maxRows } from '../layout.schema.ts'

export { formSlot } from '../forms.schema.ts'
export { record } from '#tools/query/query.schema.ts'

const expectedLayoutVersion = z.int().optional().describe('Another one by now: 422')

const expectedRowHash = z
  .string()
  .regex(/^[0-9A-Fa-f]{40}$/, 'Expected 40 hex digits')
  .optional()
  .describe('Another one by now: 409')

const values = z.looseObject({}).describe('By internalName')

/** What is sent of one record. */
export const rowFields = {
  key1: keyPart.optional(),
  key2: keyPart.optional(),
  key3: keyPart.optional(),
  parentKey1: keyPart.optional().describe('Key of the parent'),
  parentKey2: keyPart.optional(),
  parentKey3: keyPart.optional(),
  parentEntity: z
    .union([z.string().max(200), z.int()])
    .optional()
    .describe('Where several entities are parents'),
  parentEIRecordId: z.int().nullable().optional(),
  expectedLayoutVersion,
  expectedRowHash,
  values,
} as const

export const formRow = z.strictObject(rowFields)
export type FormRow = z.output<typeof formRow>

export const sectionRow = z.strictObject({ ...rowFields, eiRecordId: eiRecordId.optional().describe('A row that is there') })

const section = z.strictObject({
  rows: z.array(sectionRow).max(maxRows).optional(),
  deletedEIRecordIds: z.array(eiRecordId).max(maxRows).optional(),
})

export type SectionInput = z.output<typeof section>

/** What is sent of a record and its rows. */
export const multiFields = {
  primary: formRow.partial({ values: true }).optional().describe('As in create_form_record'),
  sections: z
    .record(z.string().max(64), section)
    .optional()
    .describe('By name: {rows: [as primary, eiRecordId changes one], deletedEIRecordIds}'),
  expectedLayoutVersion,
} as const

export const multiBody = z.object(multiFields)
export type MultiBody = z.output<typeof multiBody>

export const formRecord = instance.omit({ dataJson: true })

export const lockedFields = z.looseObject({}).describe('What the form fixes, by internalName')

const jobIds = z.array(z.int()).optional().describe('Analyses of files, for await_job')

export const savedFormRecord = formRecord.extend({ outcome, jobIds })

export const savedMulti = savedFormRecord.extend({
  sections: z.record(
    z.string(),
    z.object({
      rows: z.array(z.object({ eiRecordId, externalKey: z.string().optional(), rowHash: z.string().optional(), outcome })),
      deletedEIRecordIds: z.array(eiRecordId),
    }),
  ),
})

const { dataJson: _dataJson, ...exampleRecord } = exampleInstance
export const exampleFormRecord = { ...exampleRecord, data: { Title: 'Replace the gate valve', Status: 'open' } } satisfies z.input<
  typeof formRecord
>

export const exampleRow = {
  ...exampleFormRecord,
  eiRecordId: 20482,
  entityId: 13,
  parentEIRecordId: 20481,
  key1: '',
  externalKey: '',
  data: { VisitDate: '2026-03-01' },
}

export const shownFormRecord = formRecord.extend({
  layoutVersion: z.int(),
  lockedFields,
  sections: z.record(
    z.string(),
    z.object({
      rows: z.array(formRecord),
      lockedFields,
      hasMore: z.literal(true).optional().describe('Rows that the answer had no room for'),
    }),
  ),
})

export const formRecordPage = z.object({
  records: z.array(formRecord),
  lockedFields,
  page: z.int().optional(),
  pageSize: z.int(),
  nextCursor: z.string().optional(),
  totalCount: z.int().optional(),
  totalAtLeast: z.int().optional(),
})

export const exampleSavedRow = { eiRecordId: 20482, externalKey: '', rowHash: exampleRow.rowHash, outcome: 'inserted' as const }

/** Of a save through a form. */
export const saveErrors = ['not_found', 'already_exists', 'unknown_property', 'unknown_entity', 'unprocessable', 'stale_layout'] as const

component('FormRecord', formRecord)
component('FormRow', formRow)
component('FormValues', values, data)
