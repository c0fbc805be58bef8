/** The record of a form that a path names. */
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { CatalogProperty } from '#tools/entities/catalog.types.ts'
import { type ReadFrame, readInHand, type ReadInHand, recordName } from '#tools/query/service.ts'

import { noSuchRecordInForm, showing } from './around.ts'
import type { OpenForm } from './opened.ts'

function nameFilter(record: string | number): unknown[] {
  const name = recordName(record)
  if ('id' in name) return [{ property: 'eiRecordId', op: 'eq', value: name.id }]
  return name.keys.map((value, index) => ({ property: `key${index + 1}`, op: 'eq', value }))
}

/** By id or key1, as far as the form reaches. Throws 404. */
export async function findNamed(
  context: TxContext,
  { ready }: OpenForm,
  frame: ReadFrame,
  record: string | number,
  properties: readonly CatalogProperty[],
): Promise<ReadInHand> {
  const name = recordName(record)
  if (!ready.within || ('id' in name && !Number.isSafeInteger(name.id))) throw noSuchRecordInForm()
  const wanted = { filters: [nameFilter(record), ...ready.within], shown: showing(properties), limit: 1, bytes: context.answerBytes }
  const { records } = await readInHand(context, frame, wanted)
  if (!records[0]) throw noSuchRecordInForm()
  return records[0]
}

/** The id of a record that is to be changed: the contract takes no key there. */
export function idOf(record: string | number): number {
  const name = recordName(record)
  if ('id' in name) return name.id
  throw new AppError(
    'unprocessable',
    'A record is changed through a form by its eiRecordId alone. list_form_records and get_instance_by_key tell it.',
  )
}
