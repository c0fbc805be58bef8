import { slotIn } from '#tools/workflows/service.ts'

import type { Perform } from './step.types.ts'

export const deleteRecord: Perform = ({ config: { entity, eiRecordId }, call }) =>
  call('delete_instance', { entity, record: slotIn(eiRecordId) }, () => ({ result: { eiRecordId } }))
