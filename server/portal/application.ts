/** The application that signed-in people see: its files, and the one page that stands at each of its paths. */
import type { Credential } from '#platform/call.ts'
import type { Actor } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { chooseLanguage } from '#server/pages/languages.rules.ts'
import { pageHeaders } from '#server/pages/page.ts'
import { findNamedTenant } from '#tools/auth/service.ts'
import type { Profile } from '#tools/auth/account/profile.schema.ts'

import { authCookie, cookieOf, subDomainOf } from './browser.rules.ts'
import type { PageCall } from './calls.ts'
import type { Application, PortalAnswer, PortalRoute, Visit } from './portal.types.ts'

export function applicationFiles({ files }: Application): PortalRoute[] {
  return [...files].map(([path, { type, bytes, compressed }]) => ({
    method: 'GET',
    path,
    answer({ raw }) {
      const isCompressed = /\bgzip\b/.test(raw.headers['accept-encoding'] ?? '')
      const headers = {
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
      }
      return Promise.resolve({ status: 200, headers, body: isCompressed ? compressed : bytes })
    },
  }))
}

/** In the tenant of the path, or else of the session; in the language that the person chose there. */
export async function applicationPage(
  { application, services, call }: { readonly application: Application; readonly services: Services; readonly call: PageCall },
  visit: Visit,
  { tenantId }: Actor,
): Promise<PortalAnswer> {
  const subDomain = subDomainOf(visit.path) ?? (await findNamedTenant(services, { tenantId }))?.subDomain ?? ''
  const value = cookieOf(visit.raw.headers, authCookie) ?? ''
  const credential: Credential = { kind: 'portal', by: 'cookie', value, subDomain, isBackground: false }
  // The operation's own schema says what it answers.
  const profile = (await call(visit, 'get_profile', {}, credential)) as Profile
  const me = { profile, caller: await call(visit, 'whoami', {}, credential) }
  const language = chooseLanguage(profile.languageCode, visit.acceptLanguage)
  return { status: 200, headers: pageHeaders, body: application.page({ language, subDomain, me }) }
}
