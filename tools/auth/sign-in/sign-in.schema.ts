/** Signing in on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { tenantId, tenantUserId } from '#tools/users/users.schema.ts'

import { factorChannel, factorId } from '../factors/factors.schema.ts'
import { passkeyOptions } from '../factors/passkeys.schema.ts'

export const signInToken = z.string().min(1).max(200).describe('From the step before; good for 10 minutes')

/** A log-in name or an e-mail, as people type it. */
export const who = z.string().trim().min(1).max(254)

/** One that is chosen has no @: it would be taken for an e-mail. */
export const logInName = z
  .string()
  .normalize('NFC')
  .regex(/^[^\s@\p{Cc}\p{Cf}]{2,100}$/u, '2 to 100 characters without spaces and @')

/** As people type it: longer than any that can be set is still only wrong. */
export const password = z.string().min(1).max(1_000)
export const code = z.string().trim().min(1).max(40).describe('Six digits, of the app or as they were sent, or a recovery code')

const tenantChoice = z.object({ tenantId, name: z.string(), subDomain: z.string() })
const channelChoice = z.object({
  channel: factorChannel,
  factorId: factorId.optional(),
  hint: z.string().optional().describe("The factor's name"),
})

const token = z.string().describe('For the next step')
const expiresAt = z.iso.datetime()

/** What comes next: a second factor where the person has one, else the choice of a tenant; the enrolment of one where a tenant asks for it. */
export const signInStep = z.object({
  signInToken: token,
  next: z.enum(['secondFactor', 'selectTenant', 'enrolSecondFactor']),
  expiresAt,
  channels: z.array(channelChoice).optional().describe('Of secondFactor: select_second_factor takes one'),
  options: passkeyOptions.optional().describe('Of a passkey: for navigator.credentials.get'),
  tenants: z.array(tenantChoice).optional().describe('Of selectTenant: select_tenant takes one'),
})

export const sessionStarted = z.object({
  token: z.string().describe('The session: Authorization: Bearer <token>'),
  expiresInSeconds: z.int().min(0),
  tenantId,
  tenantUserId,
  displayName: z.string(),
  roleFlag: z.int().min(0),
})

export const sessionId = z.int().min(1).describe('From list_sessions')

export const session = z.object({
  sessionId,
  tenantId,
  createdDate: z.iso.datetime(),
  lastUsedDate: z.iso.datetime(),
  address: z.string().nullable(),
  userAgent: z.string().nullable(),
  isCurrent: z.boolean().describe('The one that asks'),
})

export type SignInStep = z.infer<typeof signInStep>
export type Session = z.infer<typeof session>
export type TenantChoice = z.infer<typeof tenantChoice>

export const exampleToken = 'fli_3q2-7wAAbW9yZSByYW5kb20gYml0cyB0aGFuIHRoYXQ'
export const exampleTenants: TenantChoice[] = [{ tenantId: 1, name: 'Demo', subDomain: 'demo' }]
export const exampleSession: Session = {
  sessionId: 9,
  tenantId: 1,
  createdDate: '2026-11-21T10:00:00.000Z',
  lastUsedDate: '2026-11-21T10:20:00.000Z',
  address: '203.0.113.7',
  userAgent: 'Mozilla/5.0',
  isCurrent: true,
}

component('Session', session)
component('SignInStep', signInStep)
