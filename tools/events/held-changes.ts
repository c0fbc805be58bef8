/** Changes of a transaction that are not told yet, since what makes them goes on. */
import type { Tx } from '#platform/db/pool.ts'

import type { ChangedEntity, RecordChange } from './events.types.ts'
import { netChange } from './net-changes.rules.ts'

export interface Held {
  readonly of: ChangedEntity
  /** Undefined: nothing of it is left. */
  readonly change: RecordChange | undefined
}

/** By record, in the order in which they were changed first. */
type HeldChanges = Map<number, Held>

const heldIn = new WeakMap<Tx, HeldChanges>()

/** Keeps changes where they are held back; false where they are to be told at once. */
export function holdBack(tx: Tx, of: ChangedEntity, changes: readonly RecordChange[]): boolean {
  const held = heldIn.get(tx)
  if (!held) return false
  for (const change of changes) held.set(change.id, { of, change: netChange(held.get(change.id)?.change, change) })
  return true
}

/** Holds changes back while `work` runs. Undefined: they are held back already, by whoever this is a part of. */
export async function whileHeld<T>(
  tx: Tx,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly held: readonly Held[] | undefined }> {
  if (heldIn.has(tx)) return { result: await work(), held: undefined }
  const held: HeldChanges = new Map()
  heldIn.set(tx, held)
  try {
    const result = await work()
    return { result, held: [...held.values()] }
  } finally {
    heldIn.delete(tx)
  }
}
