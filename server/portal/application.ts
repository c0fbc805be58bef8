/** The application that signed-in people see: its files, and the one page that stands at each of its paths. */
import type { Credential } from '#platform/call.ts'
import type { Actor } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { sentFile } from '#server/pages/files.ts'
import { chooseLanguage } from '#server/pages/languages.rules.ts'
import { pageHeaders } from '#server/pages/page.ts'
import { findNamedTenant, profileOfMember } from '#tools/auth/service.ts'
import type { Profile } from '#tools/auth/account/profile.schema.ts'

import { authCookie, cookieOf, subDomainOf } from './browser.rules.ts'
import type { PageCall } from './calls.ts'
import type { Application, PortalAnswer, PortalRoute, Visit } from './portal.types.ts'

export function applicationFiles({ files }: Application): PortalRoute[] {
  return [...files].map(([path, file]) => ({
    method: 'GET',
    path,
    answer: ({ raw }) => Promise.resolve({ status: 200, ...sentFile(file, raw.headers['accept-encoding'] ?? '') }),
  }))
}

/** In the tenant of the path, or else of the session; in the language that the person chose there. */
export async function applicationPage(
  { application, services, call }: { readonly application: Application; readonly services: Services; readonly call: PageCall },
  visit: Visit,
  actor: Actor,
): Promise<PortalAnswer> {
  const subDomain = subDomainOf(visit.path) ?? (await findNamedTenant(services, { tenantId: actor.tenantId }))?.subDomain ?? ''
  const value = cookieOf(visit.raw.headers, authCookie) ?? ''
  const credential: Credential = { kind: 'portal', by: 'cookie', value, subDomain, isBackground: false }
  const isOfProvider = actor.isOfProvider === true
  // The operation's own schema says what it answers.
  const profile = isOfProvider ? await profileOfMember(services, actor) : ((await call(visit, 'get_profile', {}, credential)) as Profile)
  const me = { profile, caller: await call(visit, 'whoami', {}, credential), ...(isOfProvider ? { isOfProvider } : {}) }
  const language = chooseLanguage(profile.languageCode, visit.acceptLanguage)
  return { status: 200, headers: pageHeaders, body: application.page({ path: visit.path, language, subDomain, me }) }
}
