/** Reports evaluated over rows in hand, in plain TypeScript: what the compiled statements are held against. */

export type PropertyName = 'Num' | 'Cash' | 'Txt' | 'Kind' | 'Day' | 'At' | 'Flag' | 'Nums'
export const propertyTypes: Readonly<Record<PropertyName, string>> = {
  Num: 'Number',
  Cash: 'Currency',
  Txt: 'Text',
  Kind: 'Choice',
  Day: 'DateOnly',
  At: 'DateTime',
  Flag: 'Boolean',
  Nums: 'Number',
}
export const propertyNames = Object.keys(propertyTypes) as PropertyName[]
export const kinds = ['zeta', 'alpha', 'mid'] as const

export type Value = number | string | boolean | readonly number[] | null

export interface Thing {
  readonly entity: string
  readonly key: string
  readonly parent: Thing | undefined
  readonly peers: Set<Thing>
  readonly values: Readonly<Record<PropertyName, Value>>
  id: number
}

/** An access rule for the one caller that is bound by them. */
export interface AccessRule {
  readonly least: number | undefined
  readonly hidden: readonly PropertyName[]
}

export interface Rule {
  readonly entity?: string
  readonly property: string
  readonly op: string
  readonly value?: unknown
}
export interface Group {
  readonly logic: 'AND' | 'OR'
  readonly rules: readonly Rule[]
  readonly groups: readonly Group[]
}
export interface Join {
  readonly entityId: string
  readonly parentEntityId: string
  readonly joinType: 'child' | 'parent' | 'peer'
  readonly joinMode: 'inner' | 'left'
  readonly alias: string
}
export interface Definition {
  readonly primaryEntityId: string
  readonly joins: readonly Join[]
  readonly columns: readonly { entity: string; property: string; alias: string }[]
  readonly groupBy: readonly { entity: string; property: PropertyName; datePart?: string; alias: string }[]
  readonly aggregates: readonly { entity?: string; property?: PropertyName; fn: string; distinct: boolean; alias: string; filter?: Group }[]
  readonly filters?: Group
  readonly having?: Group
  readonly sort: readonly { property: string; direction: 'asc' | 'desc' }[]
}

export interface Sight {
  readonly things: readonly Thing[]
  /** By entity; an entity without rules is seen whole. */
  readonly rules: ReadonlyMap<string, readonly AccessRule[]>
  readonly timeZone: string
}

type Tuple = ReadonlyMap<string, Thing | undefined>

const holdsFor = (rule: AccessRule, { values }: Thing) =>
  rule.least === undefined || (typeof values.Num === 'number' && values.Num >= rule.least)

function isSeen({ rules }: Sight, thing: Thing): boolean {
  const own = rules.get(thing.entity)
  return own === undefined || own.some((rule) => holdsFor(rule, thing))
}

export function isWithheld({ rules }: Sight, entity: string, property: string): boolean {
  const own = rules.get(entity)
  return own !== undefined && own.every((rule) => rule.hidden.some((one) => one === property))
}

function valueOf(sight: Sight, thing: Thing | undefined, property: string): Value {
  if (!thing) return null
  if (property === 'key1') return thing.key
  const own = sight.rules.get(thing.entity)
  const isShown = own === undefined || own.some((rule) => holdsFor(rule, thing) && !rule.hidden.some((one) => one === property))
  return isShown ? thing.values[property as PropertyName] : null
}

function joined(sight: Sight, { primaryEntityId, joins }: Definition): Tuple[] {
  const seen = sight.things.filter((thing) => isSeen(sight, thing))
  let tuples: Tuple[] = seen.filter((thing) => thing.entity === primaryEntityId).map((thing) => new Map([[primaryEntityId, thing]]))
  for (const { entityId, parentEntityId, joinType, joinMode, alias } of joins)
    tuples = tuples.flatMap((tuple) => {
      const from = tuple.get(parentEntityId)
      const found = seen.filter((thing) => {
        if (!from || thing.entity !== entityId) return false
        if (joinType === 'child') return thing.parent === from
        return joinType === 'parent' ? from.parent === thing : from.peers.has(thing)
      })
      const some: (Thing | undefined)[] = found.length === 0 && joinMode === 'left' ? [undefined] : found
      return some.map((thing) => new Map([...tuple, [alias, thing]]))
    })
  return tuples
}

const isEmpty = (value: Value) => value === null || value === ''

function compares(mine: Value, { op, value }: Rule): boolean {
  const all = Array.isArray(mine) ? (mine as readonly number[]) : [mine as number | string | boolean | null]
  const list = Array.isArray(value) ? (value as unknown[]) : [value]
  const some = (test: (one: number | string | boolean) => boolean) => all.some((one) => one !== null && test(one))
  switch (op) {
    case 'isEmpty':
      return isEmpty(mine)
    case 'isNotEmpty':
      return !isEmpty(mine)
    case 'eq':
    case 'in':
      return some((one) => list.includes(one))
    case 'ne':
    case 'notIn':
      return !some((one) => list.includes(one))
    case 'gt':
      return some((one) => (one as string) > (value as string))
    case 'lte':
      return some((one) => (one as string) <= (value as string))
    case 'between':
      return some((one) => (one as string) >= (list[0] as string) && (one as string) <= (list[1] as string))
    case 'contains':
      return some((one) => String(one).includes(String(value)))
    default:
      throw new Error(op)
  }
}

function holds(group: Group | undefined, of: (rule: Rule) => Value): boolean {
  if (!group) return true
  const all = [...group.rules.map((rule) => compares(of(rule), rule)), ...group.groups.map((one) => holds(one, of))]
  return all.length === 0 || (group.logic === 'AND' ? all.every(Boolean) : all.some(Boolean))
}

/** What the clock on the wall shows. */
function wallOf(at: string, timeZone: string): { day: string; hour: number } {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(new Date(at))
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return { day: `${part('year')}-${part('month')}-${part('day')}`, hour: Number(part('hour')) }
}

function weekOf(day: string): string {
  // The week belongs to the year that its Thursday is in.
  const thursday = new Date(`${day}T00:00:00Z`)
  thursday.setUTCDate(thursday.getUTCDate() - ((thursday.getUTCDay() + 6) % 7) + 3)
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1)
  return `${thursday.getUTCFullYear()}-W${String(Math.floor((thursday.getTime() - first) / 604_800_000) + 1).padStart(2, '0')}`
}

function partOf(value: Value, datePart: string, timeZone: string): Value {
  if (typeof value !== 'string') return null
  const { day, hour } = value.length === 10 ? { day: value, hour: 0 } : wallOf(value, timeZone)
  const month = Number(day.slice(5, 7))
  switch (datePart) {
    case 'year':
      return day.slice(0, 4)
    case 'quarter':
      return `${day.slice(0, 4)}-Q${Math.ceil(month / 3)}`
    case 'month':
      return day.slice(0, 7)
    case 'week':
      return weekOf(day)
    case 'day':
      return day
    case 'dayOfWeek':
      return ((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7) + 1
    case 'hourOfDay':
      return hour
    case 'monthOfYear':
      return month
    default:
      throw new Error(datePart)
  }
}

function aggregateOf(sight: Sight, tuples: readonly Tuple[], aggregate: Definition['aggregates'][number], primary: string): Value {
  const { entity, property, fn, distinct, filter } = aggregate
  const name = entity ?? primary
  const counted = tuples.filter((tuple) => holds(filter, (rule) => valueOf(sight, tuple.get(rule.entity ?? name), rule.property)))
  if (property === undefined) {
    if (entity === undefined && !distinct) return counted.length
    const records = counted.flatMap((tuple) => tuple.get(name) ?? [])
    return distinct ? new Set(records).size : records.length
  }
  const found = counted.map((tuple) => valueOf(sight, tuple.get(name), property)).filter((value) => !isEmpty(value))
  const values = distinct ? [...new Map(found.map((value) => [JSON.stringify(value), value])).values()] : found
  if (fn === 'COUNT') return values.length
  if (values.length === 0) return null
  if (fn === 'MIN' || fn === 'MAX') {
    const ordered = values.toSorted((a, b) => (a! < b! ? -1 : a! > b! ? 1 : 0))
    return (fn === 'MIN' ? ordered[0] : ordered.at(-1)) ?? null
  }
  // Values have two decimals: their sum is exact in hundredths.
  const hundredths = values.reduce<number>((sum, value) => sum + Math.round(Number(value) * 100), 0)
  return fn === 'SUM' ? hundredths / 100 : hundredths / 100 / values.length
}

export type Row = Readonly<Record<string, Value>>

/** The rows of a report, in no order. */
export function evaluate(sight: Sight, definition: Definition): Row[] {
  const { columns, groupBy, aggregates, filters, having, primaryEntityId } = definition
  const tuples = joined(sight, definition).filter((tuple) =>
    holds(filters, (rule) => valueOf(sight, tuple.get(rule.entity ?? primaryEntityId), rule.property)),
  )
  if (groupBy.length === 0 && aggregates.length === 0)
    return tuples.map((tuple) =>
      Object.fromEntries(columns.map(({ entity, property, alias }) => [alias, valueOf(sight, tuple.get(entity), property)])),
    )
  const groups = new Map<string, { keys: Row; tuples: Tuple[] }>()
  if (groupBy.length === 0) groups.set('', { keys: {}, tuples: [] })
  for (const tuple of tuples) {
    const keys = Object.fromEntries(
      groupBy.map(({ entity, property, datePart, alias }): [string, Value] => {
        const value = valueOf(sight, tuple.get(entity), property)
        return [alias, datePart === undefined ? (value === '' ? null : value) : partOf(value, datePart, sight.timeZone)]
      }),
    )
    const name = groupBy.length === 0 ? '' : JSON.stringify(keys)
    const group = groups.get(name) ?? { keys, tuples: [] }
    group.tuples.push(tuple)
    groups.set(name, group)
  }
  return [...groups.values()]
    .map(({ keys, tuples: own }): Row => ({
      ...keys,
      ...Object.fromEntries(aggregates.map((one) => [one.alias, aggregateOf(sight, own, one, primaryEntityId)])),
    }))
    .filter((row) => holds(having, (rule) => row[rule.property] ?? null))
}

const rankOf = (value: Value) => (kinds.some((kind) => kind === value) ? kinds.findIndex((kind) => kind === value) : value)

/** Whether a row may stand before the next one. */
export function isInOrder(sort: Definition['sort'], one: Row, next: Row): boolean {
  for (const { property, direction } of sort) {
    const [a, b] = [one[property] ?? null, next[property] ?? null].map((value) => (value === '' ? null : rankOf(value)))
    if (a === b) continue
    if (a === null || a === undefined) return false
    if (b === null || b === undefined) return true
    return direction === 'asc' ? a < b : a > b
  }
  return true
}

/** Rows without regard to their order, averages as far as they are exact. */
export function canonical(rows: readonly Row[]): string[] {
  const rounded = (value: Value) => (typeof value === 'number' ? Number(value.toPrecision(12)) : value)
  return rows
    .map((row) => JSON.stringify(Object.entries(row).map(([name, value]) => [name, rounded(value)])))
    .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}
