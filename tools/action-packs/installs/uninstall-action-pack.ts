import { z } from 'zod'

import { defineOperation, destroys } from '#platform/operation.ts'
import { cancelRunsOf, openInstall, removeInstall } from '#tools/workflows/service.ts'

import { installId } from '../action-packs.schema.ts'
import { deleteInstall } from '../action-packs.store.ts'
import { changing } from './installing.ts'

export const uninstallActionPack = defineOperation({
  ...destroys(z.object({ installId: z.int(), deleted: z.literal(true) })),
  name: 'uninstall_action_pack',
  title: 'Uninstall an action pack',
  description:
    'Nothing fires the install any more, and its runs under way are cancelled: what they did is undone where their steps say how. The log stays.',
  method: 'DELETE',
  path: '/api/v1/action-packs/installs/{installId}',
  roles: 'BuilderAdmin',
  input: z.object({ installId }),
  examples: [{ title: 'It is not needed', input: { installId: 10_400 }, output: { installId: 10_400, deleted: true } }],
  async handler(context, input) {
    return changing(context, async () => {
      const { tx, tenantId } = context
      await removeInstall(context, await openInstall(context, input.installId))
      await deleteInstall(tx, tenantId, input.installId)
      await cancelRunsOf(context, input.installId, 'The pack was uninstalled.')
      return { installId: input.installId, deleted: true as const }
    })
  },
})
