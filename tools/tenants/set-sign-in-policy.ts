import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { mailStateOf, smsStateOf } from '#platform/person-mail.ts'
import { findSignInPolicy, saveSignInPolicy } from '#tools/auth/service.ts'
import {
  appsDemand,
  exampleSignInPolicy,
  type PolicyChannel,
  policyFactors,
  secondFactorDemand,
  signInPolicy,
} from '#tools/auth/policy/policy.schema.ts'

import { inNamedTenant } from './named-tenant.ts'
import { tenantId } from './tenants.schema.ts'

export const setSignInPolicy = defineOperation({
  ...writes(signInPolicy),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'set_sign_in_policy',
  title: 'Set the sign-in policy',
  description:
    'Says who must show a second factor to enter a tenant, and which ones count; what is left out is open. It counts from the next sign-in or change of tenant: whoever lacks a factor enrols one there. list_users shows who does.',
  method: 'PUT',
  path: '/api/v1/tenants/{tenantId}/sign-in-policy',
  roles: 'GlobalAdmin|AdminUser',
  input: z.object({
    tenantId,
    secondFactor: secondFactorDemand,
    factors: policyFactors.nullable().optional().describe('Which count; null, or left out: any'),
    apps: appsDemand.optional().describe('Which applications people may let in by OAuth; any unless told'),
  }),
  examples: [
    {
      title: 'Administrators show a passkey or an app',
      input: { tenantId: 3, secondFactor: 'administrators', factors: ['passkey', 'totp'] },
      output: exampleSignInPolicy,
    },
  ],
  async handler(context, { tenantId: wanted, secondFactor, factors, apps }) {
    const { config } = context.services
    const isUsable = (factor: PolicyChannel) =>
      (factor !== 'email' || mailStateOf(config) !== 'absent') && (factor !== 'sms' || smsStateOf(config) !== 'absent')
    if (factors && !factors.some(isUsable))
      throw new AppError(
        'conflict',
        'This installation sends no such codes, so nobody could enrol one. Let a passkey or an authenticator app count too.',
      )
    return inNamedTenant(context, wanted, async () => {
      const before = await findSignInPolicy(context.tx, wanted)
      const after = { tenantId: wanted, secondFactor, factors: factors ? [...new Set(factors)] : null, apps: apps ?? 'any' }
      await saveSignInPolicy(context.tx, after)
      context.audit({ before, after })
      return after
    })
  },
})
