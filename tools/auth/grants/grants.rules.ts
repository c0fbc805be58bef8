/** What a grant may hold, and how an application is named to people. */

/** Where an application says who it is; null for one that registered, whose id we made. */
export function clientHostOf(clientId: string): string | null {
  return /^https:\/\//i.test(clientId) && URL.canParse(clientId) ? new URL(clientId).host : null
}
