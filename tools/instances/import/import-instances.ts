import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { findReachable } from '#tools/assets/service.ts'
import { exampleJob, job } from '#tools/jobs/jobs.schema.ts'
import { queueJob } from '#tools/jobs/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { entity } from '#tools/query/query.schema.ts'
import { entityInPath } from '#tools/query/service.ts'

import { fireTriggers, importMode, moveParent } from '../instances.schema.ts'
import { isEncoding } from './encoding.ts'
import { maxColumnCharacters, maxMappingEntries } from './limits.ts'
import { findMappingIssues, formatOf } from './mapping.rules.ts'
import { importKind } from './runner.ts'

export const importInstances = defineOperation({
  ...writes(job),
  name: 'import_instances',
  title: 'Import records from a file',
  description:
    'Imports the rows of an uploaded CSV, XLSX or JSON asset as records, in a job, in their order: a later row of one key changes what an earlier one saved. ' +
    'Columns are matched to properties by name; mapping says the rest, {key1: "ident", Name: "name"}. First upload with create_upload_url, ' +
    'then call this (dryRun tries it out), then await_job: its result has counts, and the first ignored columns and errors (…LeftOut: how many more).',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/import',
  roles: 'DataImport',
  errors: ['not_found', 'unknown_property', 'unsupported_type'],
  input: z.object({
    entity,
    assetKey: z.uuid(),
    format: z.enum(['csv', 'json', 'xlsx']).optional().describe('By the extension of the file unless told'),
    delimiter: z
      .string()
      .regex(/^[^"\r\n\uFEFF]$/u, 'Expected one character, and neither a quote nor the end of a line')
      .optional()
      .describe('Of a CSV; found out unless told'),
    encoding: z
      .string()
      .max(40)
      .refine(isEncoding, 'Expected an encoding such as windows-1252, utf-16le or shift_jis')
      .optional()
      .describe('Of a CSV; found out unless told'),
    sheet: z.string().min(1).max(100).optional().describe('Name of a sheet of an XLSX; the first unless told'),
    mapping: z
      .record(z.string().max(200), z.string().max(maxColumnCharacters))
      .refine((mapping) => Object.keys(mapping).length <= maxMappingEntries, `Expected at most ${maxMappingEntries} entries`)
      .optional()
      .describe('Property internalName, or key1..3, parentKey1..3, parentEntity, to the column of the file'),
    importMode: importMode.optional(),
    moveParent,
    fireTriggers,
    dryRun: z.boolean().optional().describe('The same result, and nothing is written'),
  }),
  examples: [
    {
      title: 'Airports, keyed by their code',
      input: { entity: 'Airport', assetKey: '0b8ed6fe-9df4-4a62-9c0c-0a7a4e3a0f11', mapping: { key1: 'iata', Name: 'name' } },
      output: { ...exampleJob, state: 'queued', progress: { done: 0 } },
    },
  ],
  async handler(context, input) {
    const target = entityInPath(await cachedCatalog(context), input.entity)
    const asset = (await findReachable(context, [input.assetKey])).get(input.assetKey.toLowerCase())
    if (!asset) {
      throw new AppError('invalid_input', 'There is no such asset. Upload the file first with create_upload_url.', {
        issues: [finding('$.assetKey', 'There is no such asset.')],
      })
    }
    const mapping = input.mapping ?? {}
    const issues = findMappingIssues(target, mapping)
    if (issues.length > 0) throw new AppError('unknown_property', issues[0]?.message ?? 'The mapping is not valid.', { issues })
    const queued = await queueJob(context, {
      kind: importKind,
      operation: 'import_instances',
      requiredRoles: 'DataImport',
      input: {
        entityId: target.entityId,
        assetKey: asset.assetKey,
        format: formatOf(asset.fileExtension, input.format),
        delimiter: input.delimiter ?? null,
        encoding: input.encoding ?? null,
        sheet: input.sheet ?? null,
        mapping,
        importMode: input.importMode ?? 'upsert',
        moveParent: input.moveParent === true,
        dryRun: input.dryRun === true,
        fireTriggers: input.fireTriggers !== false,
        roleFlag: context.actor.roleFlag,
      },
    })
    context.audit({ assetKey: asset.assetKey, jobId: queued.jobId })
    return queued
  },
})
