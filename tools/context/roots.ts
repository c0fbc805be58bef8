/** What every text over a context may name beside its bundle: who asks, and when. */
import { mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { type Rendering, renderingOf, timeRoots } from '#platform/tokens/rendering.ts'
import { type Resolving, resolving } from '#platform/tokens/resolve.ts'
import { findCaller as findUser } from '#tools/entities/service.ts'
import { findCaller } from '#tools/schema/service.ts'

/** A user as tokens name them. */
export async function namedUser({ tx, tenantId }: TxContext, tenantUserId: number) {
  const row = await findUser(tx, tenantId, tenantUserId)
  if (!row) return null
  const { userId, userName, displayName, email, phone, languageCode, timeZoneIana } = row
  return { tenantUserId, userId, userName, displayName, email, phone, languageCode, timeZoneIana }
}

/** Tokens over a bundle, in the caller's language and time zone. */
export async function resolvingOver(
  context: TxContext,
  data: Readonly<Record<string, unknown>>,
  labelOf?: Rendering['labelOf'],
): Promise<Resolving> {
  const { tx, tenantId, actor, services } = context
  const caller = mustExist(await findCaller(tx, tenantId, actor.tenantUserId, services.config.tenantDomain), 'user')
  const $user = await namedUser(context, actor.tenantUserId)
  const rendering = renderingOf({
    locale: $user?.languageCode ?? 'en-US',
    timeZone: caller.timeZoneIana,
    nowMs: Date.parse(caller.serverTimeUtc),
    labelOf,
  })
  const { tenantName: name, tenantSubDomain: subDomain, tenantHost: host } = caller
  return resolving({ ...data, $user, $tenant: { tenantId, name, subDomain, host }, ...timeRoots(rendering) }, rendering)
}
