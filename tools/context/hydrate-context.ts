import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { mustExist } from '#platform/errors.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { timeOf } from '#tools/query/service.ts'
import { findCaller } from '#tools/schema/service.ts'

import { anchorInput, bundle, exampleBundle } from './context.schema.ts'
import { hydrate } from './hydrating.ts'
import { soundContext } from './shown.ts'

export const hydrateContext = defineOperation({
  ...reads(bundle),
  name: 'hydrate_context',
  title: 'Read the bundle of a context',
  description:
    'A record and the related records and reports that a context names, as one bundle, now or as of a time. At most 10,000 rows; truncated names of what there is more. list_contexts gives the names.',
  method: 'POST',
  path: '/api/v1/context/{context}/hydrate',
  roles: 'DataView',
  input: z.object(anchorInput),
  examples: [{ title: 'An order by its key', input: { context: 'OrderForCustomer', key1: 'WO-1042' }, output: exampleBundle }],
  async handler(context, { context: slot, asOfDate, ...anchorOf }) {
    const { tx, tenantId, actor, services } = context
    const asOf = asOfDate === undefined ? undefined : timeOf(asOfDate, 'asOfDate', 'end')
    const { plan, row } = await soundContext(context, await cachedCatalog(context), slot)
    const { anchor, data, truncated, withheld } = await hydrate(context, plan, anchorOf, asOf)
    const { serverTimeUtc } = mustExist(await findCaller(tx, tenantId, actor.tenantUserId, services.config.tenantDomain), 'user')
    const { internalName, entityId } = plan.entity
    return {
      context: row.internalName,
      anchor: { entity: internalName, entityId, eiRecordId: Number(anchor['eiRecordId']), externalKey: String(anchor['externalKey']) },
      data: data as z.output<typeof bundle>['data'],
      truncated: [...truncated],
      withheld: [...withheld],
      asOfUtc: asOf ?? serverTimeUtc,
    }
  },
})
