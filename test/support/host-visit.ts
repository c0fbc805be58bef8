/** The whole way of a host: the API and the portal with its authorization server, and a person who signs in and presses the buttons of the pages. */
import { createLog } from '#platform/log.ts'
import { resourcesOf } from '#platform/resources.ts'
import { createOAuth, type OAuth } from '#server/oauth/server.ts'
import { filePages } from '#server/pages/index.ts'
import { consentErrorPage } from '#server/portal/consent/consent-page.ts'
import { createPortal } from '#server/portal/server.ts'

import { type ApiWorld, openApi } from './connect.ts'
import { newVisitor, type Shown, type Visitor } from './portal.ts'
import type { TestPerson } from './persons.ts'
import { freePort } from './ports.ts'

export interface HostWorld extends ApiWorld {
  readonly issuer: string
  readonly oauth: OAuth
}

export async function openHostWorld(env: Record<string, string> = {}): Promise<HostWorld> {
  const portalPort = await freePort()
  const issuer = `http://localhost:${portalPort}`
  const api = await openApi({ PORTAL_PORT: String(portalPort), TRUSTED_PROXIES: '127.0.0.0/8', ...env })
  const { services, pipeline } = api.world.platform
  const oauth = createOAuth({ services, resources: resourcesOf(services), errorPage: consentErrorPage })
  const log = createLog(process.env['LOG_LEVEL'] ?? 'silent')
  const portal = await createPortal({ services, pipeline, config: api.world.config, log, files: filePages(), oauth })
  await portal.listen()
  return {
    ...api,
    issuer,
    oauth,
    async close() {
      await portal.close()
      await oauth.end()
      await api.close()
    },
  }
}

/** Follows redirects within the portal, to a page or to an address elsewhere. */
export async function follow(opened: HostWorld, visitor: Visitor, first: Shown): Promise<Shown> {
  let shown = first
  for (let steps = 0; shown.location !== undefined && steps < 10; steps++) {
    const target = new URL(shown.location, opened.issuer)
    if (target.origin !== opened.issuer) return shown
    shown = await visitor.open(target.pathname + target.search)
  }
  return shown
}

/** The page that an address of an authorization leads to, signing in on the way. */
export async function openConsent(opened: HostWorld, visitor: Visitor, address: string | URL, person: TestPerson): Promise<Shown> {
  const { pathname, search } = new URL(address)
  const shown = await follow(opened, visitor, await visitor.open(pathname + search))
  if (!shown.text.includes('action="/login"')) return shown
  return follow(opened, visitor, await visitor.submit(shown, '/login', { username: person.userName, password: person.password }))
}

const actionOf = ({ text }: Shown) => /action="(\/oauth\/consent\/[\w-]+)"/.exec(text)?.[1]

/** Presses a button of the page of consent. */
export async function press(opened: HostWorld, visitor: Visitor, page: Shown, fields: Record<string, string>): Promise<Shown> {
  const action = actionOf(page)
  if (action === undefined) throw new Error(`This is no page of consent: ${page.status} ${page.text.slice(0, 1_500)}`)
  return follow(opened, visitor, await visitor.submit(page, action, fields))
}

/** Lets the application in, from the address that it opened in the browser to the address that the browser is sent back to. */
export async function letIn(
  opened: HostWorld,
  address: string | URL,
  person: TestPerson,
  fields: Record<string, string> = { access: 'work' },
  visitor = newVisitor(opened.issuer),
): Promise<URL> {
  const page = await openConsent(opened, visitor, address, person)
  const { location } = page.location === undefined ? await press(opened, visitor, page, { decision: 'allow', ...fields }) : page
  if (location === undefined) throw new Error('The browser was not sent back')
  return new URL(location)
}
