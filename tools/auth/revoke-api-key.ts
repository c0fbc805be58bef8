import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { tell } from '#platform/event-log.ts'
import { defineOperation, destroys } from '#platform/operation.ts'

import { apiKeyId } from './auth.schema.ts'
import { markRevoked } from './auth.store.ts'
import { lockLesserKey } from './changed-key.ts'

const revoked = z.object({ apiKeyId, revokedDate: z.iso.datetime() })

export const revokeApiKey = defineOperation({
  ...destroys(revoked),
  name: 'revoke_api_key',
  title: 'Revoke an API key',
  description:
    'Ends a key for good and at once, on every process; calls with it answer 401 from then on. What the key has done stays. Nobody revokes a key that holds a role they lack.',
  method: 'DELETE',
  path: '/api/v1/api-keys/{apiKeyId}',
  roles: 'AdminIntegration',
  input: z.object({ apiKeyId }),
  examples: [{ title: 'A key that leaked', input: { apiKeyId: 5 }, output: { apiKeyId: 5, revokedDate: '2026-11-21T10:05:00.000Z' } }],
  async handler(context, input) {
    const { tx, tenantId, stamp, services } = context
    const found = await lockLesserKey(context, input.apiKeyId)
    await markRevoked(tx, tenantId, found.apiKeyId, stamp)
    tell(context, 'apiKey.revoked', { apiKeyId: found.apiKeyId })
    context.afterCommit(() => services.wake.poke(credentialsTopic))
    return { apiKeyId: found.apiKeyId, revokedDate: stamp }
  },
})
