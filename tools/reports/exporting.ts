/** What of a report goes into a file, whether a call writes it or a job. */
import { z } from 'zod'

import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { mapInTurns } from '#platform/turns.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { format } from '#tools/exports/exports.schema.ts'
import { exportInJob, type FileContent, fileNameOf, starterOf } from '#tools/exports/service.ts'
import type { JobRunner } from '#tools/jobs/service.ts'
import { sensitiveOf } from '#tools/query/service.ts'

import { countRows, prepareRun, readAllRows, type RunnableReport } from './running.ts'
import { soundReport } from './shown.ts'

export const reportExportKind = 'reportExport'

const exportInput = z.object({
  reportId: z.int(),
  format,
  params: z.record(z.string(), z.unknown()).optional(),
  roleFlag: z.int(),
})
export type ReportExportInput = z.infer<typeof exportInput>

export interface ReportPlan {
  readonly content: FileContent
  readonly reportId: number
  /** Of the file, without its extension. */
  readonly name: string
  readonly isSensitive: boolean
}

export type Params = Readonly<Record<string, unknown>> | undefined

/** Whether a value that the product keeps from prying eyes stands in its rows. */
export function isSensitiveRun({ ready }: RunnableReport): boolean {
  return sensitiveOf(ready.report).length > 0
}

async function* asText(batches: AsyncIterable<readonly object[]>): AsyncGenerator<readonly string[]> {
  for await (const batch of batches) yield await mapInTurns(batch, (row) => JSON.stringify(row))
}

/** The rows of a report as those of a file. */
export function rowsAsContent(run: RunnableReport, name: string): FileContent {
  const { report } = run.ready
  return {
    columns: [
      ...(report.variance ? [{ name: 'snapshotDate', dataType: 'DateTime' as const }] : []),
      ...report.outputs.map((output) => ({ name: output.name, dataType: output.result.dataType })),
      // A sheet tells a number from a text by the value itself.
      ...run.computed.map(({ alias }) => ({ name: alias, dataType: 'Text' as const })),
    ],
    name,
    count: (context) => countRows(context, run),
    batches: (context) => asText(readAllRows(context, run)),
  }
}

export async function planExport(context: TxContext, slot: IdOrName, params: Params): Promise<ReportPlan> {
  const catalog = await cachedCatalog(context)
  const sound = await soundReport(context, catalog, slot)
  const run = await prepareRun(context, catalog, sound, { params })
  const { definitionId, internalName } = sound.row
  return {
    content: rowsAsContent(run, internalName),
    reportId: definitionId,
    name: fileNameOf(internalName, context.stamp),
    isSensitive: isSensitiveRun(run),
  }
}

/** Carries out exports of reports that are too large for a call. */
export const reportExportRunner: JobRunner = {
  async step(services, job, signal) {
    const input = exportInput.parse(job.input)
    const actor = await starterOf(services, job, input.roleFlag)
    const plan = (context: TxContext) => planExport(context, input.reportId, input.params)
    const { name, isSensitive } = await inSystemTransaction(services, job.tenantId, (context) => plan({ ...context, actor }))
    await exportInJob(services, job, actor, signal, { name, format: input.format, isSensitive, plan })
    return 'done'
  },
}
