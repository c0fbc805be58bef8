import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { type Actor, defineStagedOperation, type Operation, type StagedContext, type TxContext, writes } from '#platform/operation.ts'
import { forgetUploads, openPending } from '#tools/assets/service.ts'
import { findDisplayNames } from '#tools/users/service.ts'

import { takesFiles } from '../controls.rules.ts'
import { findLinkInHand, type FoundLink, taskOf } from './finding.ts'
import { formOfLink, type LinkForm, presentOf } from './form.ts'
import { goneLink, stateOf } from './links.rules.ts'
import { exampleOpenedLink, exampleToken, type OpenedLink, openedLink, token, uploads } from './links.schema.ts'
import { type LinkRow, lockLink, noteUploads } from './links.store.ts'
import { asMaker, mustUpload, seerOf } from './maker.ts'
import { titleOf } from './messages.rules.ts'
import { readerOf, shownInFor } from './people.ts'
import { type Present, showLayout } from './showing.ts'
import type { LinkTask, TaskFloor } from './tasks.types.ts'

/** Through one link: more photographs than any form asks for. */
const mostUploads = 50
const uploadSeconds = 3_600

type Wanted = z.output<typeof uploads>
type Given = NonNullable<OpenedLink['uploads']>

/** URLs for the files of an answer. They hold while the link does. */
async function giveUploads(context: TxContext, { link }: FoundLink, linkToken: string, form: LinkForm, wanted: Wanted): Promise<Given> {
  const { tx, tenantId, stamp, services } = context
  const locked = mustExist(await lockLink(tx, tenantId, link.linkId), 'link')
  const state = stateOf(locked, stamp)
  if (state !== 'open') throw goneLink(state)
  const files = form.layout.sections
    .flatMap(({ fields }) => fields)
    .filter(({ property, isReadOnly }) => takesFiles(property) && !isReadOnly)
  const until = new Date(Math.min(Date.parse(stamp) + uploadSeconds * 1000, Date.parse(link.expiresAt))).toISOString()
  const given: Given = []
  for (const [index, { property: name, fileName, mimeType, sizeBytes }] of wanted.entries()) {
    const field = files.find(({ property }) => property.internalName.toLowerCase() === name.toLowerCase())
    if (!field) {
      const message = `The form takes no files in ${name}. Allowed: ${files.map(({ property }) => property.internalName).join(', ') || 'none'}.`
      throw new AppError('invalid_input', message, { issues: [finding(`$.uploads[${index}].property`, message)] })
    }
    const most = Math.min(field.capture?.maxBytes ?? Number.POSITIVE_INFINITY, services.config.limits.uploadBytes)
    if (sizeBytes !== undefined && sizeBytes > most) throw new AppError('too_large', `${name} takes files of at most ${most} bytes.`)
    const { propertyId } = field.property
    const pending = await openPending(
      context,
      link.toUserId ?? link.madeBy,
      { fileName, mimeType, propertyId },
      { until, announcedBytes: sizeBytes },
    )
    const { assetKey } = pending
    given.push({
      property: field.property.internalName,
      fileName,
      assetKey,
      url: uploadUrl(context, linkToken, assetKey),
      expiresAt: until,
    })
  }
  // Each try of an answer brings its files anew: past the bound those of the earliest give way, so that the last can always be sent.
  const all = [...locked.uploads, ...given.map(({ assetKey }) => assetKey)]
  await forgetUploads(context, all.slice(0, -mostUploads))
  await noteUploads(tx, tenantId, link.linkId, all.slice(-mostUploads))
  return given
}

function uploadUrl({ services }: Pick<StagedContext, 'services'>, linkToken: string, assetKey: string): string {
  return `${services.config.publicUrl}/api/v1/links/${linkToken}/uploads/${assetKey}`
}

const shownTaskOf = ({ runId, workflow, step, question, dueDate, actions }: LinkTask): OpenedLink['task'] => ({
  workflowInstanceId: runId,
  workflow,
  step,
  ...(question === undefined ? {} : { question }),
  ...(dueDate === null ? {} : { dueDate }),
  actions: [...actions],
})

const nothing: Present = { values: {}, rows: new Map() }

/** What of its record the link shows. */
async function presentFor(own: TxContext, link: LinkRow, form: LinkForm, seer: Actor | undefined): Promise<Present | undefined> {
  if (link.eiRecordId === null) return undefined
  if (!seer) return nothing
  try {
    return await presentOf({ ...own, actor: seer }, form, link.eiRecordId)
  } catch (error) {
    // What is not for the eyes of whoever a task is for is theirs to change all the same.
    if (link.makerKind === 'acting' && error instanceof AppError && error.code === 'not_found') return nothing
    throw error
  }
}

export const openSignedLink = (tasks: TaskFloor): Operation =>
  defineStagedOperation({
    ...writes(openedLink),
    errors: ['not_found', 'unprocessable', 'unsupported_type'],
    isIdempotent: true,
    name: 'open_signed_link',
    title: 'Open a signed link',
    description:
      'What a link shows: a form in the recipient’s language with the present values, the task of a run with its actions, or both; with uploads one-time URLs for files. Decides nothing, however often it is opened.',
    method: 'POST',
    path: '/api/v1/links/{token}',
    roles: 'Public',
    mayBeOver: true,
    input: z.object({
      token,
      uploads: uploads.optional(),
      languageCode: z.string().min(2).max(20).optional().describe('For a recipient whose language is not known'),
    }),
    examples: [{ title: 'An inspection', input: { token: exampleToken }, output: exampleOpenedLink }],
    async stagedHandler(context, input) {
      const found = await findLinkInHand(context, input.token, tasks)
      const { tenantId, link, maker } = found
      if (input.uploads) mustUpload(maker.actor)
      const seer = await seerOf(context, tenantId, link, maker)
      return context.inTransaction(
        async (inner) => {
          const own = asMaker(inner, maker)
          const { tx } = own
          const reader = await readerOf(tx, tenantId, link)
          const { languages, look } = await shownInFor(own, reader, input.languageCode)
          const task = await taskOf(own, tasks, link, languages.languageCodes[0])
          const form = link.formId === null ? undefined : await formOfLink(own, link.formId)
          const present = form && (await presentFor(own, link, form, seer))
          const ofForm = form && { form: form.internalName, ...titleOf(form), layoutVersion: form.layoutVersion, layout: form.layout }
          if (!form && input.uploads) {
            const message = 'The link is to a question, which takes no files.'
            throw new AppError('invalid_input', message, { issues: [finding('$.uploads', message)] })
          }
          const names = await findDisplayNames(tx, tenantId, [link.madeBy])
          return {
            linkId: link.linkId,
            expiresAt: link.expiresAt,
            tenant: look,
            to: reader,
            madeBy: names.get(link.madeBy) ?? '',
            ...(ofForm ? { form: await showLayout(own, { ...ofForm, mode: present ? 'update' : 'create' }, languages, present) } : {}),
            ...(task ? { task: shownTaskOf(task) } : {}),
            ...(form && input.uploads ? { uploads: await giveUploads(own, found, input.token, form, input.uploads) } : {}),
          }
        },
        { tenantId, readOnly: input.uploads === undefined },
      )
    },
  })
