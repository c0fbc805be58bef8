import { z } from 'zod'

import { AppError, type Issue, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { tenantAdminRoles } from '#platform/roles.ts'
import { ownHosts } from '#platform/tenant-hosts.ts'
import { addMember, normalizeEmail } from '#tools/users/service.ts'
import { email, tenantUserId, userName } from '#tools/users/users.schema.ts'

import { makeTenant } from './service.ts'
import { readTheme } from './branding/theme.rules.ts'
import { findHostIssue, findSubDomainIssue, hostOf } from './tenants.rules.ts'
import { exampleTenant, host, subDomain, tenant } from './tenants.schema.ts'
import { findTenant, isHostTaken, lockHosts, toTenant } from './tenants.store.ts'

const provisioned = tenant.extend({
  initialAdmin: z.object({ tenantUserId, userId: z.int().min(1), userName: z.string(), email: z.string() }),
})

export const provisionTenant = defineOperation({
  ...writes(provisioned),
  errors: ['already_exists'],
  name: 'provision_tenant',
  title: 'Provision a tenant',
  description:
    'Makes a tenant with its first administrator, who gets the nine roles of a tenant. Then create_api_key with its tenantId makes keys for it; with one of these (AdminUser), invite_user lets the administrator in. A sub-domain or host that is taken answers 409.',
  method: 'POST',
  path: '/api/v1/tenants',
  roles: 'GlobalAdmin',
  input: z.object({
    name: z.string().trim().min(1).max(200).describe('Of the organisation'),
    subDomain: subDomain.describe('Unique; kept in lower case'),
    host: host.optional().describe('Where its pages are reached; a sub-domain of the installation unless told'),
    description: z.string().max(2000).optional(),
    initialAdmin: z
      .strictObject({
        email,
        userName: userName.optional().describe('A label; the e-mail unless told'),
      })
      .describe('Its first user, who gets every role but GlobalAdmin'),
    cssJson: z
      .union([z.string().max(40_000), z.record(z.string().max(200), z.union([z.string().max(10_000), z.number()]))])
      .optional()
      .describe('Theme variables as set_tenant_theme takes them, as a JSON text or an object'),
  }),
  examples: [
    {
      title: 'A new customer',
      input: {
        name: 'Northwind Field Services',
        subDomain: 'northwind',
        description: 'Lift maintenance',
        initialAdmin: { email: 'boss@northwind.example', userName: 'northwind-admin' },
        cssJson: { '--theme-primary': '#17624a' },
      },
      output: {
        ...exampleTenant,
        initialAdmin: { tenantUserId: 40, userId: 40, userName: 'northwind-admin', email: 'boss@northwind.example' },
      },
    },
  ],
  async handler(context, input) {
    const { tx, stamp, services } = context
    const { theme, issues: themeIssues } = input.cssJson === undefined ? { theme: {}, issues: [] } : readTheme(input.cssJson, '$.cssJson')
    const address = normalizeEmail(input.initialAdmin.email)
    const issues: Issue[] = [...themeIssues]
    if (!address.isOk) issues.push(finding('$.initialAdmin.email', address.message))
    const wanted = input.subDomain.toLowerCase()
    const reserved = findSubDomainIssue(wanted)
    if (reserved) issues.push(reserved)
    const { tenantDomain } = services.config
    const ownHost = input.host?.toLowerCase() ?? null
    const kept = ownHost === null ? undefined : findHostIssue(ownHost, ownHosts(services.config), tenantDomain)
    if (kept) issues.push(kept)
    if (issues.length > 0 || !address.isOk)
      throw new AppError('invalid_input', `The tenant cannot be made: ${issues[0]?.message ?? ''}`, { issues })
    await lockHosts(tx)
    // Beside the registered hosts those that are computed: a host is one tenant's.
    if (await isHostTaken(tx, hostOf({ host: ownHost, subDomain: wanted }, tenantDomain), { subDomain: wanted, tenantDomain }))
      throw new AppError('already_exists', 'The host is taken. Choose another one.')
    const tenantId = await makeTenant(tx, {
      name: input.name,
      subDomain: wanted,
      host: ownHost,
      description: input.description ?? '',
      sealedKey: services.secrets.newTenantKey(),
      theme,
      at: stamp,
    })
    const admin = await context.asTenant(tenantId, () => {
      const { userName: asked } = input.initialAdmin
      const name = asked ?? address.value
      // Excepted from the rule that nobody grants a role they lack: a global administrator need not hold the tenant's roles.
      return addMember(tx, tenantId, {
        userName: name,
        isNameDerived: asked === undefined,
        displayName: name,
        email: address.value,
        roleFlag: tenantAdminRoles,
        at: stamp,
      })
    })
    context.audit({ newTenantId: tenantId, tenantUserId: admin.tenantUserId })
    const row = mustExist(await findTenant(tx, tenantId), 'tenant')
    return {
      ...toTenant(row, tenantDomain),
      initialAdmin: { tenantUserId: admin.tenantUserId, userId: admin.userId, userName: admin.userName, email: address.value },
    }
  },
})
