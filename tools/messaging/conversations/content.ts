/** What a message says: as it was given, or as its template says it to this recipient there. */
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'

import type { Card } from '../messaging.schema.ts'
import { type FilledFor, openTemplate } from '../templates/templates.ts'
import type { Params } from '../templates/templates.schema.ts'
import type { Outbound } from './send.ts'

export interface Content {
  readonly text?: string | undefined
  readonly template?: IdOrName | undefined
  readonly params?: Params | undefined
  readonly card?: Card | undefined
  readonly assetKeys?: readonly string[] | undefined
  readonly urgent?: boolean | undefined
}

/** For each recipient what goes out to them, and the language of the template that was taken. */
export type ReadyContent = (of: FilledFor) => Promise<Outbound & { readonly languageCode?: string }>

/** What a call says, ready for as many recipients as it has. Throws AppError `invalid_input`, and `unprocessable` for a template that no longer fits. */
export async function openContent(context: TxContext, { template, params, urgent, ...said }: Content): Promise<ReadyContent> {
  const refuse = (path: string, message: string) => new AppError('invalid_input', message, { issues: [finding(path, message)] })
  if (template === undefined) {
    if (params !== undefined) throw refuse('$.params', 'Params are for a template. Name it in template.')
    return async () => ({ ...said, isUrgent: urgent })
  }
  if (said.text !== undefined) throw refuse('$.text', 'Give text or template, not both.')
  const opened = await openTemplate(context, template, params)
  return async (of) => {
    const { languageCode, text, card } = await opened.fill(of)
    // A question of the call's own may stand under the words of a template.
    const shown = said.card || card ? { ...card, ...said.card } : undefined
    return { text, card: shown, assetKeys: said.assetKeys, isUrgent: urgent, languageCode }
  }
}
