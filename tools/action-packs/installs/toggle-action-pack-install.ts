import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'
import { flagOf } from '#platform/roles.ts'
import { refuseGrant } from '#tools/users/service.ts'
import { openInstall, rolesOfBody, toggleInstall } from '#tools/workflows/service.ts'

import { exampleInstall, install, installId } from '../action-packs.schema.ts'
import { changing } from './installing.ts'
import { showInstall } from './shown.ts'

export const toggleActionPackInstall = defineOperation({
  ...writes(install),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'toggle_action_pack_install',
  title: 'Stop or resume an installed action pack',
  description: 'With isEnabled false nothing fires the install any more; runs under way go on. Resuming asks for the roles of its runs.',
  method: 'POST',
  path: '/api/v1/action-packs/installs/{installId}/toggle',
  roles: 'BuilderAdmin',
  input: z.object({ installId, isEnabled: z.boolean().describe('false stops it') }),
  examples: [{ title: 'Stop', input: { installId: 10_400, isEnabled: false }, output: { ...exampleInstall, isEnabled: false } }],
  async handler(context, { installId: id, isEnabled }) {
    return changing(context, async () => {
      const draft = await openInstall(context, id)
      if (isEnabled) refuseGrant(context.actor.roleFlag, flagOf(rolesOfBody(draft.body)))
      context.audit({ installId: id, isEnabled })
      return showInstall(context, await toggleInstall(context, draft, isEnabled))
    })
  },
})
