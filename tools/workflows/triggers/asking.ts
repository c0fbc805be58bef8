/** Filters of triggers: rules on records are asked of many at once, at the version that an event tells of; rules on `$trigger` of the values in hand. */
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { newBudget } from '#platform/tokens/budget.ts'
import { renderingOf, timeRoots } from '#platform/tokens/rendering.ts'
import { resolveJson } from '#platform/tokens/resolve-json.ts'
import { type Resolving, resolving } from '#platform/tokens/resolve.ts'
import { mayHoldTokens } from '#platform/tokens/template.ts'
import { nextTurn } from '#platform/turns.ts'
import { findCaller as findUser } from '#tools/entities/service.ts'
import { findFulfilling, type ReadFrame, selectIds, versionKey, type VersionName } from '#tools/query/service.ts'
import { findCaller } from '#tools/schema/service.ts'

import type { Said } from '../runs/runs.types.ts'
import { type Condition, conditionHolds, readConditions } from '../values/conditions.ts'

/** Something that may start a run. */
export interface Candidate {
  /** `$trigger`. */
  readonly payload: Said
  /** The record that the filter is asked of. */
  readonly eiRecordId?: number | undefined
  /** What starts are told apart by, where it is not the event and the record. */
  readonly startKey?: string | undefined
  /** As it was then; absent: as it stands. */
  readonly version?: VersionName | undefined
}

interface Asking {
  readonly context: TxContext
  /** The records' entity; undefined where nothing is about a record. */
  readonly frame: ReadFrame | undefined
  at(payload: Said): Resolving
}

async function openAsking(context: TxContext, frame: ReadFrame | undefined, by: number | null): Promise<Asking> {
  const { tx, tenantId, actor, stamp, services } = context
  const caller = await findCaller(tx, tenantId, actor.tenantUserId, services.config.tenantDomain)
  const user = by === null ? undefined : await findUser(tx, tenantId, by)
  const rendering = renderingOf({
    locale: user?.languageCode ?? 'en-US',
    timeZone: user?.timeZoneIana ?? caller?.timeZoneIana ?? 'UTC',
    nowMs: Date.parse(stamp),
  })
  const roots = {
    $user: user ? { tenantUserId: by, userName: user.userName, displayName: user.displayName, email: user.email, phone: user.phone } : null,
    $tenant: caller ? { tenantId, name: caller.tenantName, subDomain: caller.tenantSubDomain, host: caller.tenantHost } : { tenantId },
    ...timeRoots(rendering),
  }
  return { context, frame, at: (payload) => resolving({ ...roots, $trigger: payload }, rendering) }
}

/** Those of the candidates, in their order, for which the filter holds. Throws AppError where it cannot be asked. */
export async function fulfilling<C extends Candidate>(
  context: TxContext,
  { frame, filter, by }: { readonly frame: ReadFrame | undefined; readonly filter: unknown; readonly by: number | null },
  candidates: readonly C[],
): Promise<readonly C[]> {
  if (filter === undefined || filter === null || candidates.length === 0) return candidates
  const asking = await openAsking(context, frame, by)
  const holding = await ask(asking, readConditions(filter), candidates)
  return candidates.filter((one) => holding.has(one))
}

async function ask<C extends Candidate>(asking: Asking, condition: Condition, candidates: readonly C[]): Promise<ReadonlySet<C>> {
  if (candidates.length === 0) return new Set()
  switch (condition.kind) {
    case 'record':
      return askRecords(asking, condition.filter, candidates)
    case 'value': {
      const holding = new Set<C>()
      for (const one of candidates) {
        const at = { ...asking.at(one.payload), budget: newBudget() }
        if (await conditionHolds(condition, at, () => Promise.resolve(false))) holding.add(one)
        await nextTurn()
      }
      return holding
    }
    case 'group': {
      const { logic, nodes } = condition
      if (nodes.length === 0) return new Set(candidates)
      const isAll = logic === 'AND'
      let left: readonly C[] = candidates
      const holding = new Set<C>()
      for (const node of nodes) {
        const found = await ask(asking, node, left)
        if (!isAll) for (const one of found) holding.add(one)
        left = left.filter((one) => found.has(one) === isAll)
      }
      return isAll ? new Set(left) : holding
    }
  }
}

/** A filter without tokens is one question; with them, one for each that it comes to. */
async function askRecords<C extends Candidate>(asking: Asking, filter: Said, candidates: readonly C[]): Promise<ReadonlySet<C>> {
  const { frame, context } = asking
  if (!frame)
    throw new AppError('unprocessable', 'The filter asks for a property of a record, and what happened is about none of its entity.')
  const isFixed = !mayHoldTokens(JSON.stringify(filter))
  const asked = new Map<string, { readonly filter: unknown; readonly of: C[] }>()
  for (const one of candidates) {
    const own = isFixed ? filter : resolveJson(filter, { ...asking.at(one.payload), budget: newBudget() })
    const key = isFixed ? '' : JSON.stringify(own)
    const known = asked.get(key) ?? { filter: own, of: [] }
    known.of.push(one)
    asked.set(key, known)
    if (!isFixed) await nextTurn()
  }
  const holding = new Set<C>()
  for (const { filter: own, of } of asked.values()) {
    const versions = of.flatMap(({ version }) => version ?? [])
    const then = versions.length > 0 ? await findFulfilling(context, frame, versions, own) : new Set<string>()
    const ids = of.flatMap(({ version, eiRecordId }) => (version || eiRecordId === undefined ? [] : [eiRecordId]))
    const now = new Set(ids.length > 0 ? await idsFulfilling(context, frame, ids, own) : [])
    for (const one of of) {
      const isHeld = one.version ? then.has(versionKey(one.version)) : one.eiRecordId !== undefined && now.has(one.eiRecordId)
      if (isHeld) holding.add(one)
    }
  }
  return holding
}

/** Those of these live records that the definition's user sees and that fulfil a filter. */
export function idsFulfilling(context: TxContext, frame: ReadFrame, ids: readonly number[], filter: unknown): Promise<readonly number[]> {
  const rules = [{ property: 'eiRecordId', op: 'in', value: [...ids] }]
  return selectIds(context, frame, { logic: 'AND', rules, groups: [filter] }, { limit: ids.length, isHeld: false })
}
