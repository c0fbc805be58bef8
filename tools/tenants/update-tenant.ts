import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError, type Issue, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { ownHosts } from '#platform/tenant-hosts.ts'

import { brandingTopic } from './branding/shown.ts'
import { hostTaken } from './service.ts'
import { findHostIssue, findSubDomainIssue, hostOf } from './tenants.rules.ts'
import { exampleTenant, host, subDomain, tenant, tenantId } from './tenants.schema.ts'
import { findTenant, hasVertical, isHostTaken, lockHosts, lockTenant, toTenant, updateTenantRow } from './tenants.store.ts'

export const updateTenant = defineOperation({
  ...writes(tenant),
  isIdempotent: true,
  name: 'update_tenant',
  title: 'Change a tenant',
  description:
    'Changes name, hosts, description or the time in which a tenant is active; what is left out stays. A host that is taken is 409. Theme and images: set_tenant_theme, set_tenant_branding_image.',
  method: 'PUT',
  path: '/api/v1/tenants/{tenantId}',
  roles: 'GlobalAdmin',
  input: z.object({
    tenantId,
    name: z.string().trim().min(1).max(200).optional().describe('Of the organisation'),
    subDomain: subDomain.optional().describe('Unique; kept in lower case'),
    host: host.nullable().optional().describe('null: at its sub-domain'),
    description: z.string().max(2000).optional(),
    verticalId: z.int().min(1).nullable().optional().describe('From get_schema'),
    activeStart: z.iso.datetime().optional().describe('Suspended before'),
    activeEnd: z.iso.datetime().optional().describe('Suspended after'),
  }),
  examples: [
    { title: 'A new name', input: { tenantId: 3, name: 'Northwind Lifts' }, output: { ...exampleTenant, name: 'Northwind Lifts' } },
  ],
  async handler(context, { tenantId: of, ...input }) {
    const { tx, services, stamp } = context
    const { tenantDomain } = services.config
    await lockHosts(tx)
    await lockTenant(tx, of)
    const before = mustExist(await findTenant(tx, of), 'tenant')
    const to = {
      name: input.name ?? before.name,
      subDomain: input.subDomain?.toLowerCase() ?? before.subDomain,
      host: input.host === undefined ? before.host : (input.host?.toLowerCase() ?? null),
      description: input.description ?? before.description,
      verticalId: input.verticalId === undefined ? before.verticalId : input.verticalId,
      activeStart: input.activeStart ?? before.activeStart,
      activeEnd: input.activeEnd ?? before.activeEnd,
    }
    const issues: Issue[] = [
      input.subDomain === undefined ? undefined : findSubDomainIssue(to.subDomain),
      to.host === null || input.host === undefined ? undefined : findHostIssue(to.host, ownHosts(services.config), tenantDomain),
      to.activeStart < to.activeEnd ? undefined : finding('$.activeEnd', 'activeEnd is after activeStart.'),
      to.verticalId === null || (await hasVertical(tx, to.verticalId)) ? undefined : finding('$.verticalId', 'There is no such vertical.'),
    ].filter((issue) => issue !== undefined)
    if (issues[0]) throw new AppError('invalid_input', `The tenant cannot be changed: ${issues[0].message}`, { issues })
    if (of === context.tenantId && (to.activeStart > stamp || to.activeEnd <= stamp))
      throw new AppError('conflict', 'You would lock yourself out. A global administrator of another tenant can do it.')
    if (await isHostTaken(tx, hostOf(to, tenantDomain), { subDomain: to.subDomain, tenantDomain, tenantId: of }))
      throw new AppError('already_exists', 'The host is taken. Choose another one.')
    await updateTenantRow(tx, of, to).catch((error: unknown) => Promise.reject(hostTaken(error)))
    context.audit({ changed: Object.keys(input) })
    context.afterCommit(() => {
      services.wake.poke(credentialsTopic)
      services.wake.poke(brandingTopic)
    })
    return toTenant(mustExist(await findTenant(tx, of), 'tenant'), tenantDomain)
  },
})
