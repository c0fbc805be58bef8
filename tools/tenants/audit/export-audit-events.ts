import { z } from 'zod'

import { defineStagedOperation, writes } from '#platform/operation.ts'
import { exported } from '#tools/exports/exports.schema.ts'
import { exportOrQueue } from '#tools/exports/service.ts'

import { checkFilter } from './asked.ts'
import { auditFilter } from './audit.schema.ts'
import { type AuditExportInput, auditExportKind, auditFormat, planAuditExport } from './exporting.ts'

export const exportAuditEvents = defineStagedOperation({
  ...writes(exported),
  errors: ['not_found'],
  name: 'export_audit_events',
  title: 'Export audit events',
  description:
    'Writes the audit events of a filter into a file, the oldest first: answers assetKey and rows, or past 5,000 rows a job whose result has them (await_job). Then download_asset, which needs DataView.',
  method: 'POST',
  path: '/api/v1/audit/export',
  roles: 'AdminUser',
  input: z.object({ format: auditFormat, ...auditFilter }),
  examples: [
    {
      title: 'A year for the auditors',
      input: { format: 'csv', from: '2026-01-01T00:00:00Z' },
      output: { assetKey: '0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10', rows: 4210 },
    },
  ],
  async stagedHandler(context, input) {
    const { format, ...asked } = input
    checkFilter(context.services, asked)
    const now = new Date().toISOString()
    // What happens from now on is for the next file, however long a job waits.
    const filter = { ...asked, to: asked.to ?? now }
    return exportOrQueue(context, {
      format,
      plan: async (inner) => planAuditExport(inner, filter),
      job(inner) {
        const request: AuditExportInput = { ...filter, format, roleFlag: inner.actor.roleFlag }
        return { kind: auditExportKind, operation: 'export_audit_events', requiredRoles: 'AdminUser', input: request }
      },
    })
  },
})
