/** Tenants on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { tenantId as anyTenantId } from '#tools/users/users.schema.ts'

export const tenantId = anyTenantId.describe('From list_tenants')

export const subDomain = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/, 'Letters, digits and inner hyphens, at most 63')

export const host = z
  .string()
  .max(253)
  .regex(
    /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/,
    'A host name without scheme or port',
  )

export const tenant = z.object({
  tenantId,
  name: z.string(),
  subDomain: z.string(),
  host: z.string(),
  description: z.string(),
  verticalId: z.int().nullable(),
  createdDate: z.iso.datetime(),
  activeStart: z.iso.datetime(),
  activeEnd: z.iso.datetime().describe('Far in the future: no end'),
  isDeactivated: z.union([z.literal(0), z.literal(1)]).describe('1: suspended'),
  userCount: z.int().min(0).describe('People; the service users of keys are not counted'),
  logoKey: z.string().nullable(),
  deletionDate: z.iso.datetime().optional().describe('When it goes, unless it is activated before'),
})

/** The name of a theme variable to its value, as the tenant's pages use it. */
export const theme = z.record(z.string().max(200), z.string().max(10_000))

export const tenantDetail = tenant.extend({ languageCode: z.string().describe('The default language'), cssJson: theme })

export type Tenant = z.infer<typeof tenant>
export type Theme = z.infer<typeof theme>

/** One tenant, for the examples of several operations. */
export const exampleTenant: Tenant = {
  tenantId: 3,
  name: 'Northwind Field Services',
  subDomain: 'northwind',
  host: 'northwind.localhost',
  description: 'Lift maintenance',
  verticalId: null,
  createdDate: '2026-11-21T10:00:00.000Z',
  activeStart: '2026-11-21T10:00:00.000Z',
  activeEnd: '9999-12-31T00:00:00.000Z',
  isDeactivated: 0,
  userCount: 1,
  logoKey: null,
}

component('Tenant', tenant)
