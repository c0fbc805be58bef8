/** Exports on the wire. */
import { z } from 'zod'

import { job } from '#tools/jobs/jobs.schema.ts'

export const format = z.enum(['csv', 'xlsx', 'json']).describe('Of the file')
export type Format = z.infer<typeof format>

/** The file where there are few rows, else the job that writes it. */
export const exported = job.partial().extend({
  assetKey: z.uuid().optional().describe('Of the file, for download_asset'),
  rows: z.int().optional(),
})
