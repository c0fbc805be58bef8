/** How a tenant shows itself to people who have not signed in: by the host that they asked. */
import { LRUCache } from 'lru-cache'

import { AppError } from '#platform/errors.ts'
import { kept } from '#platform/kept.ts'
import type { Services } from '#platform/services.ts'
import { tenantAt } from '#platform/tenant-hosts.ts'
import { openAsset } from '#tools/assets/service.ts'

import type { Theme } from '../tenants.schema.ts'
import type { ImageKind } from './branding.schema.ts'
import { findLook } from './branding.store.ts'

/** Poked after a change of a tenant's look. */
export const brandingTopic = 'branding'

export interface ShownBranding {
  readonly tenantId: number
  readonly subDomain: string
  readonly name: string
  /** The default language. */
  readonly languageCode: string
  readonly theme: Theme
  /** As data URLs: pages need no address for them that is open to everybody. */
  readonly icons: Readonly<Record<ImageKind, string | null>>
}

const keptMs = 60_000
/** A picture is made small; one that is larger was put there in some other way. */
const imageBytes = 256 * 1024

const shownOf = kept(
  ({ wake }) => {
    const looks = new LRUCache<number, ShownBranding>({ max: 500, ttl: keptMs, maxSize: 64 * 1024 * 1024, sizeCalculation: sizeOf })
    return { looks, end: wake.subscribe(brandingTopic, () => looks.clear()) }
  },
  ({ end }) => end(),
)

function sizeOf({ icons }: ShownBranding): number {
  return 4_096 + Object.values(icons).reduce((sum, icon) => sum + (icon?.length ?? 0), 0)
}

/** Null for a file that was deleted since. */
async function dataUrlOf(services: Services, tenantId: number, assetKey: string | null): Promise<string | null> {
  if (assetKey === null) return null
  try {
    const { stream, sizeBytes, mimeType } = await openAsset(services, tenantId, assetKey)
    if (sizeBytes > imageBytes || mimeType !== 'image/png') {
      stream.destroy()
      return null
    }
    return `data:image/png;base64,${Buffer.concat(await stream.toArray()).toString('base64')}`
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}

/** The look of the active tenant at the host of a request; undefined for a host that is nobody's, where the installation's own is shown. */
export async function brandingOf(services: Services, host: string | undefined, sharer: string): Promise<ShownBranding | undefined> {
  const tenantId = await tenantAt(services, host, sharer)
  if (tenantId === undefined) return undefined
  const { looks } = shownOf(services)
  const known = looks.get(tenantId)
  if (known) return known
  const row = await services.databases.lookUp((tx) => findLook(tx, tenantId), sharer)
  if (!row) return undefined
  const [logo, favicon, apple, android] = await Promise.all(
    [row.logoKey, row.faviconKey, row.appleIconKey, row.androidIconKey].map((assetKey) => dataUrlOf(services, tenantId, assetKey)),
  )
  const { subDomain, brandName: name, languageCode, cssJson: theme } = row
  const icons = { logo: logo ?? null, favicon: favicon ?? null, apple: apple ?? null, android: android ?? null }
  const shown = { tenantId, subDomain, name, languageCode, theme, icons }
  looks.set(tenantId, shown)
  return shown
}
