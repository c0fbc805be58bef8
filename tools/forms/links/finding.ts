/** The link that a token opens. */
import { AppError } from '#platform/errors.ts'
import { isLinkToken, readLinkToken } from '#platform/link-tokens.ts'
import type { StagedContext, TxContext } from '#platform/operation.ts'

import { goneLink, settledLink, stateOf } from './links.rules.ts'
import type { LinkState } from './links.schema.ts'
import { findLink, type LinkRow } from './links.store.ts'
import { type Maker, makerOf } from './maker.ts'
import type { LinkTask, TaskFloor } from './tasks.types.ts'

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

/** The same, which says of a task that is over who did it. */
export async function findLinkInHand(
  context: StagedContext,
  token: string,
  tasks: TaskFloor,
): Promise<FoundLink & { readonly maker: Maker }> {
  const found = await findByToken(context, token)
  const { state, tenantId, link } = found
  if (state === 'settled') {
    await context.inTransaction((inner) => taskOf(inner, tasks, link), { tenantId, readOnly: true })
  }
  if (state !== 'open') throw goneLink(state)
  return { ...found, maker: await makerOf(context, tenantId, link) }
}

/** The task of a link; undefined where it is to a form alone. Throws 403 where it is not its maker's, or its recipient's, to do, and 410 where it is over. */
export async function taskOf(context: TxContext, tasks: TaskFloor, link: LinkRow, languageCode = 'en'): Promise<LinkTask | undefined> {
  const { runId, stepNo, toUserId, makerKind } = link
  if (runId === null || stepNo === null) return undefined
  const read = await tasks.readTask(context, { runId, stepNo, toUserId, isOfRun: makerKind === 'acting' }, languageCode)
  if ('settled' in read) throw settledLink(read.settled)
  return read.task
}
