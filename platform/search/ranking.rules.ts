/** How likenesses of meaning and of words become one order. */
import { dimensions } from '../embeddings/sentence-model.ts'

export interface Ranking {
  /** A score for each place of the list; higher is better, comparable within one ranking. */
  readonly scores: Float64Array
  readonly by: 'meaning' | 'words'
  /** Whether the first is likely what was meant. */
  readonly isSure: boolean
}

// The mean of the four likest texts: one that is near by chance does not decide, and a text that answers well is not outvoted by its neighbours.
const likest = 4
// Of the best by words, where the best by meaning has 1. A single word says little to a model of sentences, and where it stands says much.
const wordShares = [0, 0.8, 0.5] as const
const wordShare = 0.35

/** Four sums at a time: one alone waits for each addition before the next. */
function dot(all: Float32Array, offset: number, one: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0]
  for (let index = 0; index < dimensions; index += 4) {
    first += (all[offset + index] ?? 0) * (one[index] ?? 0)
    second += (all[offset + index + 1] ?? 0) * (one[index + 1] ?? 0)
    third += (all[offset + index + 2] ?? 0) * (one[index + 2] ?? 0)
    fourth += (all[offset + index + 3] ?? 0) * (one[index + 3] ?? 0)
  }
  return first + second + third + fourth
}

/** For each place the mean of its likest texts; `owners` has the place of each text. */
export function likenesses(count: number, owners: readonly number[], vectors: Float32Array, wanted: Float32Array): Float64Array {
  const best = new Float64Array(count * likest).fill(-1)
  for (let text = 0; text < owners.length; text += 1) {
    const first = (owners[text] ?? 0) * likest
    let rest = dot(vectors, text * dimensions, wanted)
    for (let index = first; index < first + likest; index += 1) {
      const held = best[index] ?? 0
      if (rest > held) {
        best[index] = rest
        rest = held
      }
    }
  }
  return Float64Array.from({ length: count }, (_, place) => meanOf(best.subarray(place * likest, (place + 1) * likest)))
}

/** What is missing counts as the least that is there. */
function meanOf(likest: Float64Array): number {
  const there = likest.filter((value) => value > -1)
  const least = there.at(-1) ?? 0
  return (there.reduce((sum, value) => sum + value, 0) + least * (likest.length - there.length)) / likest.length
}

// What the best of a list has for a question that it answers, and seldom for one that it does not; each model has a scale of its own.
const sureFrom: Readonly<Record<string, number>> = { 'multilingual-e5-small-q4': 0.862, 'all-minilm-l6-v2-q8': 0.38 }

export interface Likenesses {
  /** For each place of the list. */
  readonly meaning: Float64Array
  readonly words: ReadonlyMap<number, number>
  /** How many words of the question say something. */
  readonly terms: number
  readonly model: string
}

/** Both as shares of their best: 0 is the mean of the list by meaning, and no word in common. */
export function fuse({ meaning, words, terms, model }: Likenesses): Ranking {
  const mean = meaning.reduce((sum, value) => sum + value, 0) / (meaning.length || 1)
  const best = meaning.reduce((most, value) => Math.max(most, value), -1)
  const spread = best - mean || 1
  const share = wordShares[terms] ?? wordShare
  const scores = meaning.map((value, place) => (value - mean) / spread + share * (words.get(place) ?? 0))
  return { scores, by: 'meaning', isSure: best >= (sureFrom[model] ?? 1) }
}

export function rankByWords(count: number, words: ReadonlyMap<number, number>): Ranking {
  return { scores: Float64Array.from({ length: count }, (_, place) => words.get(place) ?? 0), by: 'words', isSure: false }
}
