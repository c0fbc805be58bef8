/** What the page of a signed link asks of the product: the same three public operations that an agent would call. */
import type { Pipeline } from '#platform/call.ts'
import type { Upload } from '#platform/operation.ts'
import type { PageRequest } from '#platform/web-page.ts'
import type { OpenedLink } from '#tools/forms/links/links.schema.ts'

import type { Answer } from './answers.rules.ts'
import { firstLanguage } from './languages.rules.ts'
import { callPublic, type Visitor } from './public-call.ts'

export type Caller = Visitor & Pick<PageRequest, 'acceptLanguage'>

/** What is sent: of a form its answers, of a task what is done. */
export interface Sending {
  readonly answer?: Answer | undefined
  readonly act?: { readonly action: string; readonly comment: string } | undefined
}

export interface LinkCalls {
  readonly open: (caller: Caller, token: string) => Promise<OpenedLink>
  /** Keeps a file for the property and answers its key. */
  readonly keep: (caller: Caller, token: string, property: string, upload: Upload) => Promise<string>
  readonly submit: (caller: Caller, token: string, sending: Sending, submissionKey: string | undefined) => Promise<void>
}

/** Every one throws AppError. */
export function createLinkCalls(pipeline: Pipeline): LinkCalls {
  // What these answer is what the operations' own schemas say.
  const open = async (caller: Caller, token: string, more: object = {}) =>
    (await callPublic(pipeline, caller, 'open_signed_link', { token, ...more })) as OpenedLink
  return {
    open(caller, token) {
      const languageCode = firstLanguage(caller.acceptLanguage)
      return open(caller, token, languageCode === undefined ? {} : { languageCode })
    },
    async keep(caller, token, property, upload) {
      const { fileName, mimeType } = upload
      const file = { property, fileName, ...(mimeType === undefined ? {} : { mimeType: mimeType.slice(0, 200) }) }
      const { uploads = [] } = await open(caller, token, { uploads: [file] })
      const [{ assetKey } = { assetKey: '' }] = uploads
      await callPublic(pipeline, caller, 'put_signed_link_upload', { token, assetKey }, { upload })
      return assetKey
    },
    async submit(caller, token, { answer, act }, idempotencyKey) {
      const lists = answer && Object.keys(answer.sections).length > 0 ? { sections: answer.sections } : {}
      const done = act && { action: act.action, ...(act.comment === '' ? {} : { comment: act.comment }) }
      const said = { ...(answer ? { values: answer.values } : {}), ...lists, ...done }
      await callPublic(pipeline, caller, 'submit_signed_link', { token, ...said }, { idempotencyKey })
    },
  }
}
