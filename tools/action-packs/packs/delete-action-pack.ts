import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { AppError } from '#platform/errors.ts'
import { defineOperation, destroys } from '#platform/operation.ts'

import { packSlot } from '../action-packs.schema.ts'
import { countInstalls, deletePack } from '../action-packs.store.ts'
import { openPack, refuseShipped } from './packs.ts'

export const deleteActionPack = defineOperation({
  ...destroys(z.object({ actionPackId: z.int(), deleted: z.literal(true) })),
  name: 'delete_action_pack',
  title: 'Delete an action pack',
  description: 'Deletes a pack of yours with all versions. While it is installed: 409, uninstall_action_pack first.',
  method: 'DELETE',
  path: '/api/v1/action-packs/{actionPack}',
  roles: 'BuilderAdmin',
  input: z.object({ actionPack: packSlot }),
  examples: [{ title: 'By name', input: { actionPack: 'tellOfDefects' }, output: { actionPackId: 1_001, deleted: true } }],
  async handler(context, input) {
    // After whoever installs it at the same moment, or before.
    return changeOtherDefinitions(context, async () => {
      const { tx, tenantId } = context
      const pack = await openPack(context, input.actionPack)
      refuseShipped(pack)
      const installs = (await countInstalls(tx, tenantId, [pack.packId])).get(pack.packId) ?? 0
      if (installs > 0)
        throw new AppError(
          'conflict',
          `${pack.internalName} is installed ${installs === 1 ? 'once' : `${installs} times`}. uninstall_action_pack first.`,
        )
      await deletePack(tx, tenantId, pack.packId)
      context.audit({ actionPackId: pack.packId })
      return { actionPackId: pack.packId, deleted: true as const }
    })
  },
})
