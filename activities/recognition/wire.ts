/** What parent and child say to each other; plain JSON. */
import type { Job } from './job.ts'
import type { PdfPage } from './pages.ts'
import type { RecognitionProgress, RecognitionResult } from './types.ts'

export interface JobMessage {
  readonly kind: 'job'
  readonly job: Job
}

/** `gone`: the file could not be opened. `broken`: the machinery failed, `said` is for the log. */
export type ChildMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: RecognitionProgress }
  | { readonly kind: 'page'; readonly page: PdfPage }
  | { readonly kind: 'result'; readonly result: RecognitionResult; readonly rssBytes: number }
  | { readonly kind: 'gone'; readonly said: string; readonly rssBytes: number }
  | { readonly kind: 'broken'; readonly said: string; readonly rssBytes: number }
