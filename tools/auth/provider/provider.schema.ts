/** A tenant's own provider on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { tenantUserId } from '#tools/users/users.schema.ts'

const issuer = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .nullable()
  .describe('As its discovery document says; null: none')
const clientId = z.string().trim().min(1).max(500)
const scopes = z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, 'Printable, without spaces, quotes and backslashes')).max(20)
const isRequired = z.boolean().describe('No passwords here, but of AdminUsers with a second factor')
const trustsItsSecondFactor = z.boolean().describe('Who comes by it shows none of ours')

/** Of set_identity_provider, beside the tenant. */
export const providerInput = {
  issuer,
  clientId: clientId.optional().describe('Of our registration there'),
  clientSecret: z
    .string()
    .min(1)
    .max(2_000)
    .nullable()
    .optional()
    .describe('Absent: as it is, for the same issuer and clientId; null: none'),
  scopes: scopes.optional().describe('email and profile unless told; openid always'),
  isRequired: isRequired.optional(),
  trustsItsSecondFactor: trustsItsSecondFactor.optional(),
}

export const identityProvider = z.object({
  tenantId: z.int().min(1),
  issuer,
  clientId: clientId.nullable(),
  hasClientSecret: z.boolean(),
  scopes,
  isRequired,
  trustsItsSecondFactor,
  callbackUrl: z.string().describe('To be registered there'),
  setBy: tenantUserId.nullable(),
  setDate: z.iso.datetime().nullable(),
})

export type ProviderInput = z.output<z.ZodObject<typeof providerInput>>
export type IdentityProvider = z.infer<typeof identityProvider>

export const exampleIdentityProvider: IdentityProvider = {
  tenantId: 3,
  issuer: 'https://login.northwind.example',
  clientId: 'fieldloop',
  hasClientSecret: true,
  scopes: ['openid', 'email', 'profile'],
  isRequired: false,
  trustsItsSecondFactor: false,
  callbackUrl: 'https://portal.example.com/login/provider/callback',
  setBy: 12,
  setDate: '2026-11-21T10:00:00.000Z',
}

component('IdentityProvider', identityProvider)
