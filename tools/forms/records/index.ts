/** The operations on records through forms, in reading order. */
import type { Operation } from '#platform/operation.ts'

import { createFormRecordMulti } from './create-form-record-multi.ts'
import { createFormRecord } from './create-form-record.ts'
import { deleteFormRecord } from './delete-form-record.ts'
import { getFormRecord } from './get-form-record.ts'
import { listFormRecords } from './list-form-records.ts'
import { updateFormRecordMulti } from './update-form-record-multi.ts'
import { updateFormRecord } from './update-form-record.ts'
import { validateFormRecordMultiUpdate } from './validate-form-record-multi-update.ts'
import { validateFormRecordMulti } from './validate-form-record-multi.ts'
import { validateFormRecord } from './validate-form-record.ts'

export const recordOperations: readonly Operation[] = [
  createFormRecord,
  getFormRecord,
  updateFormRecord,
  deleteFormRecord,
  listFormRecords,
  createFormRecordMulti,
  updateFormRecordMulti,
  validateFormRecord,
  validateFormRecordMulti,
  validateFormRecordMultiUpdate,
]
