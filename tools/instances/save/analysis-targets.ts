/** Targets of analyses follow the files of a record: what a file brought leaves with it, and stands where the file stands in its list. */
import type { TxContext } from '#platform/operation.ts'
import { createMatcher, type PatternMatcher } from '#platform/patterns.ts'
import { inTurns } from '#platform/turns.ts'
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'
import {
  composeHeld,
  type HeldFiles,
  isFromRun,
  type Place,
  stateOnArrival,
  targetsOf,
  targetStates,
  type TargetState,
  type TargetStates,
  valueHash,
} from '#tools/intelligence/service.ts'
import { assetKeysOf, type Value } from '#tools/properties/service.ts'

import { checkData } from './row-data.rules.ts'

/** A row on its way into the store. */
export interface FollowedRow {
  /** Undefined: it is new. */
  readonly eiRecordId: number | undefined
  readonly values: ReadonlyMap<number, Value>
  readonly before: ReadonlyMap<number, Value> | undefined
}

/** What is to be noted of the targets of one attachment property, once the row has its id. */
export type Notes = ReadonlyMap<number, TargetStates>

export interface Followed {
  /** What becomes of targets, by entityPropertyId; empty for most rows. */
  readonly changes: ReadonlyMap<number, Value>
  /** By entityPropertyId of the attachments. */
  readonly notes: Notes
}

/** Of a row whose files stay as they are. */
export const unfollowed: Followed = { changes: new Map(), notes: new Map() }

interface Change {
  readonly index: number
  readonly row: FollowedRow
  readonly property: CatalogProperty
  readonly targets: HeldFiles['targets']
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Looks at rows in which the files of an analysed property change; answers for each row, in order. */
export async function followFiles(context: TxContext, entity: CatalogEntity, rows: readonly FollowedRow[]): Promise<readonly Followed[]> {
  const analysed = entity.properties.flatMap((property) => {
    const targets = targetsOf(property)
    return Object.keys(targets).length > 0 ? [{ property, targets }] : []
  })
  const changes = analysed.length === 0 ? [] : rows.flatMap((row, index) => changesOf(row, index, analysed))
  if (changes.length === 0) return rows.map(() => unfollowed)
  const stateOf = await targetStates(context, changes.flatMap(placeOf))
  // Only where recognition has written something does anything have to follow.
  const written = changes.filter(
    (change) => change.before.length > 0 && placeOf(change).some((place) => Object.values(stateOf(place)).some(({ by }) => by === 'run')),
  )
  const composed = await composeHeld(
    context,
    entity,
    written.flatMap((change) =>
      placeOf(change).map((place) => ({ ...place, property: change.property, targets: change.targets, assetKeys: change.after })),
    ),
  )
  const composedOf = new Map(written.map((change, index) => [change, composed[index]]))
  const followed: { changes: Map<number, Value>; notes: Map<number, TargetStates> }[] = []
  const patterns = createMatcher()
  let open: readonly Change[] = changes
  while (open.length > 0) {
    const held: Change[] = []
    await inTurns(
      (function* () {
        for (const change of open) {
          const place = placeOf(change)[0]
          const { values, notes } = followOne(entity, change, place ? stateOf(place) : {}, composedOf.get(change)?.values, patterns)
          if (patterns.takePending()) held.push(change)
          else {
            const own = (followed[change.index] ??= { changes: new Map(), notes: new Map() })
            for (const [id, value] of values) own.changes.set(id, value)
            if (Object.keys(notes).length > 0) own.notes.set(change.property.entityPropertyId, notes)
          }
          yield
        }
      })(),
    )
    if (held.length > 0) await patterns.settle()
    open = held
  }
  return rows.map((_, index) => followed[index] ?? unfollowed)
}

/** What becomes of the targets of one change. `composed`: what the files that are there now bring, where recognition has written something before. */
function followOne(
  entity: CatalogEntity,
  change: Change,
  states: TargetStates,
  composed: Readonly<Record<string, unknown>> | undefined,
  patterns: PatternMatcher,
): { readonly values: ReadonlyMap<number, Value>; readonly notes: TargetStates } {
  const had = new Set(change.before)
  const hasCome = change.after.some((assetKey) => !had.has(assetKey))
  const hasOthers = change.after.some((assetKey) => had.has(assetKey))
  const values = new Map<number, Value>()
  const notes: Record<string, TargetState> = {}
  for (const target of targetProperties(entity, change)) {
    const id = target.entityPropertyId
    let state = states[String(id)]
    let value = change.row.values.get(id) ?? null
    const next = composed && isFromRun(state, value) ? valueFrom(target, composed, patterns) : undefined
    if (next !== undefined && valueHash(next) !== valueHash(value)) {
      value = next
      values.set(id, next)
      state = notes[String(id)] = { hash: valueHash(next), by: 'run' }
    }
    const arrived = hasCome ? stateOnArrival(state, value, { hasOthers }) : undefined
    if (arrived) notes[String(id)] = arrived
  }
  return { values, notes }
}

function changesOf(row: FollowedRow, index: number, analysed: readonly Pick<Change, 'property' | 'targets'>[]): Change[] {
  return analysed.flatMap(({ property, targets }) => {
    const before = assetKeysOf(row.before?.get(property.entityPropertyId))
    const after = assetKeysOf(row.values.get(property.entityPropertyId))
    return before.join() === after.join() ? [] : [{ index, row, property, targets, before, after }]
  })
}

/** Of a record that is there; a new one has no past. */
function placeOf({ row, property }: Change): Place[] {
  return row.eiRecordId === undefined ? [] : [{ eiRecordId: row.eiRecordId, entityPropertyId: property.entityPropertyId }]
}

function targetProperties(entity: CatalogEntity, { targets }: Change): CatalogProperty[] {
  const ids = new Set(Object.values(targets))
  return entity.properties.filter((property) => ids.has(property.entityPropertyId))
}

/** What the files that are left bring to a target: nothing empties it, unless it is required; so does what it does not take any more. */
function valueFrom(target: CatalogProperty, values: Readonly<Record<string, unknown>>, patterns: PatternMatcher): Value | undefined {
  const { internalName: name, isRequired } = target
  const { values: checked, issues } = checkData([target], name in values ? { [name]: values[name] } : {}, '$', { patterns })
  const value = issues.length > 0 ? null : (checked.get(target.entityPropertyId) ?? null)
  return value === null && isRequired ? undefined : value
}
