/** The audit log as the rows of a file, whether a call writes it or a job. */
import { z } from 'zod'

import type { TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { exportInJob, type FileContent, fileNameOf, starterOf } from '#tools/exports/service.ts'
import type { JobRunner } from '#tools/jobs/service.ts'

import { toAuditEvent } from './audit.rules.ts'
import { auditFilter, type AuditFilter } from './audit.schema.ts'
import { countAuditRowsTo, readAuditRows } from './audit.store.ts'

export const auditExportKind = 'auditExport'

/** A log is read by programs, or as text. */
export const auditFormat = z.enum(['csv', 'json']).describe('Of the file')

const columns = [
  { name: 'auditEventId', dataType: 'Number' },
  { name: 'at', dataType: 'DateTime' },
  { name: 'tenantUserId', dataType: 'Number' },
  { name: 'displayName', dataType: 'Text' },
  { name: 'credential', dataType: 'Text' },
  { name: 'operation', dataType: 'Text' },
  { name: 'outcome', dataType: 'Text' },
  { name: 'address', dataType: 'Text' },
  { name: 'detail', dataType: 'Text' },
] as const

async function* batchesOf({ tx, tenantId }: TxContext, filter: AuditFilter): AsyncGenerator<readonly string[]> {
  for await (const rows of readAuditRows(tx, tenantId, filter)) yield rows.map((row) => JSON.stringify(toAuditEvent(row)))
}

/** Up to the moment that it was asked for: the export's own event is none of it, however long the job waits. */
export function planAuditExport(context: TxContext, filter: AuditFilter) {
  const content: FileContent = {
    columns,
    name: 'audit',
    count: ({ tx, tenantId }, limit) => countAuditRowsTo(tx, tenantId, filter, limit),
    batches: (inner) => batchesOf(inner, filter),
  }
  return { content, name: fileNameOf('audit', context.stamp), isSensitive: false }
}

const exportInput = z.object({ ...auditFilter, format: auditFormat, roleFlag: z.int() })
export type AuditExportInput = z.infer<typeof exportInput>

export const auditExportRunner: JobRunner = {
  async step(services, job, signal) {
    const { roleFlag, format, ...filter } = exportInput.parse(job.input)
    const actor = await starterOf(services, job, roleFlag, roleBits.AdminUser)
    const name = fileNameOf('audit', filter.to ?? '')
    await exportInJob(services, job, actor, signal, {
      name,
      format,
      isSensitive: false,
      plan: async (context) => planAuditExport(context, filter),
    })
    return 'done'
  },
}
