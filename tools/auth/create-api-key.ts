import { z } from 'zod'

import { hasTenant } from '#platform/db/tenant.ts'
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, type TxContext, writes } from '#platform/operation.ts'
import { flagOf, roleBits } from '#platform/roles.ts'
import { refuseStaleProof } from '#platform/sessions.ts'
import { findUser, refuseActingAs, refuseGrant, type UserRow } from '#tools/users/service.ts'
import { roles, tenantId, tenantUserId } from '#tools/users/users.schema.ts'

import { allowedAddresses, exampleApiKey, exampleSecret, expiresAt, keyName, newApiKey, validHours } from './auth.schema.ts'
import { toApiKey } from './auth.store.ts'
import { tellOfKey } from './changed-key.ts'
import { soundHours } from './key-limits.ts'
import { makeKey } from './service.ts'

export const createApiKey = defineOperation({
  ...writes(newApiKey),
  errors: ['fresh_proof_required'],
  name: 'create_api_key',
  title: 'Create an API key',
  description:
    "Makes a key and shows its secret this once. It acts as a service user of its own, or with tenantUserId (needs AdminUser too, and the user's roles) as that user, with the roles that both hold at each call. Only roles that you hold; tenantId is for global administrators.",
  method: 'POST',
  path: '/api/v1/api-keys',
  roles: 'AdminIntegration',
  issuesSecret: { idField: 'apiKeyId' },
  input: z.object({
    name: keyName,
    roles: roles.describe('The fewest that do; list_roles says what each is for'),
    expiresAt: expiresAt.optional(),
    allowedAddresses: allowedAddresses.optional(),
    validHours: validHours.optional().describe('When it may be used; always unless told'),
    tenantId: tenantId.optional().describe('Another tenant than your own; for global administrators'),
    tenantUserId: tenantUserId.optional().describe('Whom the key acts as'),
  }),
  examples: [
    {
      title: 'For an agent that dispatches',
      input: { name: 'Dispatch agent', roles: ['DataView', 'DataEdit'], expiresAt: '2027-11-21T00:00:00Z' },
      output: { ...exampleApiKey, apiKey: exampleSecret },
    },
  ],
  async handler(context, input) {
    const { actor, stamp } = context
    // A key outlives the session that made it, so whoever finds a session open must not make one.
    refuseStaleProof(actor)
    const roleFlag = flagOf(input.roles)
    refuseGrant(actor.roleFlag, roleFlag)
    if (input.tenantId !== undefined && (actor.roleFlag & roleBits.GlobalAdmin) === 0) {
      throw new AppError('forbidden', 'Only a global administrator makes keys with a tenantId. Leave it out for your own tenant.')
    }
    if (input.tenantUserId !== undefined && (actor.roleFlag & roleBits.AdminUser) === 0) {
      throw new AppError('forbidden', 'A key that acts as a user needs the role AdminUser too.')
    }
    const hours = soundHours(input, stamp)
    const target = input.tenantId ?? context.tenantId
    const { row, secret } = await context.asTenant(target, async () => {
      if (input.tenantId !== undefined) await mustBeTenant(context, target)
      if (input.tenantUserId !== undefined) refuseActingAs(actor.roleFlag, await mustBePerson(context, target, input.tenantUserId))
      const madeBy = target === context.tenantId ? actor.tenantUserId : undefined
      return makeKey(context.tx, target, { ...input, validHours: hours, roleFlag, madeBy, at: stamp })
    })
    tellOfKey(context, `An API key was made in your session: ${input.name}.`)
    context.audit({ apiKeyId: row.apiKeyId, ofTenant: target, roleFlag })
    const { apiKeyId, ...shown } = toApiKey(row)
    return { apiKeyId, apiKey: secret, ...shown }
  },
})

async function mustBeTenant({ tx }: TxContext, tenantId: number): Promise<void> {
  if (await hasTenant(tx, tenantId)) return
  throw new AppError('invalid_input', 'There is no such tenant.', {
    issues: [finding('$.tenantId', 'There is no such tenant.')],
  })
}

async function mustBePerson({ tx }: TxContext, tenantId: number, tenantUserId: number): Promise<UserRow> {
  const user = await findUser(tx, tenantId, tenantUserId)
  if (user && !user.isService) return user
  const message = user ? 'This is the service user of another key. Name a person, or leave it out.' : 'There is no such user.'
  throw new AppError('invalid_input', message, { issues: [finding('$.tenantUserId', message)] })
}
