/** The domain's door for the activities that carry runs. */
import { AppError, mustExist } from '#platform/errors.ts'
import { findTenantKey } from '#platform/db/tenant.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { sealedMark } from '#tools/workflows/service.ts'

import { findSealed } from './action-packs.store.ts'
import { boundTo } from './installs/seals.rules.ts'

export interface Opened<T> {
  readonly config: T
  /** The sensitive settings that stand in it: nobody is shown them. */
  readonly sealed: readonly string[]
}

/** A configuration with the sensitive settings in it, for what is sent outside. Nothing of it is kept. Throws AppError where one was taken away. */
export async function openSealed<T>(services: Services, tenantId: number, installId: number, config: T): Promise<Opened<T>> {
  const text = JSON.stringify(config)
  if (text.search(sealedMark) === -1) return { config, sealed: [] }
  const opened = await inSystemTransaction(services, tenantId, async ({ tx }) => {
    const tenant = { tenantId, sealedKey: mustExist(await findTenantKey(tx, tenantId), 'tenant') }
    const rows = await findSealed(tx, tenantId, installId)
    return new Map(
      rows.map(({ name, mark, sealedValue }) => [mark, services.secrets.unsealText(tenant, boundTo(installId, name), sealedValue)]),
    )
  })
  const sealed = new Set<string>()
  // Inside a text of JSON the value stands as JSON writes it, without the quotes around it. The form stays.
  const whole = text.replaceAll(sealedMark, (mark) => {
    const value = opened.get(mark)
    if (value === undefined)
      throw new AppError('unprocessable', 'A sensitive setting of the install was taken away. update_action_pack_install sets it anew.')
    sealed.add(value)
    return JSON.stringify(value).slice(1, -1)
  })
  return { config: JSON.parse(whole) as T, sealed: [...sealed] }
}
