/** Links that are mailed to persons: 256 random bits in the fragment of an address of the portal, which no server and no log is sent. */
import { randomBytes } from 'node:crypto'

import type { Config } from '#platform/config.ts'
import type { Tx } from '#platform/db/pool.ts'
import { queueMail } from '#platform/person-mail.ts'
import type { Services } from '#platform/services.ts'
import { hashToken } from '#platform/sessions.ts'

import { insertPersonLink } from './links.store.ts'

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
  readonly tenantName: string
  /** What whoever invites holds. */
  readonly roleFlag: number
  /** Null: whoever asked hands the link over, and it proves no address. */
  readonly email: string | null
}

export async function invite(tx: Tx, services: Services, invitation: Invitation): Promise<{ url: string; expiresAt: string }> {
  const { userId, tenantId, tenantUserId, tenantName, roleFlag, email } = invitation
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
    await queueMail(tx, services, {
      kind: 'mail',
      to: email,
      subject: `Invitation to ${tenantName}`,
      text: `You are invited to ${tenantName}. Open this link to choose how you sign in:\n\n${url}\n\nIt holds for 7 days, and once. If you do not know who invites you, leave it.`,
    })
  }
  return { url, expiresAt }
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

/** One link to all addresses that the person proved. */
export async function sendReset(tx: Tx, services: Services, userId: number, emails: readonly string[]): Promise<void> {
  if (emails.length === 0) return
  const { url } = await makeResetLink(tx, services, userId)
  const text = `Somebody asked for a new password for you. Open this link to set one:\n\n${url}\n\nIt holds for an hour, and once. If it was not you, leave it: nothing changes.`
  for (const to of emails) await queueMail(tx, services, { kind: 'mail', to, subject: 'A new password', text })
}
