/** Secrets of subscriptions, and the signatures that they make: Standard Webhooks, v1. */
import { createHmac, randomBytes } from 'node:crypto'

import { z } from 'zod'

import type { Tx } from '#platform/db/pool.ts'
import { findTenantKey } from '#platform/db/tenant.ts'
import { mustExist } from '#platform/errors.ts'
import type { Services } from '#platform/services.ts'

/** One secret, and until when it still signs; undefined: it is today's. */
const kept = z.array(z.object({ secret: z.string(), until: z.string().optional() }))
export type SigningSecrets = z.output<typeof kept>

const prefix = 'whsec_'
const secretBytes = 32
/** How long a replaced secret signs beside the new one. */
const graceMs = 24 * 3_600_000
/** Replaced again and again: the last ones sign. */
const keptAtMost = 3

export const newSecret = () => `${prefix}${randomBytes(secretBytes).toString('base64')}`

/** Those that still sign, the newest first. */
export const signingAt = (secrets: SigningSecrets, at: string) => secrets.filter(({ until }) => until === undefined || until > at)

/** With a new secret, which the others outlast by the time of grace at most. */
export function rotated(secrets: SigningSecrets, secret: string, at: string): { readonly secrets: SigningSecrets; readonly until: string } {
  const until = new Date(Date.parse(at) + graceMs).toISOString()
  const former = signingAt(secrets, at).map((one) => ({ ...one, until: one.until ?? until }))
  return { secrets: [{ secret }, ...former.slice(0, keptAtMost - 1)], until }
}

/** The value of webhook-signature: one signature for each secret. */
export function signatureOf(
  secrets: SigningSecrets,
  message: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const signed = `${message.id}.${message.timestamp}.${message.body}`
  const signature = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
      .update(signed)
      .digest('base64')
  return secrets.map(({ secret }) => `v1,${signature(secret)}`).join(' ')
}

const boundTo = (subscriptionId: number) => `eventSubscription:${subscriptionId}`

export async function sealSecrets(
  tx: Tx,
  services: Services,
  tenantId: number,
  subscriptionId: number,
  secrets: SigningSecrets,
): Promise<Buffer> {
  const sealedKey = mustExist(await findTenantKey(tx, tenantId), 'tenant')
  return services.secrets.sealText({ tenantId, sealedKey }, boundTo(subscriptionId), JSON.stringify(secrets))
}

/** Undefined where they do not open: in a backup that was restored without its SECRETS_KEY. */
export async function openSecrets(
  tx: Tx,
  services: Services,
  tenantId: number,
  { subscriptionId, sealedSecrets }: { readonly subscriptionId: number; readonly sealedSecrets: Buffer | null },
): Promise<SigningSecrets | undefined> {
  if (sealedSecrets === null) return undefined
  const sealedKey = mustExist(await findTenantKey(tx, tenantId), 'tenant')
  try {
    return kept.parse(JSON.parse(services.secrets.unsealText({ tenantId, sealedKey }, boundTo(subscriptionId), sealedSecrets)))
  } catch (error) {
    services.log.error({ err: error, tenantId, subscriptionId }, 'the secrets of a subscription do not open')
    return undefined
  }
}
