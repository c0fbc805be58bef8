import { isObject, listIn } from '#tools/workflows/service.ts'

import type { Perform } from './step.types.ts'

export const runReport: Perform = ({ config: { report, definitionJson, params }, call }) => {
  const doneOf = (answer: unknown) =>
    isObject(answer) ? { result: { rows: listIn(answer['rows']), totalCount: answer['totalCount'] } } : {}
  const paged = { pageSize: 1_000, ...(params === undefined ? {} : { params }) }
  if (report !== undefined) return call('execute_report', { report, ...paged }, doneOf)
  return call('execute_report_inline', { definitionJson, ...paged }, doneOf)
}
