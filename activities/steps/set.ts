import { isObject } from '#tools/workflows/service.ts'

import type { Perform } from './step.types.ts'

export const set: Perform = ({ config }) => ({ kind: 'done', set: isObject(config['values']) ? config['values'] : {} })
