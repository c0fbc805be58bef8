/** A call of many rows in steps: a row whose parent another row makes is saved after that one. */
import { inRecords } from '#platform/db/records.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'

import { earlierParents, generationsOf } from './generations.rules.ts'
import { findLiveByKeys } from './live.store.ts'
import type { Fail, SaveOutcome } from './match-records.ts'
import { keyName, type SaveWish } from './understand-row.rules.ts'
import type { WriteFrame } from './write-frame.ts'

/** A step takes some round trips, and all of them share one transaction. */
const mostGenerations = 100

export interface Generations {
  readonly steps: readonly (readonly SaveWish[])[]
  /** The rows of a step without those whose parent was not made, which fail. */
  withParents(step: readonly SaveWish[], outcomes: ReadonlyMap<number, SaveOutcome>, fail: Fail): readonly SaveWish[]
}

/** One step with all sound rows, unless some of them name parents that earlier ones make. */
export async function inGenerations(
  { tx, tenantId }: TxContext,
  frame: WriteFrame,
  wishes: readonly SaveWish[],
  sound: readonly SaveWish[],
): Promise<Generations> {
  const made = earlierParents(frame.entity, wishes)
  if (made.size > 0) {
    const keys = [...new Set(made.values())].flatMap((wish) => (wish.keys ? [wish.keys] : []))
    const live = await inRecords(tx, tenantId, () => findLiveByKeys(tx, tenantId, frame.entity.entityId, keys))
    const there = new Set(live.map((row) => keyName([row.key1, row.key2, row.key3])))
    for (const [index, { keys: own }] of made) if (own && there.has(keyName(own))) made.delete(index)
  }
  if (made.size === 0) return { steps: [sound], withParents: (step) => step }
  const generations = generationsOf(sound, made)
  const steps = generations.slice(0, mostGenerations)
  // What is deeper fails in one step: a chain would make as many as it has rows.
  const deeper = generations.slice(mostGenerations).flat()
  if (deeper.length > 0) steps.push(deeper)
  return {
    steps,
    withParents: (step, outcomes, fail) =>
      step.filter(({ index, path }) => {
        const parent = made.get(index)
        const message = step === deeper ? tooDeep : parent && whyNotMade(parent, outcomes)
        if (message !== undefined) fail(index, 'invalid', [finding(`${path}.parentKey1`, message)])
        return message === undefined
      }),
  }
}

const tooDeep = `The row stands more than ${mostGenerations - 1} levels below the first one that the call makes. Send it in a call after this one.`

function whyNotMade(parent: SaveWish, outcomes: ReadonlyMap<number, SaveOutcome>): string | undefined {
  if (outcomes.get(parent.index)?.outcome !== 'failed') return undefined
  return `${parent.path}, which would make this parent, was not saved. Mend that row, then send both.`
}
