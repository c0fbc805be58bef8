/** What a loop goes over, read as the run may read it. */
import { type ActingFor, runAs } from '#platform/acting.ts'
import { AppError } from '#platform/errors.ts'
import type { Services } from '#platform/services.ts'

import { flatOf } from './ending.ts'
import type { Said } from './runs.types.ts'
import { isObject, listIn } from './steps.rules.ts'

export interface ReadItems {
  readonly services: Services
  readonly who: ActingFor
  /** The record that the run is about. */
  readonly eiRecordId: number | null
  readonly signal: AbortSignal
}

const mostItems = 10_000
const pageSize = 1_000

/** Reads as many as the loop may go over. */
async function readAll({ services, who, signal }: ReadItems, operation: string, input: object, limit: number): Promise<unknown[]> {
  const records: unknown[] = []
  let cursor: unknown
  do {
    const page = {
      ...input,
      withDataJson: false,
      pageSize: Math.min(pageSize, limit - records.length),
      ...(cursor === undefined ? {} : { cursor }),
    }
    const answer = await runAs(services, who, operation, page, { signal })
    if (!isObject(answer)) break
    records.push(...listIn(answer['items']).map(flatOf))
    cursor = answer['nextCursor']
  } while (typeof cursor === 'string' && records.length < limit)
  return records
}

/** The elements of a loop, by its resolved configuration; at most `most`. */
export async function readItems(at: ReadItems, { over, limit: said }: Said, most = mostItems): Promise<readonly unknown[]> {
  const { services, who, eiRecordId, signal } = at
  const limit = Math.min(typeof said === 'number' ? said : mostItems, most)
  if (Array.isArray(over)) return over.slice(0, limit)
  if (over === null || over === undefined || over === '') return []
  if (!isObject(over)) throw new AppError('unprocessable', 'What the loop goes over is no list.')
  if (over['report'] !== undefined) {
    const input = {
      report: over['report'],
      pageSize: Math.min(pageSize, limit),
      ...(isObject(over['params']) ? { params: over['params'] } : {}),
    }
    const answer = await runAs(services, who, 'execute_report', input, { signal })
    return isObject(answer) ? listIn(answer['rows']) : []
  }
  if (over['view'] !== undefined) return readAll(at, 'execute_view', { entity: over['entity'], view: over['view'] }, limit)
  if (eiRecordId === null) throw new AppError('unprocessable', 'This run is about no record whose children it could go over.')
  const filter =
    over['filter'] === undefined ? {} : { groups: [Array.isArray(over['filter']) ? { rules: over['filter'] } : over['filter']] }
  const rules = [{ property: 'parentEIRecordId', op: 'eq', value: eiRecordId }]
  return readAll(at, 'list_instances', { entity: over['children'], filterRules: { logic: 'AND', rules, ...filter } }, limit)
}
