/** How the tenant of a host shows itself on the pages of signing in: its name, its logo and its accent, and nothing else of its theme. */
import { createHash } from 'node:crypto'

import { AppError } from '#platform/errors.ts'
import type { Services } from '#platform/services.ts'
import { themeStyle } from '#server/pages/theme.rules.ts'
import { brandingOf, findTenantLook } from '#tools/tenants/service.ts'

import type { Look, PortalRoute } from './portal.types.ts'
import type { PortalSessions } from './sessions.ts'

const path = '/login/theme.css'
const accents = ['--theme-accent', '--theme-primary']

function accentOf(theme: Readonly<Record<string, string>>): string {
  return themeStyle(Object.fromEntries(Object.entries(theme).filter(([name]) => accents.includes(name))))
}

const sharerOf = (ip: string | undefined) => `address ${ip ?? ''}`

/** Undefined for the installation's own. A page without its tenant's look is a page all the same. */
export async function lookOf(services: Services, host: string, ip: string | undefined): Promise<Look | undefined> {
  const branding = await brandingOf(services, host, sharerOf(ip)).catch((error: unknown) => {
    services.log.warn({ err: error }, 'the look of a host could not be read')
    return undefined
  })
  if (!branding) return undefined
  const style = accentOf(branding.theme)
  const mark = createHash('sha256').update(style).digest('hex').slice(0, 8)
  return { name: branding.name, logo: branding.icons.logo, themeAddress: style === '' ? undefined : `${path}?${mark}` }
}

/** The accent as a file: the pages' policy lets no style in that stands in them. */
export function themeRoute(services: Services): PortalRoute {
  return {
    method: 'GET',
    path,
    async answer({ host, ip }) {
      const branding = await brandingOf(services, host, sharerOf(ip))
      const headers = { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'private, max-age=3600', vary: 'host' }
      return { status: 200, headers, body: branding ? accentOf(branding.theme) : '' }
    },
  }
}

/** A tenant's own colours, shape and letters, for the application of whoever has a session there. */
export function tenantThemeRoute({ services, sessions }: { readonly services: Services; readonly sessions: PortalSessions }): PortalRoute {
  return {
    method: 'GET',
    path: '/t/:subDomain/theme.css',
    async answer({ raw, parameters }) {
      const actor = await sessions.sessionOf(raw, (parameters['subDomain'] ?? '').toLowerCase())
      if (!actor) throw new AppError('unauthenticated', 'Sign in at /login first.')
      const { theme } = await services.databases.transact({ tenantId: actor.tenantId, isReadOnly: true }, ({ tx }) =>
        findTenantLook(tx, actor.tenantId),
      )
      return {
        status: 200,
        headers: { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'private, max-age=60' },
        body: themeStyle(theme),
      }
    },
  }
}
