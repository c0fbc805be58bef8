import { z } from 'zod'

import { hashApiKey, newApiKey as newSecret } from '#platform/api-keys.ts'
import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { refuseStaleProof } from '#platform/sessions.ts'
import { findUser, refuseActingAs } from '#tools/users/service.ts'

import { apiKeyId, exampleApiKey, exampleSecret, newApiKey } from './auth.schema.ts'
import { replaceSecret, toApiKey } from './auth.store.ts'
import { lockLesserKey, tellOfKey } from './changed-key.ts'
import { prefixOf } from './service.ts'

const daySeconds = 86_400

const rotated = newApiKey.extend({
  previousValidUntil: z.iso.datetime().nullable().describe('When the old secret ends; null: it has ended'),
})

export const rotateApiKey = defineOperation({
  ...writes(rotated),
  errors: ['not_found', 'fresh_proof_required'],
  name: 'rotate_api_key',
  title: 'Rotate an API key',
  description:
    "Gives a key a new secret and shows it this once; the old one stays valid for graceSeconds, so that what uses it can be changed in peace; rotated again, the secret before the old one ends. Name, roles and user stay. Nobody rotates a key that holds a role they lack; one that acts as a user needs AdminUser and the user's roles too.",
  method: 'POST',
  path: '/api/v1/api-keys/{apiKeyId}/rotate',
  roles: 'AdminIntegration',
  issuesSecret: { idField: 'apiKeyId' },
  input: z.object({
    apiKeyId,
    graceSeconds: z
      .int()
      .min(0)
      .max(7 * daySeconds)
      .optional()
      .describe('How long the old secret stays valid; a day unless told, 0 ends it at once'),
  }),
  examples: [
    {
      title: 'With an hour to change over',
      input: { apiKeyId: 5, graceSeconds: 3600 },
      output: { ...exampleApiKey, apiKey: exampleSecret, previousValidUntil: '2026-11-21T11:00:00.000Z' },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, actor, services } = context
    // As for a key that is made: the new secret outlives the session.
    refuseStaleProof(actor)
    const found = await lockLesserKey(context, input.apiKeyId)
    // The new secret lets its holder act as that user, as create_api_key would.
    if (found.isUserBound) {
      if ((actor.roleFlag & roleBits.AdminUser) === 0) {
        throw new AppError('forbidden', 'The key acts as a user, so rotating it needs the role AdminUser too.')
      }
      refuseActingAs(actor.roleFlag, mustExist(await findUser(tx, tenantId, found.tenantUserId), 'user'))
    }
    const secret = newSecret()
    const graceSeconds = input.graceSeconds ?? daySeconds
    const next = mustExist(
      await replaceSecret(tx, tenantId, found.apiKeyId, { hash: hashApiKey(secret), prefix: prefixOf(secret), graceSeconds }),
      'API key',
    )
    tellOfKey(context, `An API key got a new secret in your session: ${found.name}.`)
    context.audit({ graceSeconds })
    context.afterCommit(() => services.wake.poke(credentialsTopic))
    const { apiKeyId: id, ...shown } = toApiKey(next.row)
    return { apiKeyId: id, apiKey: secret, ...shown, previousValidUntil: next.previousUntil }
  },
})
