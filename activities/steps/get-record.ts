import { AppError } from '#platform/errors.ts'
import { flatOf, isObject, listIn, slotIn } from '#tools/workflows/service.ts'

import type { Perform } from './step.types.ts'

export const getRecord: Perform = ({ config, call }) => {
  const { entity, eiRecordId, key1, key2, key3, filter, first } = config
  const narrow = { withDataJson: false }
  const one = (answer: unknown) => ({ result: { record: flatOf(answer) } })
  if (filter !== undefined)
    return call('list_instances', { entity, filterRules: filter, pageSize: first === true ? 1 : 2, ...narrow }, (answer) => {
      const [found, other] = isObject(answer) ? listIn(answer['items']) : []
      if (found === undefined) throw new AppError('not_found', 'No record fulfils the filter.')
      if (other !== undefined) throw new AppError('unprocessable', 'Several records fulfil the filter. Narrow it, or take the first.')
      return one(found)
    })
  if (eiRecordId !== undefined) return call('get_instance', { entity, record: slotIn(eiRecordId), ...narrow }, one)
  return call('get_instance_by_key', { entity, key1, key2, key3, ...narrow }, one)
}
