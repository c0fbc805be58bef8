/** Which language names and descriptions are shown in: the one asked for, else the caller's own; then the tenant's; then the internalName. */
import { AppError } from '../errors.ts'
import { finding } from '../findings.ts'
import type { CallContext } from '../operation.ts'
import { nearestLanguage, quoted } from '../suggest.ts'
import type { Tx } from './pool.ts'

export interface DisplayLanguages {
  readonly requested: number
  /** The tenant's default. */
  readonly usual: number
}

/** Throws AppError `invalid_input` for a language code that list_languages does not show. */
export async function findDisplayLanguages(context: CallContext & { readonly tx: Tx }, languageCode?: string): Promise<DisplayLanguages> {
  const { tx, tenantId, actor } = context
  const [row] = await tx<{ own: number | null; usual: number; asked: number | null }[]>`
    select u.language_region_id as own, t.language_region_id as usual,
      (select l.language_region_id from platform.language l where lower(l.language_code) = lower(${languageCode ?? null}::text)) as asked
    from platform.tenant t
      left join platform.tenant_user u on u.tenant_id = t.tenant_id and u.tenant_user_id = ${actor.tenantUserId}
    where t.tenant_id = ${tenantId}`
  const usual = row?.usual ?? 1
  if (languageCode === undefined) return { requested: row?.own ?? usual, usual }
  if (row?.asked === null || row === undefined) {
    const known = await tx<{ languageCode: string }[]>`select language_code from platform.language`
    const suggestion = nearestLanguage(
      languageCode,
      known.map((language) => language.languageCode),
    )
    const message = `There is no language ${quoted(languageCode)}. list_languages shows them.`
    throw new AppError('invalid_input', message, {
      issues: [finding('$.languageCode', message, { suggestion })],
    })
  }
  return { requested: row.asked, usual }
}
