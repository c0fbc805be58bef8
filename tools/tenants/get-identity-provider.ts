import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { exampleIdentityProvider, identityProvider } from '#tools/auth/provider/provider.schema.ts'
import { findProvider } from '#tools/auth/service.ts'

import { inNamedTenant } from './named-tenant.ts'
import { shownProvider } from './shown-provider.ts'
import { tenantId } from './tenants.schema.ts'

export const getIdentityProvider = defineOperation({
  ...reads(identityProvider),
  name: 'get_identity_provider',
  title: 'Read the identity provider',
  description:
    'The OpenID Connect provider by which people sign in to a tenant, without its secret, and the callbackUrl to register there. issuer null: there is none.',
  method: 'POST',
  path: '/api/v1/tenants/{tenantId}/identity-provider',
  roles: 'GlobalAdmin|AdminUser',
  input: z.object({ tenantId }),
  examples: [{ title: 'My own tenant', input: { tenantId: 3 }, output: exampleIdentityProvider }],
  handler: async (context, input) =>
    inNamedTenant(context, input.tenantId, async () =>
      shownProvider(context.services, input.tenantId, await findProvider(context.tx, input.tenantId)),
    ),
})
