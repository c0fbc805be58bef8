/** Cuts a text into the pieces of a vocabulary so that the pieces together are the likeliest. */
import type { Vocabulary } from './packed-model.ts'

// A piece that stands at the beginning of a word has this mark before it.
const wordMark = '▁'
// No piece of the vocabulary is longer.
const longestPiece = 16
// Less likely than any piece, so that an unknown character is the last choice.
const unknownScore = -30

/** The numbers of the pieces, without the marks of beginning and end. */
export function piecesOf(text: string, { ids, scores, unknown }: Vocabulary): number[] {
  const plain = text.normalize('NFKC').replace(/\s+/g, ' ').trim()
  const letters = Array.from(wordMark + plain.replaceAll(' ', wordMark))
  const best = new Float64Array(letters.length + 1).fill(Number.NEGATIVE_INFINITY)
  const chosen = new Int32Array(letters.length + 1)
  const cameFrom = new Int32Array(letters.length + 1)
  best[0] = 0
  const offer = (from: number, to: number, id: number, score: number) => {
    if (score <= (best[to] ?? 0)) return
    best[to] = score
    chosen[to] = id
    cameFrom[to] = from
  }
  for (let start = 0; start < letters.length; start += 1) {
    const soFar = best[start] ?? 0
    let piece = ''
    for (let end = start + 1; end <= Math.min(letters.length, start + longestPiece); end += 1) {
      piece += letters[end - 1]
      const id = ids.get(piece)
      if (id !== undefined) offer(start, end, id, soFar + (scores[id] ?? 0))
    }
    offer(start, start + 1, unknown, soFar + unknownScore)
  }
  const pieces: number[] = []
  for (let end = letters.length; end > 0; end = cameFrom[end] ?? 0) pieces.push(chosen[end] ?? unknown)
  return pieces.toReversed()
}
