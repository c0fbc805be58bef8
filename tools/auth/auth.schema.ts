/** API keys on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { weekdays } from '#platform/key-reach.ts'
import { roles, tenantUserId } from '#tools/users/users.schema.ts'

export const apiKeyId = z.int().min(1).describe('From list_api_keys')

export const keyName = z.string().trim().min(1).max(100).describe('For people: who or what uses the key')
export const expiresAt = z.iso.datetime({ offset: true }).describe('ISO 8601, in the future')
const addressForms = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
export const allowedAddresses = z
  .array(
    z
      .string()
      .max(64)
      .refine((text) => addressForms.safeParse(text).success, 'An address or a CIDR range: 203.0.113.7, 203.0.113.0/24, 2001:db8::/32'),
  )
  .max(50)
  .describe('Addresses or CIDR ranges that the key may come from; empty: any')

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'HH:MM')
export const validHours = z.strictObject({
  from: clock,
  to: clock.describe('Not later than from: on the next day'),
  days: z.array(z.enum(weekdays)).min(1).max(7).describe('On which they begin'),
  timeZoneIana: z.string().min(1).max(64).describe('Such as Europe/Madrid'),
})

export const apiKey = z.object({
  apiKeyId,
  name: z.string(),
  roles,
  prefix: z.string().describe('The beginning of the key, to tell keys apart'),
  tenantUserId: tenantUserId.describe('Whom the key acts as; a service user of its own unless one was named'),
  createdDate: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  lastUsedDate: z.iso.datetime().nullable(),
  allowedAddresses: z.array(z.string()),
  validHours: validHours.nullable().describe('null: always'),
  revokedDate: z.iso.datetime().nullable(),
})

/** A key with its secret, this once. */
export const newApiKey = z.object({
  apiKeyId,
  apiKey: z.string().describe('The secret. It is shown this once and kept nowhere'),
  ...apiKey.omit({ apiKeyId: true }).shape,
})

export type ApiKey = z.infer<typeof apiKey>
export type ValidHours = z.infer<typeof validHours>

/** One key, for the examples of several operations. */
export const exampleApiKey: ApiKey = {
  apiKeyId: 5,
  name: 'Dispatch agent',
  roles: ['DataView', 'DataEdit'],
  prefix: 'flk_x8QfW2mT',
  tenantUserId: 31,
  createdDate: '2026-11-21T10:00:00.000Z',
  expiresAt: '2027-11-21T00:00:00.000Z',
  lastUsedDate: null,
  allowedAddresses: [],
  validHours: null,
  revokedDate: null,
}
export const exampleSecret = 'flk_x8QfW2mTr0aKx5ZbN1dYhVtE7sPqLuGcJ3xRwA0i1c9f4e2b'

component('ApiKey', apiKey)
component('KeyHours', validHours)
