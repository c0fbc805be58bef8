/** Published versions as runs follow them. */
import { cachedCatalog } from '#tools/entities/service.ts'
import type { TxContext } from '#platform/operation.ts'

import { readPublished } from '../definition/published.ts'
import { findWorkflows } from '../workflows.store.ts'
import type { CarriedVersion, FlowVersion } from './runs.types.ts'

/** The version that a run follows, with today's names. */
export async function findCarriedVersion(context: TxContext, workflowId: number, version: number): Promise<CarriedVersion | undefined> {
  const catalog = await cachedCatalog(context)
  const published = await readPublished(context, catalog, workflowId, version)
  if (!published) return undefined
  const { internalName, entityId, roleFlag, plan, body, renames } = published
  const entity = entityId === null ? undefined : catalog.byIdOrName.get(String(entityId))?.internalName
  const { variables, input, maxDurationDays, concurrency, steps, triggers, pack, settingValues: settings } = body
  const said = { entity, variables, input, maxDurationDays, concurrency, steps, triggers, pack, settings }
  return { workflowId, version, internalName, ...said, plan, roleFlag, renames }
}

/** The same, for a run that is to begin. */
export async function findFlowVersion(context: TxContext, workflowId: number, version: number): Promise<FlowVersion | undefined> {
  const carried = await findCarriedVersion(context, workflowId, version)
  if (!carried) return undefined
  const actsAs = (await findWorkflows(context.tx, context.tenantId, [workflowId])).get(workflowId)?.serviceUserId ?? 0
  return { ...carried, actsAs }
}

/** Finds the version that starts. */
export type FindFlowVersion = typeof findFlowVersion
