/** Records on the wire. */
import { z } from 'zod'

import { issue } from '#platform/validation.ts'
import { component } from '#platform/document-schema.ts'

export const eiRecordId = z.int().positive()

/** A value of any property. */
export const anyValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number(), z.boolean()])), z.null()])

/** Values by property internalName. */
export const data = z.looseObject({}).describe('Values by property internalName')

/** Of answers by watermark, where access rules look at related records. */
export const sightMayLag = z.literal(true).optional().describe('What enters or leaves your sight through related records alone is not told')

/** Where access rules withhold anything. */
export const withheld = z.array(z.string()).optional().describe('Properties that are null because you may not see them')

export const instance = z.object({
  eiRecordId,
  entityId: z.int(),
  parentEIRecordId: z.int().nullable(),
  key1: z.string(),
  key2: z.string(),
  key3: z.string(),
  externalKey: z.string().describe('The key parts joined with " / "'),
  dataJson: z.string().optional().describe('JSON text of the values by property id'),
  data,
  rowHash: z.string().describe('40 hex digits; send it back as expectedRowHash to refuse lost updates'),
  workflowInstanceId: z.int().nullable(),
  createdDate: z.iso.datetime(),
  createdBy: z.int().nullable().describe('tenantUserId; null: the system'),
  modifiedDate: z.iso.datetime(),
  modifiedBy: z.int().nullable(),
  deletedDate: z.iso.datetime().nullable().optional().describe('Of deleted records, where they are shown'),
  withheld,
})

export const outcome = z.enum(['inserted', 'updated', 'skipped'])

const jobIds = z.array(z.int()).optional().describe('Analyses of the attachments that this save brought, for await_job')

export const moved = z.literal(true).optional().describe('It was taken from another parent')

export const savedInstance = instance.required({ dataJson: true }).extend({
  outcome,
  moved,
  jobIds,
})

export const importMode = z
  .enum(['upsert', 'overwrite', 'insertOnly'])
  .describe('upsert (default) changes what is named; overwrite also clears what is not; insertOnly leaves existing records')

export const moveParent = z
  .boolean()
  .optional()
  .describe('Takes a record that is found by its key from its parent to the one named; else 409')

export const fireTriggers = z.boolean().optional().describe('false: what it changes starts no run')

export const keyPart = z.string().max(10_000)

/** One row of a save. */
export const rowFields = {
  key1: keyPart.optional(),
  key2: keyPart.optional(),
  key3: keyPart.optional(),
  parentKey1: keyPart.optional().describe('Key of the parent record'),
  parentKey2: keyPart.optional(),
  parentKey3: keyPart.optional(),
  parentEntity: z
    .union([z.string().max(200), z.int()])
    .optional()
    .describe('Which parent entity parentKey1..3 mean, where several match'),
  parentEIRecordId: z.int().nullable().optional(),
  // The body that it comes in is bounded by a setting.
  dataJson: z
    .string()
    .max(64 * 1024 * 1024)
    .optional()
    .describe('JSON text of the values by internalName or id; instead of data'),
  data: data.optional(),
  expectedRowHash: z
    .string()
    .regex(/^[0-9A-Fa-f]{40}$/, 'Expected 40 hex digits')
    .optional()
    .describe('Refuses the save (409) when the record has another rowHash by now'),
  importMode: importMode.optional(),
} as const

export const saveRow = z.strictObject(rowFields)

export const tombstone = z.object({
  eiRecordId,
  entityId: z.int(),
  key1: z.string(),
  key2: z.string(),
  key3: z.string(),
  externalKey: z.string(),
  deletedDate: z.iso.datetime(),
  deletedBy: z.object({ tenantUserId: z.int().nullable(), displayName: z.string() }),
})

export const dryRun = z.boolean().optional().describe('Only tells what would go')

export const deletion = z.object({
  eiRecordId,
  deleted: z.boolean().describe('false: a dry run'),
  deletedChildren: z.int().describe('Records below it, at every level, that go with it'),
})

export const changedInstance = instance.extend({ changeKind: z.enum(['added', 'modified', 'deleted']) })

/** What is wrong with one row of many. */
export const rowErrors = z.array(issue).optional()

export const errorsLeftOut = z
  .int()
  .optional()
  .describe('Failed rows whose errors the answer had no room for; send them again to learn why')

export const bulkResult = z.object({
  results: z.array(
    z.object({
      index: z.int(),
      outcome: z.enum(['inserted', 'updated', 'skipped', 'failed']),
      eiRecordId: eiRecordId.optional(),
      moved,
      jobIds,
      errors: rowErrors,
    }),
  ),
  inserted: z.int(),
  updated: z.int(),
  skipped: z.int(),
  failed: z.int(),
  moved: z.int().optional().describe('Of the updated, where any was moved'),
  errorsLeftOut,
  oneErrorFrom: z.int().optional().describe('From this index on each row tells its first error alone'),
})

export const person = z.object({ tenantUserId: z.int().nullable(), displayName: z.string() })

export const exampleInstance = {
  eiRecordId: 20481,
  entityId: 12,
  parentEIRecordId: null,
  key1: 'WO-1001',
  key2: '',
  key3: '',
  externalKey: 'WO-1001',
  dataJson: '{"31":"Replace the gate valve","32":"open"}',
  data: { Title: 'Replace the gate valve', Status: 'open' },
  rowHash: '5F1C0A6E0D7B4F3D8C1E2A9B7D6C5E4F3A2B1C0D',
  workflowInstanceId: null,
  createdDate: '2026-03-01T08:30:00.000Z',
  createdBy: 7,
  modifiedDate: '2026-03-01T08:30:00.000Z',
  modifiedBy: 7,
} satisfies z.input<typeof instance>

component('Value', anyValue)
component('Values', data, z.record(z.string(), anyValue))
component('Instance', instance)
component('SavedInstance', savedInstance)
component('ChangedInstance', changedInstance)
component('Tombstone', tombstone)
component('RecordRow', saveRow)
component('BulkResult', bulkResult)
component('Person', person)
