/** The door of the floor for mails: in the tenant's words where it has any, else as shipped. It has no operations of its own. */
import { readColour, contrast } from '#platform/colours.ts'
import type { Tx } from '#platform/db/pool.ts'

import type { MailText, MailValues, TemplateType } from './mails.schema.ts'
import { findWordings } from './mails.store.ts'
import { type RenderedMail, renderMail, saying } from './rendering.rules.ts'
import { shippedText } from './shipped.ts'

export { listTemplateRows, upsertTemplate } from './mails.store.ts'
export { findTemplateIssues, renderMail, type RenderedMail, variablesOf } from './rendering.rules.ts'
export { shippedText } from './shipped.ts'

/** What white can be read on. */
function accentOf(theme: Readonly<Record<string, string>>): string | undefined {
  const colour = theme['--theme-accent'] ?? theme['--theme-primary']
  const read = colour === undefined ? undefined : readColour(colour)
  return read && contrast(read, [255, 255, 255]) >= 4.5 && /^#[0-9a-f]{3,6}$/i.test(colour ?? '') ? colour : undefined
}

/** The wording in the language, else in the tenant's; what it has in neither is as shipped. */
export async function wordingOf(
  tx: Tx,
  tenantId: number,
  type: TemplateType,
  languageCode: string | undefined,
): Promise<
  { readonly text: MailText; readonly tenantName: string; readonly accent: string | undefined; readonly languageCode: string } | undefined
> {
  const found = await findWordings(tx, tenantId, type)
  if (!found) return undefined
  const asked = languageCode ?? found.languageCode
  const own = [asked, found.languageCode].map((code) => found.own.find((one) => one.languageCode === code)).find((one) => one)
  const text = own ?? shippedText(type, asked)
  return { text, tenantName: found.tenantName, accent: accentOf(found.theme), languageCode: own?.languageCode ?? asked }
}

/** A mail of a tenant, filled. Also as the look-up role. Undefined where there is no such tenant. */
export async function mailOf(
  tx: Tx,
  tenantId: number,
  type: TemplateType,
  {
    languageCode,
    values,
    mustSay,
  }: {
    readonly languageCode?: string | undefined
    readonly values: MailValues
    /** The variable that stands behind the tenant's words where these leave it out. */
    readonly mustSay?: string
  },
): Promise<RenderedMail | undefined> {
  const found = await wordingOf(tx, tenantId, type, languageCode)
  if (!found) return undefined
  const text = mustSay === undefined ? found.text : saying(found.text, mustSay)
  return renderMail(text, { tenant: found.tenantName, ...values }, found.accent)
}
