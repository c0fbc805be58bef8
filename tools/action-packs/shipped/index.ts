/** The packs that ship with the product, by name. */
import { acknowledge } from './acknowledge.ts'
import { overdueEscalation } from './overdue-escalation.ts'
import type { ShippedPack } from './shipped.types.ts'
import { webhookToRecord } from './webhook-to-record.ts'

export const shippedPacks: readonly ShippedPack[] = [overdueEscalation, acknowledge, webhookToRecord]
