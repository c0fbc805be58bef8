import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { openInstall } from '#tools/workflows/service.ts'

import { installId } from '../action-packs.schema.ts'
import { fire } from './firing.ts'
import { actionState } from './runs.schema.ts'

export const fireActionPackInstall = defineOperation({
  ...writes(z.object({ actionRunId: z.int(), state: actionState })),
  errors: ['not_found', 'unprocessable', 'unknown_entity'],
  name: 'fire_action_pack_install',
  title: 'Fire an installed action pack',
  description: 'Starts a run by hand, with the input of its manual trigger where it has one. Switched off: 409. Then get_action_run.',
  method: 'POST',
  path: '/api/v1/action-packs/installs/{installId}/fire',
  roles: 'DataEdit',
  input: z.object({
    installId,
    eiRecordId: z.int().min(1).optional().describe('Where the pack is about an entity'),
    input: z.record(z.string().max(64), z.unknown()).optional().describe('The steps find it in $trigger.input'),
  }),
  examples: [{ title: 'Now', input: { installId: 10_400 }, output: { actionRunId: 91, state: 'running' } }],
  async handler(context, { installId: id, input = {}, eiRecordId }) {
    const draft = await openInstall(context, id)
    if (!draft.state.isEnabled)
      throw new AppError('conflict', `${draft.row.internalName} is switched off. toggle_action_pack_install resumes it.`)
    const { runId: actionRunId, state } = await fire(context, draft, input, eiRecordId)
    context.audit({ actionRunId })
    return { actionRunId, state }
  },
})
