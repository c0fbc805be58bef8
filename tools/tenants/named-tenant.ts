/** The tenant that a path names. */
import { hasTenant } from '#platform/db/tenant.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'

/** Runs in it: the caller's own, or any one for a global administrator. Throws AppError `not_found`, the same for another's as for one that does not exist. */
export async function inNamedTenant<T>(context: TxContext, tenantId: number, run: () => Promise<T>): Promise<T> {
  if (tenantId === context.tenantId) return run()
  const isGlobal = (context.actor.roleFlag & roleBits.GlobalAdmin) !== 0
  if (!isGlobal || !(await hasTenant(context.tx, tenantId))) throw new AppError('not_found', 'No such tenant.')
  return context.asTenant(tenantId, run)
}
