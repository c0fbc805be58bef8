/** SQL of a tenant's languages. Rows of other tenants than the caller's are seen by global administrators alone. */
import type { Tx } from '#platform/db/pool.ts'

import type { TenantLanguage } from './languages.schema.ts'

/** None where there is no such tenant that the caller sees. */
export async function listTenantLanguageRows(tx: Tx, tenantId: number): Promise<TenantLanguage[]> {
  return tx<TenantLanguage[]>`
    select l.language_region_id, l.language_code, l.display_name, l.language_region_id <> all (t.disabled_languages) as is_enabled,
      l.language_region_id = t.language_region_id as is_default
    from platform.tenant t, platform.language l where t.tenant_id = ${tenantId}
    order by l.language_region_id`
}

export async function updateLanguages(
  tx: Tx,
  tenantId: number,
  to: { readonly usual: number; readonly disabled: readonly number[] },
): Promise<void> {
  await tx`
    update platform.tenant set language_region_id = ${to.usual}, disabled_languages = ${[...to.disabled]}::int[], catalog_version = catalog_version + 1
    where tenant_id = ${tenantId}`
}
