/** The domain's door for the activities that carry runs. */
import { mustExist } from '#platform/errors.ts'
import { findTenantKey } from '#platform/db/tenant.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { sealedMark } from '#tools/workflows/service.ts'

import { findSealed } from './action-packs.store.ts'
import { boundTo } from './installs/seals.rules.ts'

/** A configuration with the sensitive settings in it, for what is sent outside. Nothing of it is kept. */
export async function openSealed<T>(services: Services, tenantId: number, installId: number, config: T): Promise<T> {
  const text = JSON.stringify(config)
  if (text.search(sealedMark) === -1) return config
  const opened = await inSystemTransaction(services, tenantId, async ({ tx }) => {
    const tenant = { tenantId, sealedKey: mustExist(await findTenantKey(tx, tenantId), 'tenant') }
    const rows = await findSealed(tx, tenantId, installId)
    return new Map(
      rows.map(({ name, mark, sealedValue }) => [mark, services.secrets.unsealText(tenant, boundTo(installId, name), sealedValue)]),
    )
  })
  // Inside a text of JSON the value stands as JSON writes it, without the quotes around it. The form stays.
  return JSON.parse(text.replaceAll(sealedMark, (mark) => JSON.stringify(opened.get(mark) ?? '').slice(1, -1))) as T
}
