import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { exampleTenant, tenant, tenantId } from './tenants.schema.ts'
import { findTenant, lockTenant, toTenant, updateDeactivated } from './tenants.store.ts'

export const activateTenant = defineOperation({
  ...writes(tenant),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'activate_tenant',
  title: 'Activate a tenant',
  description:
    'Ends the suspension of a tenant, or undoes its deletion until the day of that: its keys and users work again as before. Outside of activeStart and activeEnd it stays suspended: update_tenant.',
  method: 'POST',
  path: '/api/v1/tenants/{tenantId}/activate',
  roles: 'GlobalAdmin',
  input: z.object({ tenantId }),
  examples: [{ title: 'Paid', input: { tenantId: 3 }, output: exampleTenant }],
  async handler(context, input) {
    const { tx, services } = context
    await lockTenant(tx, input.tenantId)
    const found = mustExist(await findTenant(tx, input.tenantId), 'tenant')
    if (found.deleteAfter !== null && found.deleteAfter <= context.stamp)
      throw new AppError('conflict', 'The time to undo the deletion is over: the tenant is being removed.')
    await updateDeactivated(tx, input.tenantId, false)
    context.afterCommit(() => services.wake.poke(credentialsTopic))
    return toTenant(mustExist(await findTenant(tx, input.tenantId), 'tenant'), services.config.tenantDomain)
  },
})
