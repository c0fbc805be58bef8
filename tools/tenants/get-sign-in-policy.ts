import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { findSignInPolicy } from '#tools/auth/service.ts'
import { exampleSignInPolicy, signInPolicy } from '#tools/auth/policy/policy.schema.ts'

import { inNamedTenant } from './named-tenant.ts'
import { tenantId } from './tenants.schema.ts'

export const getSignInPolicy = defineOperation({
  ...reads(signInPolicy),
  name: 'get_sign_in_policy',
  title: 'Read the sign-in policy',
  description: 'What a tenant asks of those who sign in: who must show a second factor, which ones count, and whether apps may be let in.',
  method: 'POST',
  path: '/api/v1/tenants/{tenantId}/sign-in-policy',
  roles: 'GlobalAdmin|AdminUser',
  input: z.object({ tenantId }),
  examples: [{ title: 'My own tenant', input: { tenantId: 3 }, output: exampleSignInPolicy }],
  handler: async (context, input) => inNamedTenant(context, input.tenantId, () => findSignInPolicy(context.tx, input.tenantId)),
})
