import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { tenantId } from '../tenants.schema.ts'
import { toBranding } from './branding.rules.ts'
import { branding, exampleBranding } from './branding.schema.ts'
import { findLook, updateTheme } from './branding.store.ts'
import { brandingTopic } from './shown.ts'
import { readTheme } from './theme.rules.ts'

const value = z.union([z.string().max(100), z.number()]).optional()

export const setTenantTheme = defineOperation({
  ...writes(branding),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'set_tenant_theme',
  title: 'Set the theme of a tenant',
  description:
    'Replaces the theme of the pages that people of a tenant see; what is left out is as shipped. A colour that text cannot be read in (4.5:1) is refused with the nearest one that can. get_tenant_branding shows it.',
  method: 'PUT',
  path: '/api/v1/tenants/{tenantId}/branding/css',
  roles: 'GlobalAdmin|AdminCSS',
  input: z.object({
    tenantId,
    '--theme-primary': value.describe('Colour: #17624a'),
    '--theme-accent': value.describe('Colour of buttons and links; primary unless told'),
    '--theme-font': value.describe('sans, serif, rounded or mono'),
    '--theme-gap': value.describe('Length: 8px to 32px'),
    '--theme-radius': value.describe('Of corners: 0 to 24px'),
    '--theme-shadow': value.describe('none, soft or strong'),
  }),
  examples: [
    { title: 'Our green', input: { tenantId: 3, '--theme-primary': '#17624a', '--theme-radius': '8px' }, output: exampleBranding },
  ],
  async handler(context, { tenantId: of, ...given }) {
    const { tx, services } = context
    const told = Object.fromEntries(Object.entries(given).filter(([, one]) => one !== undefined))
    const { theme, issues } = readTheme(told, '$')
    if (issues[0]) throw new AppError('invalid_input', `The theme cannot be used: ${issues[0].message}`, { issues })
    if (!(await updateTheme(tx, of, theme))) throw new AppError('not_found', 'No such tenant.')
    context.audit({ theme })
    context.afterCommit(() => services.wake.poke(brandingTopic))
    return toBranding(mustExist(await findLook(tx, of), 'tenant'))
  },
})
