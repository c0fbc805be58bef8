import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { exampleTenant, tenantDetail, tenantId } from './tenants.schema.ts'
import { findTenant, toTenant } from './tenants.store.ts'

export const getTenant = defineOperation({
  ...reads(tenantDetail),
  name: 'get_tenant',
  title: 'Read a tenant',
  description: 'The full configuration of one tenant: its record, default language and theme. Take tenantId from list_tenants.',
  method: 'GET',
  path: '/api/v1/tenants/{tenantId}',
  roles: 'GlobalAdmin',
  input: z.object({ tenantId }),
  examples: [
    {
      title: 'One tenant',
      input: { tenantId: 3 },
      output: { ...exampleTenant, languageCode: 'en-US', cssJson: { '--theme-primary': '#17624a' } },
    },
  ],
  async handler({ tx, services }, input) {
    const row = mustExist(await findTenant(tx, input.tenantId), 'tenant')
    return { ...toTenant(row, services.config.tenantDomain), languageCode: row.languageCode, cssJson: row.theme }
  },
})
