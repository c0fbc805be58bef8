import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { job } from '#tools/jobs/jobs.schema.ts'
import { queueJob } from '#tools/jobs/service.ts'

import { tenantId } from '../tenants.schema.ts'
import { findTenant } from '../tenants.store.ts'
import { type TenantExportInput, tenantExportKind } from './running.ts'

export const exportTenant = defineOperation({
  ...writes(job),
  errors: ['not_found'],
  name: 'export_tenant',
  title: 'Export a tenant',
  description:
    'Writes everything that a tenant has into ZIP archives, suspended or not: records with history, files, definitions, messages, runs, audit. Secrets and log-ins are left out. Answers a job; await_job, then download_asset each of result.assetKeys.',
  method: 'POST',
  path: '/api/v1/tenants/{tenantId}/export',
  roles: 'GlobalAdmin',
  input: z.object({ tenantId }),
  examples: [
    {
      title: 'A customer leaves',
      input: { tenantId: 3 },
      output: { jobId: 57, kind: 'tenantExport', state: 'queued', progress: { done: 0 }, createdDate: '2026-11-21T10:00:00.000Z' },
    },
  ],
  async handler(context, input) {
    const { name } = mustExist(await findTenant(context.tx, input.tenantId), 'tenant')
    const request: TenantExportInput = { tenantId: input.tenantId, startedAt: context.stamp, roleFlag: context.actor.roleFlag }
    const queued = await queueJob(context, {
      kind: tenantExportKind,
      operation: 'export_tenant',
      requiredRoles: 'GlobalAdmin',
      input: request,
    })
    context.audit({ jobId: queued.jobId, name })
    return queued
  },
})
