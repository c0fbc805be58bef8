import type { Perform } from './step.types.ts'

/** Another try would end the same way: a translator is installed, or it is not. */
export const translate: Perform = () => ({
  kind: 'failed',
  code: 'unavailable',
  message: 'No translator is installed here. Translate outside and call it with callHttp, or let onError lead on.',
})
