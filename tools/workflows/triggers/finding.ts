/** A live trigger, with the version whose runs it starts. */
import type { TxContext } from '#platform/operation.ts'

import type { FindFlowVersion } from '../runs/versions.ts'
import { findLiveTrigger } from './triggers.store.ts'
import { type Live, triggerIdOf } from './triggers.types.ts'

/** Undefined where the part is no trigger, or fires no more. */
export async function findLive(context: TxContext, findVersion: FindFlowVersion, part: string): Promise<Live | undefined> {
  const triggerId = triggerIdOf(part)
  const trigger = triggerId === undefined ? undefined : await findLiveTrigger(context.tx, context.tenantId, triggerId)
  const version = trigger && (await findVersion(context, trigger.definitionId, trigger.version))
  const said = version?.triggers?.find((one) => one['triggerId'] === triggerId)
  return trigger && version && said ? { trigger, version, said } : undefined
}
