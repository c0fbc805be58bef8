/** What tokens of a run name: what started it, what its steps brought, its variables, its record, and the item of a loop. */
import { type ActingFor, runAs } from '#platform/acting.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import type { StepPath } from '#platform/flow/run.types.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { renderingOf, timeRoots } from '#platform/tokens/rendering.ts'
import { resolveJson } from '#platform/tokens/resolve-json.ts'
import { type Resolving, resolving } from '#platform/tokens/resolve.ts'
import { newBudget } from '#platform/tokens/budget.ts'
import { findCaller as findUser } from '#tools/entities/service.ts'
import { flatRecord } from '#tools/query/service.ts'
import { findCaller } from '#tools/schema/service.ts'

import { conditionHolds, readConditions } from '../values/conditions.ts'
import { changeUnderTodaysNames, resultUnderTodaysNames, underTodaysNames } from './renamed.rules.ts'
import type { CarriedVersion, RunRow, Said } from './runs.types.ts'
import { resultsByStep } from './steps.rules.ts'
import { findItem, listResults } from './steps.store.ts'

/** The run's name for the calls that it makes. */
export function actingFor(tenantId: number, { runId, actsAs, roleFlag, depth }: RunRow): ActingFor {
  return { tenantId, tenantUserId: actsAs, roleFlag, origin: { kind: 'workflow', id: runId, depth: depth + 1 } }
}

export interface ScopeOf {
  readonly tenantId: number
  readonly run: RunRow
  readonly version: CarriedVersion
  readonly path: StepPath
  /** The loop around the step. */
  readonly loop: string | undefined
  /** ISO 8601: the start of the step, which is its `$now`. */
  readonly at: string
}

export interface Scope {
  readonly timeZone: string
  /** With the tokens resolved; each call has a budget of its own. */
  resolve(value: unknown, own?: Readonly<Record<string, unknown>>): Promise<unknown>
  holds(condition: unknown, own?: Readonly<Record<string, unknown>>): Promise<boolean>
  /** What differs once a step is done, as another call's own. */
  after(step: string, result: unknown, set?: Said): Readonly<Record<string, unknown>>
}

/** What is read of the database in one go, whatever the tokens name. */
export async function readRoots({ tx, services }: TxContext, { tenantId, run, version: { renames }, path, loop }: ScopeOf) {
  const index = path.iteration.at(-1)
  const inLoop = loop !== undefined && index !== undefined
  const [found, item, user, caller] = await Promise.all([
    listResults(tx, tenantId, run.runId, path.iteration),
    inLoop ? findItem(tx, tenantId, run.runId, { step: loop, iteration: path.iteration.slice(0, -1), index }) : null,
    run.startedBy === null ? undefined : findUser(tx, tenantId, run.startedBy),
    findCaller(tx, tenantId, run.actsAs, services.config.tenantDomain),
  ])
  const results = found.map(({ step, result }) => ({ step, result: resultUnderTodaysNames(result, renames) }))
  return { results, item: inLoop ? { $item: underTodaysNames(item, renames), $index: index } : {}, user, caller }
}

export type Roots = Awaited<ReturnType<typeof readRoots>>

/** `known`: what has been read already. */
export async function openScope(services: Services, of: ScopeOf, known?: Roots): Promise<Scope> {
  const { tenantId, run, version, at } = of
  const { results, item, user, caller } = known ?? (await inSystemTransaction(services, tenantId, (context) => readRoots(context, of)))
  const rendering = renderingOf({
    locale: user?.languageCode ?? 'en-US',
    timeZone: user?.timeZoneIana ?? caller?.timeZoneIana ?? 'UTC',
    nowMs: Date.parse(at),
  })
  const { runId, createdDate, input, trigger, variables } = run
  const roots = {
    $trigger: trigger === null || trigger === undefined ? { input, by: run.startedBy } : changeUnderTodaysNames(trigger, version.renames),
    $input: input,
    $vars: variables,
    ...(version.settings ? { $settings: version.settings } : {}),
    $steps: resultsByStep(results),
    $run: { id: runId, number: runId, startedDate: createdDate, ...(version.pack ? { installId: version.workflowId } : {}) },
    $user: user
      ? { tenantUserId: run.startedBy, userName: user.userName, displayName: user.displayName, email: user.email, phone: user.phone }
      : null,
    $tenant: caller ? { tenantId, name: caller.tenantName, subDomain: caller.tenantSubDomain, host: caller.tenantHost } : { tenantId },
    ...item,
    ...timeRoots(rendering),
  }
  const who = actingFor(tenantId, run)
  let record: Promise<unknown> | undefined
  const own = async (): Promise<unknown> => {
    if (run.eiRecordId === null || version.entity === undefined) return null
    try {
      const input = { entity: version.entity, record: String(run.eiRecordId), withDataJson: false }
      // get_instance answers the document of a record.
      return flatRecord((await runAs(services, who, 'get_instance', input)) as Readonly<Record<string, unknown>>).record
    } catch (error) {
      if (error instanceof AppError && (error.code === 'not_found' || error.code === 'forbidden')) return null
      throw error
    }
  }
  /** The record is read where something names it, and once. */
  const over = async (value: unknown, more: Readonly<Record<string, unknown>>): Promise<Resolving> => {
    const { entity } = version
    const all = { ...roots, ...more }
    if (entity === undefined || run.eiRecordId === null || !names(value, entity)) return resolving(all, rendering)
    record ??= own()
    return resolving({ ...all, [entity]: await record }, rendering)
  }
  return {
    timeZone: rendering.timeZone,
    after: (step, result, set) => ({ $vars: { ...variables, ...set }, $steps: { ...roots.$steps, [step]: result ?? null } }),
    resolve: async (value, more = {}) => resolveJson(value, await over(value, more)),
    async holds(said, more = {}) {
      const at = await over(said, more)
      return conditionHolds(readConditions(said), { ...at, budget: newBudget() }, async (filter) => {
        if (run.eiRecordId === null || version.entity === undefined)
          throw new AppError('unprocessable', 'A condition asks for a property of the record, and this run is about none.')
        const rules = [{ property: 'eiRecordId', op: 'eq', value: run.eiRecordId }]
        const found = await runAs(services, who, 'count_instances', {
          entity: version.entity,
          filterRules: { logic: 'AND', rules, groups: [filter] },
        })
        return isObjectWithCount(found) && found.count > 0
      })
    },
  }
}

function isObjectWithCount(value: unknown): value is { readonly count: number } {
  return typeof value === 'object' && value !== null && 'count' in value && typeof value.count === 'number'
}

/** Whether a text somewhere inside might name the root. */
function names(value: unknown, root: string): boolean {
  if (typeof value === 'string') return value.includes(root)
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => names(one, root))
}
