/** Numbers that the server gives to new records, and that stay unique whoever says them. */
import { randomUUID } from 'node:crypto'

import { inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { quoted } from '#platform/suggest.ts'
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'
import { isLongerThan, type Value } from '#tools/properties/service.ts'
import { isNumbered, seenAmong } from '#tools/query/service.ts'

import type { Draft, Fail } from './match-records.ts'
import { drawNumbers, findNumbered } from './numbers.store.ts'
import type { SaveWish } from './understand-row.rules.ts'
import type { WriteFrame } from './write-frame.ts'

/** As a part of a key has; the index of unique values takes no long ones. */
const longestNumber = 200
const mostDrawn = 100_000
const mostRounds = 40

export function numberedProperties(entity: CatalogEntity): CatalogProperty[] {
  return entity.properties.filter(isNumbered)
}

/** The numbers of the new records that say none, by the row's index. */
export async function giveNumbers(
  context: TxContext,
  frame: WriteFrame,
  drafts: readonly Draft[],
): Promise<ReadonlyMap<number, ReadonlyMap<number, Value>>> {
  const given = new Map<number, Map<number, Value>>()
  for (const property of numberedProperties(frame.entity)) {
    const { entityPropertyId: id } = property
    const lacking = drafts.filter(({ live, wish }) => !live && (wish.values.get(id) ?? null) === null)
    if (lacking.length === 0) continue
    const said = new Set(drafts.flatMap(({ wish }) => wish.values.get(id) ?? []))
    const { length } = lacking
    const numbers = frame.isDry ? standIns(property, length) : await takeNumbers(context, frame, property, length, said)
    lacking.forEach(({ wish }, index) => {
      const own = given.get(wish.index) ?? new Map<number, Value>()
      given.set(wish.index, own.set(id, numbers[index] ?? null))
    })
  }
  return given
}

/** What the row names, with the number that it is given; an overwrite that does not name a number keeps the one that the record has. */
export function withNumbers(
  entity: CatalogEntity,
  { values, mode }: SaveWish,
  before: ReadonlyMap<number, Value> | undefined,
  given: ReadonlyMap<number, Value> | undefined,
): ReadonlyMap<number, Value> {
  const kept = mode === 'overwrite' && before ? numberedProperties(entity).filter((one) => !values.has(one.entityPropertyId)) : []
  if (!given && kept.length === 0) return values
  return new Map([...values, ...kept.map(({ entityPropertyId: id }) => [id, before?.get(id) ?? null] as const), ...(given ?? [])])
}

/** Of a trial, which draws none: no two are the same, nor has any record one. */
function standIns({ numbering }: CatalogProperty, count: number): string[] {
  return Array.from({ length: count }, () => `${numbering?.prefix ?? ''}${randomUUID()}`)
}

/** Draws more and more at a time, since people may have saved any number of them themselves. */
async function takeNumbers(
  { tx, tenantId }: TxContext,
  { entity }: WriteFrame,
  { columnId, numbering, internalName }: CatalogProperty,
  count: number,
  said: ReadonlySet<unknown>,
): Promise<readonly string[]> {
  if (!numbering) throw new Error('The property is not numbered')
  const taken: string[] = []
  let draw = count
  for (let round = 0; round < mostRounds; round++) {
    const drawn = await inRecords(tx, tenantId, () => drawNumbers(tx, tenantId, entity.entityId, columnId, numbering, draw))
    taken.push(...drawn.filter((number) => !said.has(number)))
    if (taken.length >= count) return taken.slice(0, count)
    draw = Math.min(mostDrawn, draw * 2)
  }
  throw new AppError('conflict', `The next numbers of ${internalName} are all taken. Give it another prefix with update_entity_property.`)
}

/** Refuses rows whose number another live record or an earlier row has. `before` is what the record held. */
export async function refuseTakenNumbers(
  context: TxContext,
  { catalog, entity }: WriteFrame,
  rows: readonly {
    readonly draft: Draft
    readonly row: { readonly id: number; readonly values: ReadonlyMap<number, Value> }
    readonly before: ReadonlyMap<number, Value> | undefined
  }[],
  fail: Fail,
): Promise<void> {
  const { tx, tenantId } = context
  for (const { entityPropertyId, columnId, internalName } of numberedProperties(entity)) {
    const changed = rows.flatMap(({ draft, row, before }) => {
      const number = row.values.get(entityPropertyId) ?? null
      return number === null || number === before?.get(entityPropertyId) ? [] : [{ draft, id: row.id, number: String(number) }]
    })
    if (changed.length === 0) continue
    const long = changed.filter(({ number }) => isLongerThan(number, longestNumber))
    const sound = changed.filter(({ number }) => !isLongerThan(number, longestNumber))
    const numbers = sound.map(({ number }) => number)
    const holders = await inRecords(tx, tenantId, () => findNumbered(tx, tenantId, entity.entityId, columnId, numbers))
    const seen = await seenAmong(context, catalog, entity, [...holders.values()])
    const pathOf = (draft: Draft) => `${draft.wish.path}.data.${internalName}`
    for (const { draft } of long)
      fail(draft.wish.index, 'invalid', [
        finding(pathOf(draft), `${internalName} is numbered; a number has at most ${longestNumber} characters.`),
      ])
    const earlier = new Set<string>()
    for (const { draft, id, number } of sound) {
      const holder = holders.get(number)
      const isSecond = earlier.has(number)
      earlier.add(number)
      if (!isSecond && (holder === undefined || holder === id)) continue
      const whose = holder === undefined ? 'An earlier row of this call' : seen.has(holder) ? `Record ${holder}` : 'Another record'
      const message = `${whose} has the ${internalName} ${quoted(number)} already, which is unique in ${entity.internalName}. Leave it out to get the next one.`
      fail(draft.wish.index, 'keyTaken', [finding(pathOf(draft), message)], draft.live?.id)
    }
  }
}
