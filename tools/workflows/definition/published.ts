/** A published version, for whatever runs it. */
import type { Plan } from '#platform/flow/plan.types.ts'
import type { TxContext } from '#platform/operation.ts'
import { findDefinitionNames, type Reference, withTodaysNames } from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'

import { findVersion } from '../workflows.store.ts'
import type { WorkflowBody } from './definition.types.ts'

interface PublishedVersion {
  readonly workflowId: number
  readonly version: number
  readonly internalName: string
  readonly entityId: number | null
  readonly roleFlag: number
  readonly plan: Plan
  /** With today's names. */
  readonly body: WorkflowBody
}

/** A version of a workflow, of a deleted one too: its runs go on. */
export async function readPublished(
  { tx, tenantId }: TxContext,
  catalog: Catalog,
  workflowId: number,
  version: number,
): Promise<PublishedVersion | undefined> {
  const row = await findVersion(tx, tenantId, workflowId, version)
  if (!row) return undefined
  // All three were written by publishing.
  const stored = JSON.parse(row.body) as Record<string, unknown>
  const references = JSON.parse(row.refs) as Reference[]
  const plan = JSON.parse(row.plan) as Plan
  const names = await findDefinitionNames(tx, tenantId, [...new Set(references.flatMap((one) => one.definitionId ?? []))])
  const body = withTodaysNames(stored, references, catalog, names) as unknown as WorkflowBody
  const { internalName, entityId, roleFlag } = row
  return { workflowId, version, internalName, entityId, roleFlag, plan, body }
}
