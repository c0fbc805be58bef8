import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, destroys } from '#platform/operation.ts'

import { exampleTenant, tenant, tenantId } from '../tenants.schema.ts'
import { findTenant, lockTenant, toTenant, updateDeactivated } from '../tenants.store.ts'
import { setDeletion } from './deletion.store.ts'

export const deleteTenant = defineOperation({
  ...destroys(tenant),
  name: 'delete_tenant',
  title: 'Delete a tenant',
  description:
    'Suspends a tenant now and removes everything of it after graceDays, for good. activate_tenant undoes it until then. confirmation is its name. One’s own tenant cannot be deleted.',
  method: 'DELETE',
  path: '/api/v1/tenants/{tenantId}',
  roles: 'GlobalAdmin',
  input: z.object({
    tenantId,
    confirmation: z.string().max(200).describe("The tenant's name, letter by letter"),
    graceDays: z.int().min(0).max(365).optional().describe('30 unless told'),
  }),
  examples: [
    {
      title: 'The contract ended',
      input: { tenantId: 3, confirmation: 'Northwind Field Services' },
      output: { ...exampleTenant, isDeactivated: 1, deletionDate: '2026-12-21T10:00:00.000Z' },
    },
  ],
  async handler(context, input) {
    const { tx, services, stamp } = context
    const { tenantId: of, graceDays = 30 } = input
    await lockTenant(tx, of)
    const found = mustExist(await findTenant(tx, of), 'tenant')
    if (of === context.tenantId)
      throw new AppError('conflict', 'You would delete the tenant that you are in. A global administrator of another tenant can do it.')
    if (input.confirmation !== found.name) {
      const message = 'confirmation is not the name of the tenant. get_tenant shows it.'
      throw new AppError('invalid_input', message, { issues: [finding('$.confirmation', message)] })
    }
    if (found.deleteAfter !== null && found.deleteAfter <= stamp) throw new AppError('conflict', 'The tenant is being removed already.')
    await updateDeactivated(tx, of, true)
    await setDeletion(tx, of, graceDays)
    context.audit({ graceDays, name: found.name })
    context.afterCommit(() => services.wake.poke(credentialsTopic))
    return toTenant(mustExist(await findTenant(tx, of), 'tenant'), services.config.tenantDomain)
  },
})
