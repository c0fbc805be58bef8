/** Has the form decide on a record and on each of its rows, which may stand on each other. */
import { type Finding, finding } from '#platform/findings.ts'
import { authorOf, type TxContext } from '#platform/operation.ts'
import { inTurns } from '#platform/turns.ts'
import { maxFindings } from '#platform/validation.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import type { Value } from '#tools/properties/service.ts'
import { externalKeyOf, type ReadInHand } from '#tools/query/service.ts'

import { checkCaptures } from './captures.ts'
import { decide, type Decision } from './decide.rules.ts'
import type { DefaultOf } from './defaults.ts'
import type { UnderstoodRow } from './entries.ts'
import { type Held, heldRecord } from './held.rules.ts'
import type { ReadyForm } from './ready.ts'
import type { ListPlan } from './sections.ts'

export interface Deciding {
  readonly ready: ReadyForm
  readonly primary: UnderstoodRow
  readonly before: ReadInHand | undefined
  readonly plans: readonly ListPlan[]
  readonly parentId: number | null
  readonly above: Held | undefined
  /** Rows that are there, by entityId, as far as conditions ask about them. */
  readonly existing: ReadonlyMap<number, readonly ReadInHand[]>
  readonly defaultOf: DefaultOf
}

export interface DecidedRow {
  readonly understood: UnderstoodRow
  readonly decision: Decision
}

export interface Decided {
  readonly primary: Decision
  readonly lists: readonly { readonly plan: ListPlan; readonly rows: readonly DecidedRow[] }[]
  readonly findings: readonly Finding[]
  readonly isVisible: (name: string) => boolean
}

function newFields(context: TxContext, { entityId }: CatalogEntity, { row }: UnderstoodRow, parentId: number | null): Held['fields'] {
  const { key1 = '', key2 = '', key3 = '' } = row
  const by = authorOf(context.actor) || null
  const made = { createdDate: context.stamp, createdBy: by, modifiedDate: context.stamp, modifiedBy: by }
  const keys = { key1, key2, key3, externalKey: externalKeyOf([key1, key2, key3]) }
  return { eiRecordId: null, entityId, parentEIRecordId: parentId, workflowInstanceId: null, ...keys, ...made }
}

const merged = (before: ReadonlyMap<number, Value> | undefined, said: ReadonlyMap<number, Value>) => new Map([...(before ?? []), ...said])

export async function decideAll(context: TxContext, deciding: Deciding): Promise<Decided> {
  const { ready, primary, before, plans, parentId, above, existing, defaultOf } = deciding
  const fields = before?.fields ?? newFields(context, ready.entity, primary, parentId)
  const rowsNow = new Map<number, Held[]>()
  const hold = (values: ReadonlyMap<number, Value>): Held =>
    heldRecord({ entity: ready.entity, fields, values, parent: above }, (entityId) => rowsNow.get(entityId) ?? [])
  let record = hold(merged(before?.values, primary.values))
  const holdRow = (entity: CatalogEntity, own: Held['fields'], values: ReadonlyMap<number, Value>): Held =>
    heldRecord({ entity, fields: own, values, parent: record })
  const fieldsOf = (plan: ListPlan, row: UnderstoodRow) =>
    (row.id === undefined ? undefined : plan.before.get(row.id)?.fields) ?? newFields(context, plan.list.entity, row, before?.id ?? null)

  /** The rows as they would be; those that are sent as `valuesOf` has them. */
  const setRows = (valuesOf: (plan: ListPlan, row: UnderstoodRow, index: number) => ReadonlyMap<number, Value>) => {
    rowsNow.clear()
    const add = (entity: CatalogEntity, own: Held['fields'], values: ReadonlyMap<number, Value>) => {
      const rows = rowsNow.get(entity.entityId) ?? []
      rows.push(holdRow(entity, own, values))
      rowsNow.set(entity.entityId, rows)
    }
    const replaced = new Set(plans.flatMap((plan) => [...plan.deleted, ...plan.rows.flatMap((row) => row.id ?? [])]))
    for (const [entityId, rows] of existing) {
      const entity = ready.lists.find((list) => list.entity.entityId === entityId)?.entity
      if (entity) for (const row of rows) if (!replaced.has(row.id)) add(entity, row.fields, row.values)
    }
    for (const plan of plans) plan.rows.forEach((row, index) => add(plan.list.entity, fieldsOf(plan, row), valuesOf(plan, row, index)))
  }
  const decidePrimary = () =>
    inTurns(
      decide({
        ...primary,
        path: `${primary.path}.values`,
        parts: ready.details,
        fieldOf: ready.fieldOf,
        locked: ready.locked,
        before,
        hold,
        defaultOf: (field, values) => defaultOf(field.default, hold(values)),
      }),
    )

  setRows((plan, row) => merged(row.id === undefined ? undefined : plan.before.get(row.id)?.values, row.values))
  let decision = await decidePrimary()
  record = hold(decision.values)
  const findings: Finding[] = []
  function* decideList(plan: ListPlan): Generator<void, DecidedRow[]> {
    const { list } = plan
    const rows: DecidedRow[] = []
    for (const understood of plan.rows) {
      // One is enough to refuse all of it.
      if (findings.length >= maxFindings) break
      const own = fieldsOf(plan, understood)
      const one = yield* decide({
        ...understood,
        path: `${understood.path}.values`,
        parts: [{ isVisible: () => true, fields: list.fields }],
        fieldOf: list.fieldOf,
        locked: list.locked,
        before: understood.id === undefined ? undefined : plan.before.get(understood.id),
        hold: (values) => holdRow(list.entity, own, values),
        defaultOf: (field, values) => defaultOf(field.default, record, holdRow(list.entity, own, values)),
      })
      rows.push({ understood, decision: one })
      findings.push(...understood.findings, ...one.findings)
    }
    return rows
  }
  const lists: { plan: ListPlan; rows: DecidedRow[] }[] = []
  for (const plan of plans) lists.push({ plan, rows: await inTurns(decideList(plan)) })
  if (ready.asked.rows.size > 0 && lists.length > 0) {
    // What the form adds to rows counts for the record, too.
    const decided = new Map(lists.flatMap(({ rows }) => rows.map((row) => [row.understood, row.decision.values] as const)))
    setRows((_plan, row) => decided.get(row) ?? row.values)
    decision = await decidePrimary()
    record = hold(decision.values)
  }
  for (const { plan } of lists)
    if (!plan.list.isVisible(record) && (plan.rows.length > 0 || plan.deleted.length > 0))
      findings.push(
        finding(plan.path, `The section ${plan.list.name} is hidden as the record stands. Leave it out, or change what hides it.`),
      )
  findings.unshift(...decision.findings)
  findings.push(...(await checkCaptures(context, ready, { primary: { understood: primary, decision }, lists })))
  const visible = new Set(ready.lists.flatMap((list) => (list.isVisible(record) ? list.name : [])))
  return { primary: decision, lists, findings, isVisible: (name) => visible.has(name) }
}
