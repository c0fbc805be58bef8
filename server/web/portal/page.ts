/** What the portal wrote into the page: in which language it speaks, and in which tenant it stands. */

const root = document.documentElement

/** The sub-domain of the tenant: of the address where it names one, so that two tabs may hold two, else that of the session. */
export const tenant = /^\/t\/([^/]+)/.exec(location.pathname)?.[1] ?? root.dataset['tenant'] ?? ''

export const language: 'en' | 'de' = root.lang === 'de' ? 'de' : 'en'

/** Of a room of this tenant. */
export function roomAddress(room = ''): string {
  return `/t/${tenant}/${room}`
}
