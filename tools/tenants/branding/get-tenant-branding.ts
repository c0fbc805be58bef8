import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { tenantId } from '../tenants.schema.ts'
import { branding, exampleBranding } from './branding.schema.ts'
import { findLook } from './branding.store.ts'
import { toBranding } from './branding.rules.ts'

export const getTenantBranding = defineOperation({
  ...reads(branding),
  name: 'get_tenant_branding',
  title: 'Read the branding of a tenant',
  description:
    "Name, images and theme variables of a tenant: one's own, or for a global administrator any. Change them with set_tenant_theme and set_tenant_branding_image.",
  method: 'GET',
  path: '/api/v1/tenants/{tenantId}/branding',
  roles: 'GlobalAdmin|AdminCSS',
  input: z.object({ tenantId }),
  examples: [{ title: 'Our own', input: { tenantId: 3 }, output: exampleBranding }],
  async handler({ tx }, input) {
    return toBranding(mustExist(await findLook(tx, input.tenantId), 'tenant'))
  },
})
