/** A tenant's limits and what it uses, on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'

import { tenantId } from '../tenants.schema.ts'

const limit = z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullable()

/** null: none. */
export const limits = {
  callsPerMinute: limit,
  records: limit,
  bytes: limit,
  users: limit,
  messagesPerDay: limit,
} as const

export const tenantLimits = z.object({ tenantId, ...limits })

const count = z.int().min(0)

export const tenantUsage = z.object({
  tenantId,
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  records: count.describe('Now, deleted ones not counted'),
  bytes: count.describe('Of files, now'),
  users: count.describe('People, now'),
  runs: count.describe('Begun in that time'),
  messages: count.describe('Sent in that time'),
  calls: count.describe('In the days of that time'),
  limits: tenantLimits.omit({ tenantId: true }),
})

export type Limits = Omit<z.infer<typeof tenantLimits>, 'tenantId'>

export const exampleLimits: Limits = { callsPerMinute: 600, records: 100_000, bytes: null, users: 50, messagesPerDay: null }

component('TenantLimits', tenantLimits)
