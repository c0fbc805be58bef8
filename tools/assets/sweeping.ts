/** The bytes of assets that nobody can ask for any more. */
import { kept } from '#platform/kept.ts'
import type { Services } from '#platform/services.ts'

import * as store from './assets.store.ts'

const sweptAtOnce = 20

/** By tenant: the sweep of this process that is on its way, and whether something was left to it since it last looked. */
const sweepsOf = kept(() => new Map<number, { isAsked: boolean }>())

/**
 * Removes the bytes of deleted assets and of uploads that were given up, in the background, until none is left. One sweep of a tenant at a time: two would
 * take the same rows and leave the rest. What fails is tried again at the next sweep.
 */
export function sweepSoon(services: Services, tenantId: number): void {
  const sweeps = sweepsOf(services)
  const running = sweeps.get(tenantId)
  if (running) {
    running.isAsked = true
    return
  }
  const turn = { isAsked: true }
  sweeps.set(tenantId, turn)
  sweep(services, tenantId, turn, () => sweeps.delete(tenantId)).catch((error: unknown) =>
    services.log.warn({ err: error, tenantId }, 'files could not be swept'),
  )
}

async function sweep(services: Services, tenantId: number, turn: { isAsked: boolean }, end: () => void): Promise<void> {
  const { databases, storage } = services
  try {
    while (turn.isAsked) {
      turn.isAsked = false
      const rows = await databases.transact({ tenantId, isReadOnly: true }, ({ tx }) => store.listUnswept(tx, tenantId, sweptAtOnce))
      for (const row of rows) {
        await storage.delete(row.storagePath)
        await databases.transact({ tenantId }, async ({ tx }) => {
          if (row.isDeleted) await store.markPurged(tx, tenantId, row.assetKey)
          else await store.deletePending(tx, tenantId, row.assetKey)
        })
      }
      turn.isAsked ||= rows.length === sweptAtOnce
    }
  } finally {
    end()
  }
}
