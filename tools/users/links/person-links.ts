/** Links that are mailed to persons: 256 random bits in the fragment of an address of the portal, which no server and no log is sent. */
import { randomBytes } from 'node:crypto'

import type { Config } from '#platform/config.ts'
import type { Tx } from '#platform/db/pool.ts'
import { queueMail } from '#platform/person-mail.ts'
import type { Services } from '#platform/services.ts'
import { hashToken } from '#platform/sessions.ts'
import { mailOf, renderMail, shippedText } from '#tools/mails/service.ts'

import { findAddressed, findOnlyTenant, insertPersonLink } from './links.store.ts'

const invitationHours = 7 * 24
const resetHours = 1

export function newLinkToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Where the token is taken. Built from the setting, never from a request. */
export function linkUrl({ portalUrl }: Pick<Config, 'portalUrl'>, token: string): string {
  return `${portalUrl}/login/link#${token}`
}

export interface Invitation {
  readonly userId: number
  readonly tenantId: number
  readonly tenantUserId: number
  /** As the mail calls them, and the language that it is in. */
  readonly recipient: string
  readonly languageCode: string
  /** What whoever invites holds. */
  readonly roleFlag: number
  /** Null: whoever asked hands the link over, and it proves no address. */
  readonly email: string | null
}

export async function invite(tx: Tx, services: Services, invitation: Invitation): Promise<{ url: string; expiresAt: string }> {
  const { userId, tenantId, tenantUserId, roleFlag, email } = invitation
  const token = newLinkToken()
  const link = {
    kind: 'invitation',
    userId,
    member: { tenantId, tenantUserId, roleFlag },
    hash: hashToken(token),
    email,
    hours: invitationHours,
  } as const
  const expiresAt = await insertPersonLink(tx, link)
  const url = linkUrl(services.config, token)
  if (email !== null) {
    const { recipient, languageCode } = invitation
    const mail = await mailOf(tx, tenantId, 'invitation', { languageCode, values: { recipient, link: url } })
    if (mail) await queueMail(tx, services, { kind: 'mail', to: email, ...mail })
  }
  return { url, expiresAt }
}

/** Once a membership was taken, to the address that was invited and is the person's. */
export async function welcome(
  tx: Tx,
  services: Services,
  member: { readonly tenantId: number; readonly tenantUserId: number },
  to: string,
): Promise<void> {
  const found = await findAddressed(tx, member)
  if (!found) return
  const { displayName: recipient, languageCode, subDomain } = found
  const values = { recipient, link: `${services.config.portalUrl}/t/${subDomain}` }
  const mail = await mailOf(tx, member.tenantId, 'welcome', { languageCode, values })
  if (mail) await queueMail(tx, services, { kind: 'mail', to, ...mail })
}

/** A link for a new password; an older one is void. */
export async function makeResetLink(
  tx: Tx,
  services: Pick<Services, 'config'>,
  userId: number,
): Promise<{ readonly url: string; readonly expiresAt: string }> {
  const token = newLinkToken()
  const expiresAt = await insertPersonLink(tx, { kind: 'reset', userId, hash: hashToken(token), email: null, hours: resetHours })
  return { url: linkUrl(services.config, token), expiresAt }
}

/** One link to all addresses that the person proved; in the words of the tenant where the person has one alone. */
export async function sendReset(tx: Tx, services: Services, userId: number, emails: readonly string[]): Promise<void> {
  if (emails.length === 0) return
  const { url: link } = await makeResetLink(tx, services, userId)
  const own = await findOnlyTenant(tx, userId)
  const values = { recipient: own?.displayName ?? '', link }
  const worded = own && (await mailOf(tx, own.tenantId, 'passwordReset', { languageCode: own.languageCode, values }))
  const mail = worded ?? renderMail(shippedText('passwordReset', 'en-US'), values)
  for (const to of emails) await queueMail(tx, services, { kind: 'mail', to, ...mail })
}
