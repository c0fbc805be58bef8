/** A row whose record something else names: a path, or a field beside the row. */
import { AppError } from '#platform/errors.ts'
import { noSuchRecord, recordName } from '#tools/query/service.ts'

import type { SaveRowInput } from './understand-row.rules.ts'

/** The row with what it is found by. Throws 404 where the name can be none, 400 where the row says another key. */
export function rowNamed(record: string | number, row: SaveRowInput): { readonly row: SaveRowInput; readonly targetId?: number } {
  const wanted = recordName(record)
  if ('id' in wanted) {
    if (!Number.isSafeInteger(wanted.id)) throw noSuchRecord(record)
    return { row, targetId: wanted.id }
  }
  if ((row.key1 !== undefined && row.key1 !== String(record)) || row.key2 || row.key3) {
    throw new AppError(
      'invalid_input',
      'The keys in the body differ from the key in the path. To rename a record, name it by its eiRecordId.',
    )
  }
  return { row: { ...row, key1: String(record) } }
}
