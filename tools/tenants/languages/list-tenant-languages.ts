import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { tenantId } from '../tenants.schema.ts'
import { exampleLanguage, tenantLanguage } from './languages.schema.ts'
import { listTenantLanguageRows } from './languages.store.ts'

export const listTenantLanguages = defineOperation({
  ...reads(z.array(tenantLanguage)),
  name: 'list_tenant_languages',
  title: 'List the languages of a tenant',
  description:
    'All languages with whether a tenant offers them, and which is its default. list_languages shows users those of their own that are enabled.',
  method: 'POST',
  path: '/api/v1/tenants/{tenantId}/languages/list',
  roles: 'GlobalAdmin',
  input: z.object({ tenantId }),
  examples: [{ title: 'Those of a customer', input: { tenantId: 3 }, output: [exampleLanguage] }],
  async handler({ tx }, input) {
    const rows = await listTenantLanguageRows(tx, input.tenantId)
    mustExist(rows[0], 'tenant')
    return rows
  },
})
