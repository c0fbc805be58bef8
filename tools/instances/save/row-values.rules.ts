/** The values of one row. A bulk holds 10,000 of these at once, so they take a slot for each property and not a hash table for each row. */
import type { Value } from '#tools/properties/service.ts'

/** Where each property's value stands: by entityPropertyId, ascending, so that rows need no sorting before they are hashed. */
export interface Layout {
  readonly ids: readonly number[]
  readonly positions: ReadonlyMap<number, number>
}

/** The layout of rows that have these properties. */
export function layoutOf(entityPropertyIds: readonly number[]): Layout {
  const ids = entityPropertyIds.toSorted((a, b) => a - b)
  return { ids, positions: new Map(ids.map((id, position) => [id, position])) }
}

/** Values by entityPropertyId, as a map that knows its keys beforehand. A property that is not set is absent, which is not the same as null. */
export class RowValues implements ReadonlyMap<number, Value> {
  readonly #layout: Layout
  readonly #slots: (Value | undefined)[]
  #size = 0

  constructor(layout: Layout) {
    this.#layout = layout
    this.#slots = layout.ids.map(() => undefined)
  }

  get size(): number {
    return this.#size
  }

  get(id: number): Value | undefined {
    const position = this.#layout.positions.get(id)
    return position === undefined ? undefined : this.#slots[position]
  }

  has(id: number): boolean {
    return this.get(id) !== undefined
  }

  /** Sets a property of the layout that is absent; false, and nothing changed, where it is there already. */
  add(id: number, value: Value): boolean {
    const position = this.#layout.positions.get(id)
    if (position === undefined) throw new Error(`Property ${id} is not of this row`)
    if (this.#slots[position] !== undefined) return false
    this.#slots[position] = value
    this.#size++
    return true
  }

  forEach(callback: (value: Value, id: number, map: ReadonlyMap<number, Value>) => void): void {
    const { ids } = this.#layout
    const slots = this.#slots
    for (let position = 0; position < ids.length; position++) {
      const value = slots[position]
      const id = ids[position]
      if (value !== undefined && id !== undefined) callback(value, id, this)
    }
  }

  *entries(): Generator<[number, Value], undefined> {
    for (const [position, id] of this.#layout.ids.entries()) {
      const value = this.#slots[position]
      if (value !== undefined) yield [id, value]
    }
  }

  *keys(): Generator<number, undefined> {
    for (const [id] of this.entries()) yield id
  }

  *values(): Generator<Value, undefined> {
    for (const [, value] of this.entries()) yield value
  }

  [Symbol.iterator](): Generator<[number, Value], undefined> {
    return this.entries()
  }
}
