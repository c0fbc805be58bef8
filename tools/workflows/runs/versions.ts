/** Published versions as runs follow them. */
import { cachedCatalog } from '#tools/entities/service.ts'
import type { TxContext } from '#platform/operation.ts'

import { readPublished } from '../definition/published.ts'
import { findWorkflows } from '../workflows.store.ts'
import type { FlowVersion } from './runs.types.ts'

/** The version, with today's names. */
export async function findFlowVersion(context: TxContext, workflowId: number, version: number): Promise<FlowVersion | undefined> {
  const catalog = await cachedCatalog(context)
  const published = await readPublished(context, catalog, workflowId, version)
  if (!published) return undefined
  const { internalName, entityId, roleFlag, plan, body } = published
  const entity = entityId === null ? undefined : catalog.byIdOrName.get(String(entityId))?.internalName
  const { variables, input, maxDurationDays, concurrency, steps } = body
  const actsAs = (await findWorkflows(context.tx, context.tenantId, [workflowId])).get(workflowId)?.serviceUserId ?? 0
  return { workflowId, version, internalName, entity, variables, input, maxDurationDays, concurrency, steps, plan, actsAs, roleFlag }
}
