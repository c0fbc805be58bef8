/** Who sees a stored definition, and who changes it. */
import type { Actor, Transport } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'

export interface Viewer {
  readonly tenantUserId: number
  /** Builders see what others own, and so does the system. */
  readonly seesAll: boolean
  /** A key or an agent, from whom a definition may be hidden. */
  readonly isApi: boolean
}

export function viewerOf({ actor, transport }: { readonly actor: Actor; readonly transport: Transport }): Viewer {
  return {
    tenantUserId: actor.tenantUserId,
    seesAll: actor.kind === 'system' || (actor.roleFlag & roleBits.BuilderAdmin) !== 0,
    isApi: actor.kind === 'key' || transport === 'mcp',
  }
}

/** Why the viewer does not change a definition that it sees; undefined where it does. `noun` names the kind. */
export function whyNotChanged(
  viewer: Viewer,
  row: { readonly ownerId: number; readonly isSystem: boolean },
  noun: string,
): string | undefined {
  if (row.isSystem) return `The ${noun} ships with the product and is read-only. Copy it and change the copy.`
  if (viewer.seesAll || row.ownerId === viewer.tenantUserId) return undefined
  return `Only its owner and builders change the ${noun}. Copy it and change the copy.`
}
