import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { tenantId } from '../tenants.schema.ts'
import { exampleLimits, limits, tenantLimits } from './limits.schema.ts'
import { findLimits, updateLimits } from './limits.store.ts'
import { shownLimits } from './limits.rules.ts'

export const setTenantLimits = defineOperation({
  ...writes(tenantLimits),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'set_tenant_limits',
  title: 'Set the limits of a tenant',
  description:
    'What a tenant may have; null takes a limit away, what is left out stays. Past one a write is refused with 409, calls with 429; what is there already stays. get_tenant_usage shows how far it is.',
  method: 'PUT',
  path: '/api/v1/tenants/{tenantId}/limits',
  roles: 'GlobalAdmin',
  input: z.object({
    tenantId,
    callsPerMinute: limits.callsPerMinute.optional().describe('Of all its keys and users together'),
    records: limits.records.optional().describe('Live ones'),
    bytes: limits.bytes.optional().describe('Of files'),
    users: limits.users.optional().describe('People'),
    messagesPerDay: limits.messagesPerDay.optional().describe('Sent within 24 hours'),
  }),
  examples: [{ title: 'A small plan', input: { tenantId: 3, ...exampleLimits }, output: { tenantId: 3, ...exampleLimits } }],
  async handler(context, { tenantId: of, ...asked }) {
    const { tx, services } = context
    const before = mustExist(await findLimits(tx, of), 'tenant')
    const told = Object.fromEntries(Object.entries(asked).filter(([, one]) => one !== undefined))
    const after = shownLimits({ ...before, ...told })
    await updateLimits(tx, of, after)
    context.audit({ limits: after })
    context.afterCommit(() => services.wake.poke(credentialsTopic))
    return { tenantId: of, ...after }
  },
})
