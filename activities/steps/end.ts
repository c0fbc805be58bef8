import { textIn } from '#tools/workflows/service.ts'

import type { Perform } from './step.types.ts'

export const end: Perform = ({ config }) => ({
  kind: 'endRun',
  state: config['state'] === 'failed' ? 'failed' : 'completed',
  message: textIn(config['message']),
  output: config['output'],
})
