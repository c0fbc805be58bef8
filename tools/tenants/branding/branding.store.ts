/** SQL of a tenant's look. Rows of other tenants than the caller's are seen by global administrators alone. */
import type { Tx } from '#platform/db/pool.ts'

import type { Theme } from '../tenants.schema.ts'
import type { Branding, ImageKind } from './branding.schema.ts'

export interface LookRow extends Branding {
  readonly subDomain: string
  readonly languageCode: string
}

const columnOf = { logo: 'logo_key', favicon: 'favicon_key', apple: 'apple_icon_key', android: 'android_icon_key' } as const

/** Also as the look-up role. */
export async function findLook(tx: Tx, tenantId: number): Promise<LookRow | undefined> {
  const [row] = await tx<LookRow[]>`
    select t.tenant_id, t.name as brand_name, t.sub_domain, t.logo_key, t.favicon_key, t.apple_icon_key, t.android_icon_key, t.theme as css_json, l.language_code
    from platform.tenant t join platform.language l using (language_region_id)
    where t.tenant_id = ${tenantId}`
  return row
}

/** False where there is no such tenant that the caller sees. */
export async function updateTheme(tx: Tx, tenantId: number, theme: Theme): Promise<boolean> {
  const { count } = await tx`update platform.tenant set theme = ${JSON.stringify(theme)}::text::jsonb where tenant_id = ${tenantId}`
  return count > 0
}

/** Answers the asset that stood there before. */
export async function replaceImage(tx: Tx, tenantId: number, kind: ImageKind, assetKey: string): Promise<string | null> {
  const column = tx(columnOf[kind])
  const [row] = await tx<{ before: string | null }[]>`
    update platform.tenant t set ${column} = ${assetKey} from (select tenant_id, ${column} as before from platform.tenant where tenant_id = ${tenantId} for update) old
    where t.tenant_id = old.tenant_id returning old.before`
  return row?.before ?? null
}
