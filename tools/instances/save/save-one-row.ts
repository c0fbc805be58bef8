/** What the saving operations share: from an outcome to the answer or the error of a single save. */
import { rawJson, type RawJson } from '#platform/answer.ts'
import { AppError, type ErrorCode } from '#platform/errors.ts'
import { verdictOf } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { blind, documentOf } from '#tools/query/service.ts'

import type { Failed } from './match-records.ts'
import { saveRows } from './save-rows.ts'
import type { SaveWish } from './understand-row.rules.ts'
import type { WriteFrame } from './write-frame.ts'

/** What a save answers for a row that failed, where its findings do not say it themselves. */
export function codeOf(reason: Failed['reason']): ErrorCode | undefined {
  switch (reason) {
    case 'invalid':
      return undefined
    case 'sensitive':
      return 'unprocessable'
    case 'stale':
    case 'otherParent':
    case 'occupied':
    case 'cycle':
      return 'conflict'
    case 'exists':
    case 'keyTaken':
      return 'already_exists'
    case 'forbidden':
      return 'forbidden'
    case 'absent':
      return 'not_found'
  }
}

/** Said where insertOnly meets a record that is there. */
export function leftAsItIs(eiRecordId: number): string {
  return `Record ${eiRecordId} has this key already, and insertOnly leaves it as it is. Use importMode upsert to change it.`
}

/** The error of a row that could not be saved, when it was the only one. */
export function errorOf({ errors, reason }: Failed): AppError {
  const { code, first } = verdictOf(errors)
  const sentence = first?.message ?? 'The record could not be saved.'
  const atPlace = first ? `The record cannot be saved. ${first.path}: ${sentence}` : sentence
  const issues = reason === 'absent' ? {} : { issues: errors }
  const says = reason === 'invalid' || reason === 'sensitive' ? atPlace : sentence
  return new AppError(codeOf(reason) ?? code, says, issues)
}

/** The record as its caller sees it; of one that they may write and not read, that it is there. */
export async function documentShown(context: TxContext, frame: WriteFrame, id: number): Promise<string | undefined> {
  const { access } = frame
  const shown = await documentOf(context, { ...frame, sight: access }, { id })
  return shown ?? (access && documentOf(context, { ...frame, sight: blind(access, frame.entity.properties) }, { id }))
}

/** Saves one record and answers it with its outcome. Throws what a single save answers in place of a failed row. */
export async function saveOne(context: TxContext, frame: WriteFrame, wish: SaveWish, movesParents = false): Promise<RawJson> {
  const [outcome] = await saveRows(context, frame, [wish], { withDocuments: true, movesParents })
  if (!outcome) throw new Error('A save gave no outcome')
  if (outcome.outcome === 'failed') throw errorOf(outcome)
  if (wish.mode === 'insertOnly' && outcome.outcome === 'skipped') {
    throw new AppError('already_exists', leftAsItIs(outcome.eiRecordId))
  }
  context.audit({ eiRecordId: outcome.eiRecordId, outcome: outcome.outcome })
  const document = outcome.document ?? (await documentShown(context, frame, outcome.eiRecordId))
  if (document === undefined) throw new Error('A saved record was not found')
  const moved = outcome.moved ? ',"moved":true' : ''
  const jobs = outcome.jobIds ? `,"jobIds":${JSON.stringify(outcome.jobIds)}` : ''
  return rawJson(`${document.slice(0, -1)},"outcome":"${outcome.outcome}"${moved}${jobs}}`)
}
