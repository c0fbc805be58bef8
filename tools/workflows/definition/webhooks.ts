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

/** Seals secrets, by trigger. */
export async function sealSecrets({ tx, tenantId, services }: TxContext, secrets: ReadonlyMap<number, string>): Promise<void> {
  if (secrets.size === 0) return
  const tenant = await tenantOf(tx, tenantId)
  for (const [triggerId, secret] of secrets)
    await setWebhookSecret(tx, tenantId, triggerId, services.secrets.sealText(tenant, webhookSecretName(triggerId), secret))
}

/** Seals what owners chose, and makes a secret for each that has none: those are answered, by trigger, this once. */
export async function keepSecrets(
  context: TxContext,
  webhooks: readonly WebhookRow[],
  chosen: ReadonlyMap<number, string>,
): Promise<ReadonlyMap<number, string>> {
  const bare = webhooks.filter(({ triggerId, hasSecret }) => !hasSecret && !chosen.has(triggerId))
  const made = new Map(bare.map(({ triggerId }) => [triggerId, newSecret()]))
  await sealSecrets(context, new Map([...chosen, ...made]))
  return made
}
