import { slotIn } from '#tools/workflows/service.ts'

import type { Perform } from './step.types.ts'

interface Saved {
  readonly eiRecordId: number
  readonly outcome: string
}

export const saveRecord: Perform = ({ config, call }) => {
  const { entity, eiRecordId, values, ...keys } = config
  const doneOf = (answer: unknown) => {
    // Both operations answer the record with its outcome.
    const { eiRecordId: id, outcome } = answer as Saved
    return { result: { eiRecordId: id, outcome } }
  }
  if (eiRecordId === undefined || eiRecordId === null) return call('save_instance', { entity, ...keys, data: values }, doneOf)
  return call('upsert_instance', { entity, record: slotIn(eiRecordId), ...keys, data: values }, doneOf)
}
