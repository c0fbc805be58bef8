/** Addresses that replies by e-mail come back to: they name their conversation and cannot be made up. */
import { timingSafeEqual } from 'node:crypto'

import type { Services } from '#platform/services.ts'

// Mail systems fold local parts to lower case, so the signature is written in hexadecimal; 96 bits of it.
function signatureOf(services: Services, tenantId: number, conversationId: number): string {
  return Buffer.from(services.secrets.sign('reply address', `${tenantId}/${conversationId}`), 'base64url')
    .subarray(0, 12)
    .toString('hex')
}

/** `reply+<tenant>-<conversation>-<signature>@<domain>` */
export function replyAddress(services: Services, tenantId: number, conversationId: number, domain: string): string {
  return `reply+${tenantId.toString(36)}-${conversationId.toString(36)}-${signatureOf(services, tenantId, conversationId)}@${domain}`
}

/** The conversation that such an address names; undefined for every other address, whoever wrote it. */
export function readReplyAddress(services: Services, address: string): { tenantId: number; conversationId: number } | undefined {
  const match = /^reply\+([0-9a-z]{1,6})-([0-9a-z]{1,11})-([0-9a-f]{24})@/i.exec(address)
  if (!match) return undefined
  const [, tenant = '', conversation = '', signature = ''] = match
  const named = { tenantId: Number.parseInt(tenant, 36), conversationId: Number.parseInt(conversation, 36) }
  const right = signatureOf(services, named.tenantId, named.conversationId)
  const isOurs = timingSafeEqual(Buffer.from(signature.toLowerCase()), Buffer.from(right))
  return isOurs && Number.isSafeInteger(named.conversationId) ? named : undefined
}
