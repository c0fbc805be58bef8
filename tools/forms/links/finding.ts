/** The link that a token opens. */
import { AppError } from '#platform/errors.ts'
import { isLinkToken, readLinkToken } from '#platform/link-tokens.ts'
import type { StagedContext } from '#platform/operation.ts'

import { goneLink, stateOf } from './links.rules.ts'
import type { LinkState } from './links.schema.ts'
import { findLink, type LinkRow } from './links.store.ts'

export interface FoundLink {
  readonly tenantId: number
  readonly link: LinkRow
  readonly state: LinkState
}

/** Throws 404, the same for a link that never was and for a token that was changed. */
export async function findByToken(context: StagedContext, token: string): Promise<FoundLink> {
  const absent = () => new AppError('not_found', 'No such link. Open it from the message that brought it, as a whole.')
  const named = readLinkToken(token)
  if (!named) throw absent()
  const { tenantId, linkId, signature } = named
  return context.inTransaction(
    async ({ tx, stamp }) => {
      const link = await findLink(tx, tenantId, linkId)
      if (!link || !isLinkToken(context.services.secrets, { tenantId, linkId, salt: link.salt }, signature)) throw absent()
      return { tenantId, link, state: stateOf(link, stamp === '' ? new Date().toISOString() : stamp) }
    },
    { tenantId, readOnly: true },
  )
}

/** The same, and 410 for one that is over. */
export async function findOpenLink(context: StagedContext, token: string): Promise<FoundLink> {
  const found = await findByToken(context, token)
  if (found.state !== 'open') throw goneLink(found.state)
  return found
}
