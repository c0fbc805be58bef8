import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { exampleTenant, tenant, tenantId } from './tenants.schema.ts'
import { findTenant, lockTenant, toTenant, updateDeactivated } from './tenants.store.ts'

export const suspendTenant = defineOperation({
  ...writes(tenant),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'suspend_tenant',
  title: 'Suspend a tenant',
  description:
    "Refuses every call and sign-in of a tenant with 403, at once; its data is kept. activate_tenant undoes it. One's own tenant cannot be suspended.",
  method: 'POST',
  path: '/api/v1/tenants/{tenantId}/suspend',
  roles: 'GlobalAdmin',
  input: z.object({ tenantId }),
  examples: [{ title: 'Unpaid', input: { tenantId: 3 }, output: { ...exampleTenant, isDeactivated: 1 } }],
  async handler(context, input) {
    const { tx, services } = context
    // Its keys could not undo it, and perhaps nobody else's.
    if (input.tenantId === context.tenantId)
      throw new AppError('conflict', 'You would lock yourself out. A global administrator of another tenant can do it.')
    await lockTenant(tx, input.tenantId)
    const found = mustExist(await findTenant(tx, input.tenantId), 'tenant')
    if (found.deleteAfter !== null)
      throw new AppError('conflict', 'The tenant is about to be deleted, and suspended already. activate_tenant keeps it.')
    await updateDeactivated(tx, input.tenantId, true)
    context.afterCommit(() => services.wake.poke(credentialsTopic))
    return toTenant(mustExist(await findTenant(tx, input.tenantId), 'tenant'), services.config.tenantDomain)
  },
})
