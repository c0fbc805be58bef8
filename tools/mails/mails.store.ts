/** SQL of mails in a tenant's own words. */
import type { Tx } from '#platform/db/pool.ts'

import type { MailText, TemplateType } from './mails.schema.ts'

export interface TemplateRow extends MailText {
  readonly templateType: TemplateType
  readonly languageCode: string
  readonly modifiedDate: string
}

export async function listTemplateRows(tx: Tx, tenantId: number): Promise<TemplateRow[]> {
  return tx<TemplateRow[]>`
    select e.template_type, l.language_code, e.subject, e.body, e.modified_date
    from platform.email_template e join platform.language l using (language_region_id)
    where e.tenant_id = ${tenantId} order by e.template_type, l.language_region_id`
}

/** False for a language that there is not. */
export async function upsertTemplate(
  tx: Tx,
  tenantId: number,
  row: MailText & { readonly templateType: TemplateType; readonly languageCode: string; readonly at: string },
): Promise<boolean> {
  const { count } = await tx`
    insert into platform.email_template (tenant_id, template_type, language_region_id, subject, body, modified_date)
    select ${tenantId}, ${row.templateType}, language_region_id, ${row.subject}, ${row.body}, ${row.at}
    from platform.language where lower(language_code) = lower(${row.languageCode})
    on conflict (tenant_id, template_type, language_region_id) do update set subject = excluded.subject, body = excluded.body, modified_date = excluded.modified_date`
  return count > 0
}

export interface Wording extends MailText {
  readonly languageCode: string
}

/** The tenant's own words of a type, with what it is called, its default language and theme; also as the look-up role. */
export async function findWordings(
  tx: Tx,
  tenantId: number,
  type: TemplateType,
): Promise<{ tenantName: string; languageCode: string; theme: Readonly<Record<string, string>>; own: readonly Wording[] } | undefined> {
  const [row] = await tx<
    { tenantName: string; languageCode: string; theme: Readonly<Record<string, string>>; own: readonly Wording[] | null }[]
  >`
    select t.name as tenant_name, l.language_code, t.theme, (
      select json_agg(json_object('languageCode': ol.language_code, 'subject': e.subject, 'body': e.body))
      from platform.email_template e join platform.language ol using (language_region_id)
      where e.tenant_id = t.tenant_id and e.template_type = ${type}) as own
    from platform.tenant t join platform.language l using (language_region_id) where t.tenant_id = ${tenantId}`
  return row && { ...row, own: row.own ?? [] }
}
