/** What the sentence models have in common. */
export const dimensions = 384

export interface SentenceModel {
  /** Vectors of different models have nothing to do with each other. */
  readonly id: string
  /** The vector of a text, of length 1. */
  embed(text: string): Promise<Float32Array>
}

/** The mean over the tokens, scaled to length 1. */
export function meanOf(states: Float32Array): Float32Array {
  const mean = new Float32Array(dimensions)
  for (const [index, value] of states.entries()) mean[index % dimensions] = (mean[index % dimensions] ?? 0) + value
  const length = Math.hypot(...mean) || 1
  return mean.map((value) => value / length)
}
