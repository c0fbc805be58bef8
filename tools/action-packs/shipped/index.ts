/** The packs that ship with the product, by name. */
import { acknowledge } from './acknowledge.ts'
import { dailyDigest } from './daily-digest.ts'
import { overdueEscalation } from './overdue-escalation.ts'
import { photoTriage } from './photo-triage.ts'
import type { ShippedPack } from './shipped.types.ts'
import { webhookToRecord } from './webhook-to-record.ts'

export const shippedPacks: readonly ShippedPack[] = [overdueEscalation, dailyDigest, photoTriage, acknowledge, webhookToRecord]
