/**
 * Tokens of signed links. No table holds one: it is a signature over the link's ids and a salt of its row, made again wherever it is needed. What is stored
 * of a message names a link by a stand-in; the token takes its place on the way to the recipient alone.
 */
import type { Secrets } from './secrets.ts'

export interface LinkName {
  readonly tenantId: number
  readonly linkId: number
  /** Of the link's row, random: a database that was set back must not make a new link of an old token. */
  readonly salt: string
}

const purpose = 'signed link'
const signedPart = ({ tenantId, linkId, salt }: LinkName) => `${tenantId}.${linkId}.${salt}`

export function writeLinkToken(secrets: Secrets, link: LinkName): string {
  return `${link.tenantId}.${link.linkId}.${secrets.sign(purpose, signedPart(link))}`
}

/** Which link a token names; undefined for what is no token. Not believed before `isLinkToken`. */
export function readLinkToken(
  token: string,
): { readonly tenantId: number; readonly linkId: number; readonly signature: string } | undefined {
  const [, tenantId, linkId, signature = ''] = /^(\d{1,9})\.(\d{1,9})\.([\w-]{43})$/.exec(token) ?? []
  return tenantId === undefined || linkId === undefined ? undefined : { tenantId: Number(tenantId), linkId: Number(linkId), signature }
}

export function isLinkToken(secrets: Secrets, link: LinkName, signature: string): boolean {
  return secrets.verify(purpose, signedPart(link), signature)
}

/** Where people open a link. */
export const linkPath = (token: string) => `/l/${token}`

/** What stands for a link in a stored message, which others may read too: its address without the token. */
export const linkStandIn = ({ linkId }: Pick<LinkName, 'linkId'>) => linkPath(`~${linkId}`)

/** The text of the message that brings the link, with its token. For the recipient alone. */
export function withLinkToken(secrets: Secrets, link: LinkName, text: string): string {
  return text.replaceAll(linkStandIn(link), linkPath(writeLinkToken(secrets, link)))
}
