/** In whose right a link works: its maker's, with what the credential that made it holds today, and in the name of its recipient. */
import type { ActingFor } from '#platform/acting.ts'
import { AppError } from '#platform/errors.ts'
import { rolesOfAbsent } from '#platform/holding.ts'
import type { Actor, StagedContext, TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'

import type { LinkRow } from './links.store.ts'

export interface Maker {
  readonly who: ActingFor
  readonly actor: Actor
}

function rightGone(): AppError {
  return new AppError('forbidden', 'Whoever made the link may no longer do what it is for. Ask them for a new one.')
}

/** Throws AppError `forbidden` where the maker's right is gone, `tenant_suspended` where the tenant is. */
export async function makerOf({ services }: Pick<StagedContext, 'services'>, tenantId: number, link: LinkRow): Promise<Maker> {
  const asker = {
    kind: link.makerKind,
    credentialId: link.makerCredential,
    tenantId,
    tenantUserId: link.madeBy,
    roleFlag: link.makerRoleFlag,
  } as const
  try {
    const roleFlag = await rolesOfAbsent(services, asker)
    const who: ActingFor = {
      tenantId,
      tenantUserId: link.madeBy,
      roleFlag,
      writesAs: link.toUserId ?? undefined,
      origin: { kind: 'link', id: link.linkId, depth: 0 },
    }
    const actor = await services.pipeline.identify({ kind: 'acting', who })
    if ((actor.roleFlag & roleBits.DataEdit) === 0) throw rightGone()
    return { who, actor }
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') throw rightGone()
    throw error
  }
}

/**
 * By whose sight a link shows what a record holds: its maker's. A run lets whoever its task is for change a record, and shows them no more of it than they
 * see by themselves. Undefined where that is nothing.
 */
export async function seerOf(
  { services }: Pick<StagedContext, 'services'>,
  tenantId: number,
  link: LinkRow,
  maker: Maker,
): Promise<Actor | undefined> {
  if (link.makerKind !== 'acting') return maker.actor
  if (link.toUserId === null) return undefined
  const who: ActingFor = { tenantId, tenantUserId: link.toUserId, origin: { kind: 'link', id: link.linkId, depth: 0 } }
  try {
    const actor = await services.pipeline.identify({ kind: 'acting', who })
    return (actor.roleFlag & roleBits.DataView) === 0 ? undefined : actor
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return undefined
    throw error
  }
}

/** Throws AppError `forbidden` where whoever makes, or made, a link could not upload a file themselves. */
export function mustUpload(actor: Pick<Actor, 'roleFlag'>): void {
  if ((actor.roleFlag & roleBits.FileEdit) !== 0) return
  throw new AppError('forbidden', 'The form takes files, and whoever makes a link to it must have the role FileEdit.')
}

/** The transaction as the maker sees it. */
export function asMaker(context: TxContext, { actor }: Maker): TxContext {
  return { ...context, tenantId: actor.tenantId, actor }
}
