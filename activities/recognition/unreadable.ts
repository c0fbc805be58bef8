import type { RecognitionResult } from './types.ts'

/** Thrown inside the engine where a file turns out not to be readable; becomes the result's state and reason, never an error of the job. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
  readonly state: Exclude<RecognitionResult['state'], 'done'>

  constructor(state: Exclude<RecognitionResult['state'], 'done'>, sentence: string, cause?: unknown) {
    super(sentence, cause === undefined ? undefined : { cause })
    this.state = state
  }
}

export const skipped = (sentence: string): Unreadable => new Unreadable('skipped', sentence)
export const failed = (sentence: string, cause?: unknown): Unreadable => new Unreadable('failed', sentence, cause)
