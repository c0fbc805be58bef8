/** What a tenant asks of those who sign in, on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'

/** Recovery codes stand in for any of them. */
export const policyChannels = ['passkey', 'totp', 'email', 'sms'] as const

export const secondFactorDemand = z
  .enum(['optional', 'administrators', 'all'])
  .describe('Who must show one; administrators: who holds BuilderAdmin, GlobalAdmin or a role that begins with Admin')
export const policyFactors = z.array(z.enum(policyChannels)).min(1).max(policyChannels.length).describe('Which count; any unless told')
export const appsDemand = z.enum(['any', 'none']).describe('Which applications people may let in by OAuth')

export const signInPolicy = z.object({
  tenantId: z.int().min(1),
  secondFactor: secondFactorDemand,
  factors: policyFactors.nullable().describe('Which count; null: any'),
  apps: appsDemand,
})

export type PolicyChannel = (typeof policyChannels)[number]
export type SignInPolicy = z.infer<typeof signInPolicy>

export const exampleSignInPolicy: SignInPolicy = { tenantId: 3, secondFactor: 'administrators', factors: ['passkey', 'totp'], apps: 'any' }

component('SignInPolicy', signInPolicy)
