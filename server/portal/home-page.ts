/** What a signed-in person sees where the application has not been built. */
import type { Actor } from '#platform/operation.ts'
import { escape } from '#server/pages/page.ts'

import type { PortalAnswer } from './portal.types.ts'
import type { Frame } from './sign-in/frame.ts'

export function homePage({ texts, show }: Frame, { displayName }: Actor): PortalAnswer {
  return show({
    title: texts.signedInAs(displayName),
    lead: texts.homeLead,
    after: `<p><a href="/login/tenant">${escape(texts.changeTenant)}</a> · <a href="/logout">${escape(texts.signOut)}</a></p>`,
  })
}
