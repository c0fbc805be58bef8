/** What fields of a new record begin with: values, texts with tokens of the caller and of the record, and expressions. */
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { renderingOf, timeRoots } from '#platform/tokens/rendering.ts'
import { resolveJson } from '#platform/tokens/resolve-json.ts'
import { resolving } from '#platform/tokens/resolve.ts'
import { callersClock } from '#tools/query/service.ts'
import { findCaller as findTenantOfCaller } from '#tools/schema/service.ts'
import { findCaller } from '#tools/entities/service.ts'

import { type Held, namedRecord } from './held.rules.ts'

/** Resolves a default in a record; `row` is that of a list, where it is one. */
export type DefaultOf = (value: unknown, record: Held, row?: Held) => unknown

// Of records that computed defaults are given, each time with all that they hold: about a second.
const maxValues = 5_000_000

const isPlain = (value: unknown) => typeof value !== 'object' && !(typeof value === 'string' && value.includes('[['))

/** `all` are the defaults of the form: nothing is read where none of them is computed. */
export async function defaultsFor(context: TxContext, all: readonly unknown[]): Promise<DefaultOf> {
  if (all.every(isPlain)) return (value) => value
  const { tx, tenantId, actor } = context
  const caller = await findCaller(tx, tenantId, actor.tenantUserId)
  const of = await findTenantOfCaller(tx, tenantId, actor.tenantUserId, context.services.config.tenantDomain)
  const { nowMs, timeZone } = await callersClock(context)
  const rendering = renderingOf({ locale: caller?.languageCode ?? 'en-US', timeZone, nowMs })
  const $user = caller
    ? {
        tenantUserId: caller.tenantUserId,
        userId: caller.userId,
        userName: caller.userName,
        displayName: caller.displayName,
        email: caller.email,
        phone: caller.phone,
        languageCode: caller.languageCode,
        timeZoneIana: caller.timeZoneIana,
      }
    : null
  const $tenant = of ? { tenantId, name: of.tenantName, subDomain: of.tenantSubDomain, host: of.tenantHost } : null
  const always = { $user, $tenant, ...timeRoots(rendering) }
  let left = maxValues
  return (value, record, row) => {
    if (isPlain(value)) return value
    left -= record.entity.properties.length + (row?.entity.properties.length ?? 0)
    if (left < 0) throw new AppError('too_large', 'The form computes too many values for so many rows. Send fewer at a time.')
    const roots = { ...always, [record.entity.internalName]: namedRecord(record), ...(row ? { $row: namedRecord(row) } : {}) }
    return resolveJson(value, resolving(roots, rendering))
  }
}
