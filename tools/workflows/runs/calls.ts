/** Steps that are one call of an operation: which it is, and what it leaves behind. */
import { AppError } from '#platform/errors.ts'
import { isTimeZone } from '#platform/tokens/zoned.ts'

import type { Done } from './carrying.ts'
import { flatOf } from './ending.ts'
import { linesOf } from './report-lines.rules.ts'
import type { Said } from './runs.types.ts'
import { idIn, isObject, listIn, textIn } from './steps.rules.ts'

export interface StepCall {
  readonly operation: string
  readonly input: Said
  /** Whose days and words what is read goes by. */
  readonly shownIn?: { readonly timeZoneIana: string; readonly languageCode: string } | undefined
  doneOf(answer: unknown): Done
}

const narrow = { withDataJson: false }

function getRecord({ entity, eiRecordId, key1, key2, key3, filter, first }: Said): StepCall {
  const doneOf = (answer: unknown) => ({ result: { record: flatOf(answer) } })
  if (eiRecordId !== undefined)
    return { operation: 'get_instance', input: { entity, record: String(idIn(eiRecordId, 'eiRecordId')), ...narrow }, doneOf }
  if (filter === undefined) return { operation: 'get_instance_by_key', input: { entity, key1, key2, key3, ...narrow }, doneOf }
  return {
    operation: 'list_instances',
    input: { entity, filterRules: filter, pageSize: first === true ? 1 : 2, ...narrow },
    doneOf(answer) {
      const [found, other] = isObject(answer) ? listIn(answer['items']) : []
      if (found === undefined) throw new AppError('not_found', 'No record fulfils the filter.')
      if (other !== undefined) throw new AppError('unprocessable', 'Several records fulfil the filter. Narrow it, or take the first.')
      return doneOf(found)
    },
  }
}

interface Saved {
  readonly eiRecordId: number
  readonly outcome: string
}

/** Without its key a record would be made anew each time. */
function refuseNoKey(part: string, value: unknown): void {
  if (value === null || (typeof value === 'string' && value.trim() === ''))
    throw new AppError('unprocessable', `${part} came to no value. Have the run hold a value for it, or check before with when.`)
}

function saveRecord({ entity, eiRecordId, parentEIRecordId, values, ...keys }: Said): StepCall {
  const doneOf = (answer: unknown) => {
    // Both operations answer the record with its outcome.
    const { eiRecordId: id, outcome } = answer as Saved
    return { result: { eiRecordId: id, outcome } }
  }
  const parent = parentEIRecordId === undefined ? {} : { parentEIRecordId: idIn(parentEIRecordId, 'parentEIRecordId') }
  const input = { entity, ...keys, ...parent, data: values }
  if (eiRecordId !== undefined)
    return { operation: 'upsert_instance', input: { ...input, record: String(idIn(eiRecordId, 'eiRecordId')) }, doneOf }
  for (const [part, value] of Object.entries(keys)) refuseNoKey(part, value)
  return { operation: 'save_instance', input, doneOf }
}

function deleteRecord({ entity, eiRecordId }: Said): StepCall {
  const id = idIn(eiRecordId, 'eiRecordId')
  return { operation: 'delete_instance', input: { entity, record: String(id) }, doneOf: () => ({ result: { eiRecordId: id } }) }
}

function runReport({ report, definitionJson, params, asText }: Said): StepCall {
  const paged = { pageSize: 1_000, ...(params === undefined ? {} : { params }) }
  const [languageCode = '', timeZone = ''] = isObject(asText) ? [textIn(asText['languageCode']), textIn(asText['timeZone'])] : []
  return {
    // Its "today" is that of whoever reads the lines.
    ...(isTimeZone(timeZone) ? { shownIn: { timeZoneIana: timeZone, languageCode: languageCode || 'en-US' } } : {}),
    ...(report === undefined
      ? { operation: 'execute_report_inline', input: { definitionJson, ...paged } }
      : { operation: 'execute_report', input: { report, ...paged } }),
    doneOf(answer) {
      if (!isObject(answer)) return {}
      const [rows, totalCount] = [listIn(answer['rows']), answer['totalCount']]
      if (!isObject(asText)) return { result: { rows, totalCount } }
      return { result: { rows, totalCount, text: linesOf(rows, Number(totalCount), { languageCode, timeZone }) } }
    },
  }
}

function callOperation({ operation, input }: Said): StepCall {
  const name = String(operation)
  if (name.startsWith('await_'))
    throw new AppError('unprocessable', `${name.slice(0, 80)} waits, and a step does not: use ask or waitForEvent.`)
  return { operation: name, input: isObject(input) ? input : {}, doneOf: (answer) => ({ result: answer }) }
}

const calls: ReadonlyMap<string, (config: Said) => StepCall> = new Map(
  Object.entries({ getRecord, saveRecord, deleteRecord, runReport, callOperation }),
)

/** The call that a step is, by its resolved configuration; undefined for a type that is none. Throws AppError `unprocessable`. */
export function callOf(stepType: string, config: Said): StepCall | undefined {
  return calls.get(stepType)?.(config)
}
