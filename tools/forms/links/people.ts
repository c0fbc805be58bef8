/** Who a link is for, and in which language they read. */
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { TxContext } from '#platform/operation.ts'
import { findTenantLook, type TenantLook } from '#tools/tenants/service.ts'
import { findUser } from '#tools/users/service.ts'

import type { LinkRow } from './links.store.ts'
import { listLanguageCodes } from './links.store.ts'
import type { ShownIn } from './showing.ts'

export interface Reader {
  readonly displayName: string
  /** Null: of an address alone nobody knows it. */
  readonly languageCode: string | null
  readonly timeZoneIana: string | null
}

export async function readerOf(tx: Tx, tenantId: number, link: Pick<LinkRow, 'toUserId' | 'toAddress'>): Promise<Reader> {
  const user = link.toUserId === null ? undefined : await findUser(tx, tenantId, link.toUserId)
  if (!user) return { displayName: link.toAddress ?? '', languageCode: null, timeZoneIana: null }
  return { displayName: user.displayName, languageCode: user.languageCode, timeZoneIana: user.timeZoneIana }
}

/** The language of the tenant's that is nearest to one that somebody asks for; undefined where it has none. */
async function nearestCode(tx: Tx, wanted: string | undefined): Promise<string | undefined> {
  if (wanted === undefined) return undefined
  const codes = await listLanguageCodes(tx)
  const primaryOf = (code: string) => code.toLowerCase().split('-', 1)[0]
  return codes.find((code) => code.toLowerCase() === wanted.toLowerCase()) ?? codes.find((code) => primaryOf(code) === primaryOf(wanted))
}

/** The recipient's language where it is known, else the one that the call asks for, else the tenant's. */
export async function shownInFor(
  context: TxContext,
  reader: Reader,
  wanted: string | undefined,
): Promise<{ readonly languages: ShownIn; readonly look: TenantLook }> {
  const { tx, tenantId } = context
  const look = await findTenantLook(tx, tenantId)
  const code = reader.languageCode ?? (await nearestCode(tx, wanted)) ?? look.languageCode
  const languages = await findDisplayLanguages(context, code)
  return { languages: { ...languages, languageCodes: [code, look.languageCode, 'en'] }, look }
}
