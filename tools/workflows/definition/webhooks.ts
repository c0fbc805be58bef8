/** Addresses and secrets of webhook triggers. */
import { randomBytes } from 'node:crypto'

import type { Tx } from '#platform/db/pool.ts'
import { findTenantKey } from '#platform/db/tenant.ts'
import { mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'

import { deleteWebhooksBut, insertWebhook, listWebhooks, setWebhookSecret, type WebhookRow } from '../workflows.store.ts'
import type { WorkflowBody } from './definition.types.ts'

/** What a sealed secret is bound to. */
export const webhookSecretName = (triggerId: number) => `webhook:${triggerId}`

async function tenantOf(tx: Tx, tenantId: number) {
  return { tenantId, sealedKey: mustExist(await findTenantKey(tx, tenantId), 'tenant') }
}

/** As Standard Webhooks has it. */
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** Every webhook trigger of a draft has an address; those that it has no more lose theirs, unless the published version has them. */
export async function keepAddresses({ tx, tenantId }: TxContext, workflowId: number, body: WorkflowBody): Promise<readonly WebhookRow[]> {
  const ids = body.triggers.flatMap(({ triggerType, triggerId }) => (triggerType === 'webhookReceived' ? [Number(triggerId)] : []))
  await deleteWebhooksBut(tx, tenantId, workflowId, ids)
  const known = new Set((await listWebhooks(tx, tenantId, workflowId)).map(({ triggerId }) => triggerId))
  for (const triggerId of ids) {
    if (known.has(triggerId)) continue
    await insertWebhook(tx, tenantId, workflowId, { triggerId, triggerKey: randomBytes(24).toString('base64url') })
  }
  return listWebhooks(tx, tenantId, workflowId)
}

/** Seals what owners chose, and makes a secret for each that has none: those are answered, by trigger, this once. */
export async function keepSecrets(
  { tx, tenantId, services }: TxContext,
  webhooks: readonly WebhookRow[],
  chosen: ReadonlyMap<number, string>,
): Promise<ReadonlyMap<number, string>> {
  const made = new Map<number, string>()
  const tenant = await tenantOf(tx, tenantId)
  for (const { triggerId, hasSecret } of webhooks) {
    const own = chosen.get(triggerId)
    if (own === undefined && hasSecret) continue
    const secret = own ?? newSecret()
    if (own === undefined) made.set(triggerId, secret)
    await setWebhookSecret(tx, tenantId, triggerId, services.secrets.sealText(tenant, webhookSecretName(triggerId), secret))
  }
  return made
}
