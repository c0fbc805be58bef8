/** Second factors on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'

export const factorId = z.int().min(1).describe('From list_second_factors')
export const factorChannel = z
  .enum(['passkey', 'totp', 'email', 'sms', 'recovery'])
  .describe('totp: an authenticator app; email and sms: a code is sent')
export const codeChannel = z.enum(['email', 'sms'])
export const sixDigits = z.string().regex(/^\d{6}$/, 'Six digits')
export const factorName = z.string().trim().min(1).max(60).describe('To tell factors apart')

export const factor = z.object({
  factorId,
  channel: z.enum(['passkey', 'totp', 'email', 'sms']),
  name: z.string(),
  createdDate: z.iso.datetime(),
  lastUsedDate: z.iso.datetime().nullable(),
})

/** Ten codes, this once. */
export const recoveryCodes = z.array(z.string()).describe('Each signs in once; shown this once and kept nowhere')

export type CodeChannel = z.infer<typeof codeChannel>
export type Factor = z.infer<typeof factor>

export const exampleFactor: Factor = {
  factorId: 4,
  channel: 'totp',
  name: 'Authenticator app',
  createdDate: '2026-11-21T10:00:00.000Z',
  lastUsedDate: null,
}

component('Factor', factor)
