import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { flagOf } from '#platform/roles.ts'
import { refuseStaleProof } from '#platform/sessions.ts'
import { keepServiceUser, refuseGrant } from '#tools/users/service.ts'
import { roles } from '#tools/users/users.schema.ts'

import { isWidened, needlessWarning } from './auth.rules.ts'
import { allowedAddresses, apiKey, apiKeyId, exampleApiKey, expiresAt, keyName, validHours } from './auth.schema.ts'
import { toApiKey, updateApiKeyRow } from './auth.store.ts'
import { lockLesserKey, tellOfKey } from './changed-key.ts'
import { soundHours } from './key-limits.ts'

export const updateApiKey = defineOperation({
  ...writes(apiKey),
  errors: ['not_found', 'fresh_proof_required'],
  isIdempotent: true,
  name: 'update_api_key',
  title: 'Change an API key',
  description:
    'Changes the name, roles, expiry, allowed addresses or hours of a key, at once; what is left out stays. Nobody grants a role they lack, or changes a key that holds one. The secret stays: rotate_api_key replaces it.',
  method: 'PUT',
  path: '/api/v1/api-keys/{apiKeyId}',
  roles: 'AdminIntegration',
  input: z.object({
    apiKeyId,
    name: keyName.optional(),
    roles: roles.optional().describe('All that it shall hold'),
    expiresAt: expiresAt.nullable().optional().describe('null: never'),
    allowedAddresses: allowedAddresses.optional(),
    validHours: validHours.nullable().optional().describe('When it may be used; null: always'),
  }),
  examples: [
    {
      title: 'Only from the office',
      input: { apiKeyId: 5, allowedAddresses: ['203.0.113.0/24'] },
      output: { ...exampleApiKey, allowedAddresses: ['203.0.113.0/24'] },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, actor, stamp, services } = context
    const found = await lockLesserKey(context, input.apiKeyId)
    const roleFlag = input.roles ? flagOf(input.roles) : found.roleFlag
    refuseGrant(actor.roleFlag, roleFlag)
    const hours = soundHours(input, stamp)
    const ends = input.expiresAt === undefined ? found.expiresAt : input.expiresAt
    const change = {
      name: input.name ?? found.name,
      roleFlag,
      expiresAt: ends,
      allowedAddresses: input.allowedAddresses ?? found.allowedAddresses,
      validHours: hours === undefined ? found.validHours : hours,
      toldDays: needlessWarning(ends, stamp),
    }
    if (isWidened(found, change)) {
      refuseStaleProof(actor)
      tellOfKey(context, `An API key may do more since your session changed it: ${change.name}.`)
    }
    const row = mustExist(await updateApiKeyRow(tx, tenantId, found.apiKeyId, change), 'API key')
    if (!found.isUserBound) await keepServiceUser(tx, tenantId, found.tenantUserId, change)
    context.audit({ before: found.roleFlag, after: roleFlag })
    context.afterCommit(() => services.wake.poke(credentialsTopic))
    return toApiKey(row)
  },
})
