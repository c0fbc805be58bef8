import { z } from 'zod'

import { hashApiKey } from '#platform/api-keys.ts'
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { rolesOf } from '#platform/roles.ts'
import { tenantId } from '#tools/users/users.schema.ts'

import { apiKey, exampleApiKey } from './auth.schema.ts'
import { findKeys } from './auth.store.ts'

const foundKey = apiKey.omit({ allowedAddresses: true, validHours: true }).extend({ tenantId, tenantName: z.string() })
const { allowedAddresses: _addresses, validHours: _hours, ...exampleFound } = exampleApiKey

export const findApiKeys = defineOperation({
  ...reads(z.array(foundKey)),
  errors: [],
  name: 'find_api_keys',
  title: 'Find whose API key it is',
  description:
    'Whose a leaked key is, over all tenants, revoked ones too, the latest first, at most 100: by its first 8 characters or more, or by the key itself, which is hashed and written nowhere. Its tenant ends it with revoke_api_key.',
  method: 'POST',
  path: '/api/v1/api-keys/find',
  roles: 'GlobalAdmin',
  input: z.object({
    prefix: z.string().min(8).max(200).optional().describe('How it begins: flk_x8QfW2mT'),
    apiKey: z.string().min(8).max(200).optional().describe('The whole key, in its place'),
  }),
  examples: [
    {
      title: 'Found in a repository',
      input: { prefix: 'flk_x8QfW2mT' },
      output: [{ ...exampleFound, tenantId: 3, tenantName: 'Northwind' }],
    },
  ],
  async handler({ tx, audit }, input) {
    if ((input.prefix === undefined) === (input.apiKey === undefined)) {
      const message = 'Give either prefix or apiKey.'
      throw new AppError('invalid_input', message, { issues: [finding('$.prefix', message)] })
    }
    const rows = await findKeys(tx, input.prefix ?? null, input.apiKey === undefined ? null : hashApiKey(input.apiKey))
    // Who looked, and at whose: of what was sent nothing.
    audit({ found: rows.map(({ apiKeyId }) => apiKeyId) })
    return rows.map(({ roleFlag, ...shown }) => ({ ...shown, roles: rolesOf(roleFlag) }))
  },
})
