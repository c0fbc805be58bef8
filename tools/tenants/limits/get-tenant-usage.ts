import { z } from 'zod'

import { flushCalls } from '#platform/call-counts.ts'
import { mustExist } from '#platform/errors.ts'
import { defineStagedOperation, reads } from '#platform/operation.ts'

import { tenantId } from '../tenants.schema.ts'
import { rangeOf, shownLimits } from './limits.rules.ts'
import { exampleLimits, tenantUsage } from './limits.schema.ts'
import { readLimits, readUsage } from './limits.store.ts'

export const getTenantUsage = defineStagedOperation({
  ...reads(tenantUsage),
  name: 'get_tenant_usage',
  title: 'Read what a tenant uses',
  description:
    'Records, bytes and users of a tenant now, its runs, messages and calls of a time (the last 30 days unless told), and its limits. Calls are up to ten seconds late.',
  method: 'POST',
  path: '/api/v1/tenants/{tenantId}/usage',
  roles: 'GlobalAdmin',
  input: z.object({
    tenantId,
    from: z.iso.datetime({ offset: true }).optional().describe('Not before'),
    to: z.iso.datetime({ offset: true }).optional().describe('Not after'),
  }),
  examples: [
    {
      title: 'The last month',
      input: { tenantId: 3 },
      output: {
        tenantId: 3,
        from: '2026-10-22T10:00:00.000Z',
        to: '2026-11-21T10:00:00.000Z',
        records: 48_210,
        bytes: 912_384_000,
        users: 38,
        runs: 1_204,
        messages: 3_310,
        calls: 410_233,
        limits: exampleLimits,
      },
    },
  ],
  async stagedHandler(context, { tenantId: of, ...input }) {
    await flushCalls(context.services)
    const range = rangeOf(Date.now(), input.from, input.to)
    return context.inTransaction(
      async (inner) => {
        const limits = mustExist(await readLimits(inner.tx, of), 'tenant')
        const used = await inner.asTenant(of, () => readUsage(inner.tx, of, range))
        return { tenantId: of, ...range, ...used, limits: shownLimits(limits) }
      },
      { readOnly: true },
    )
  },
})
