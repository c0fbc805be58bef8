/** Jobs on the wire. */
import { z } from 'zod'

import { component, documentAs } from '#platform/document-schema.ts'
import { jobStates } from '#platform/shapes/jobs.ts'

export const jobId = z.int().min(1).describe('From the answer of the call that started the job, or from list_jobs')

export const jobState = z
  .enum(jobStates)
  .describe('partly: done, with errors in some rows. succeeded, partly, failed and cancelled are final until retry_job')

export const jobError = z.object({
  code: z.string(),
  message: z.string(),
  issues: z
    .array(z.object({ path: z.string(), severity: z.enum(['error', 'warning']), message: z.string(), suggestion: z.string().optional() }))
    .optional(),
})

/** What the kinds of jobs answer; which fields there are is the kind's. */
const jobResult = z.looseObject({
  rows: z.int().optional().describe('Of an instanceImport, as the next four'),
  inserted: z.int().optional(),
  updated: z.int().optional(),
  skipped: z.int().optional(),
  failed: z.int().optional(),
  assetKeys: z.array(z.string()).optional().describe('Of a tenantExport: its archives'),
  analysisId: z.int().optional().describe('Of an analysis of a file, as the next four'),
  assetKey: z.string().optional(),
  eiRecordId: z.int().nullable().optional(),
  state: z.string().optional(),
  reason: z.string().optional(),
})

export const job = z.object({
  jobId,
  kind: z.string().describe('What it does: instanceImport, for example'),
  state: jobState,
  progress: z.object({ done: z.int().min(0), total: z.int().min(0).optional(), note: z.string().optional() }),
  result: documentAs(z.record(z.string(), z.unknown()), jobResult).optional().describe('By kind; present once the job is done'),
  error: jobError.optional(),
  createdDate: z.iso.datetime(),
  startedDate: z.iso.datetime().optional(),
  finishedDate: z.iso.datetime().optional(),
})

export type Job = z.infer<typeof job>
export type JobError = z.infer<typeof jobError>

export const jobLogLevel = z.enum(['info', 'warning', 'error'])

export const jobLogLine = z.object({
  line: z.int().min(1),
  at: z.iso.datetime(),
  attempt: z.int().min(1).describe('Raised by retry_job'),
  level: jobLogLevel,
  message: z.string(),
})

export type JobLogLine = z.infer<typeof jobLogLine>

/** One finished import, for the examples of several operations. */
export const exampleJob: Job = {
  jobId: 41,
  kind: 'instanceImport',
  state: 'succeeded',
  progress: { done: 3376, total: 3376 },
  result: { inserted: 3376, updated: 0, skipped: 0, failed: 0 },
  createdDate: '2026-11-21T10:00:00.000Z',
  startedDate: '2026-11-21T10:00:00.021Z',
  finishedDate: '2026-11-21T10:00:02.480Z',
}

component('Job', job)
component('JobError', jobError)
component('JobLogLine', jobLogLine)
