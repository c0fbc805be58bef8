import { randomBytes } from 'node:crypto'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { linkPath, linkStandIn, writeLinkToken } from '#platform/link-tokens.ts'
import { defineOperation, type Operation, type TxContext, writes } from '#platform/operation.ts'
import { addOutbound, findTarget, openConversation } from '#tools/messaging/service.ts'
import { accessFloor } from '#tools/query/service.ts'

import { takesFiles } from '../controls.rules.ts'
import { findFormOfLink, type LinkForm, mustReachRecord } from './form.ts'
import { mustLifetime } from './links.rules.ts'
import { exampleToken, madeLink, newLink } from './links.schema.ts'
import { insertLink, noteMessage } from './links.store.ts'
import { mustUpload } from './maker.ts'
import { invitation, titleOf } from './messages.rules.ts'
import { readerOf, shownInFor } from './people.ts'
import type { LinkTask, TaskFloor } from './tasks.types.ts'

/** Throws where the caller could not do by themselves what the link is for. */
async function mustBeAble(context: TxContext, form: LinkForm, eiRecordId: number | undefined): Promise<void> {
  const { layout, catalog } = form
  const isNew = eiRecordId === undefined
  if (isNew && !layout.allowNew)
    throw new AppError('forbidden', `${form.internalName} makes no new records. Name the record in eiRecordId.`)
  if (!isNew && !layout.allowEdit) throw new AppError('forbidden', `${form.internalName} does not let records be changed.`)
  const own = await accessFloor.ownAccessOf(context, catalog, layout.entity)
  if (!(isNew ? own.create : own.edit))
    throw new AppError(
      'forbidden',
      `You may not ${isNew ? 'make' : 'change'} records of ${layout.entity.internalName}, so neither may a link of yours.`,
    )
  if (layout.sections.some(({ fields }) => fields.some(({ property, isReadOnly }) => takesFiles(property) && !isReadOnly)))
    mustUpload(context.actor)
  if (eiRecordId !== undefined) await mustReachRecord(context, form, eiRecordId)
}

interface Subject {
  readonly form: LinkForm | undefined
  readonly task: LinkTask | undefined
  readonly eiRecordId: number | null
}

type Said = { readonly [Key in 'form' | 'workflowInstanceId' | 'step' | 'eiRecordId']?: string | number | undefined } & {
  readonly iteration?: readonly number[] | undefined
}

function refuse(path: string, message: string): AppError {
  return new AppError('invalid_input', message, { issues: [finding(path, message)] })
}

/** What the link is for, which the caller could do by themselves. */
async function subjectOf(context: TxContext, tasks: TaskFloor, said: Said, toUserId: number | null): Promise<Subject> {
  const { form: slot, workflowInstanceId, step, iteration } = said
  const eiRecordId = said.eiRecordId === undefined ? undefined : Number(said.eiRecordId)
  if (workflowInstanceId === undefined) {
    if (slot === undefined) throw refuse('$.form', 'Name a form, or the run whose task it is in workflowInstanceId.')
    if (step !== undefined || iteration !== undefined)
      throw refuse(step === undefined ? '$.iteration' : '$.step', 'A form has no steps: name the run in workflowInstanceId.')
    const form = await findFormOfLink(context, slot)
    await mustBeAble(context, form, eiRecordId)
    return { form, task: undefined, eiRecordId: eiRecordId ?? null }
  }
  if (slot !== undefined) throw refuse('$.form', 'The task has a form of its own: leave it out.')
  if (eiRecordId !== undefined) throw refuse('$.eiRecordId', 'The task has a record of its own: leave it out.')
  const task = await tasks.findTask(context, {
    runId: Number(workflowInstanceId),
    step: step === undefined ? step : String(step),
    iteration,
    toUserId,
  })
  const form = task.form === undefined ? undefined : await findFormOfLink(context, task.form)
  if (form) await mustBeAble(context, form, task.eiRecordId ?? undefined)
  return { form, task, eiRecordId: task.eiRecordId }
}

export const createSignedLink = (tasks: TaskFloor): Operation =>
  defineOperation({
    ...writes(madeLink),
    errors: ['not_found', 'unknown_property', 'unprocessable'],
    name: 'create_signed_link',
    title: 'Make a link to a form or task',
    description:
      'A link for one person, with or without an account, to answer once: a form (a new record, or the one in eiRecordId), or the task of a run, whose link is sent and not answered. With channel it is sent. It works in your right and in their name. Then list_signed_links; revoke_signed_link.',
    method: 'POST',
    path: '/api/v1/links',
    roles: 'DataEdit',
    issuesSecret: { idField: 'linkId' },
    input: newLink,
    examples: [
      {
        title: 'By e-mail, for three days',
        input: { form: 'GateInspection', to: { email: 'ana@example.com' }, expiresIn: 'P3D', channel: 'email' },
        output: {
          linkId: 12,
          token: exampleToken,
          url: `https://ops.example.com/l/${exampleToken}`,
          expiresAt: '2026-11-24T09:30:00.000Z',
          message: { conversationId: 312, messageId: 1042, status: 'queued' },
        },
      },
      {
        title: 'The task of a run, to somebody without an account',
        input: { workflowInstanceId: 77, to: { phone: '+34600123456' } },
        output: {
          linkId: 13,
          expiresAt: '2026-11-28T09:30:00.000Z',
          message: { conversationId: 313, messageId: 1043, status: 'queued' },
        },
      },
    ],
    async handler(context, input) {
      const { tx, tenantId, actor, stamp, services } = context
      const seconds = mustLifetime(input.expiresIn)
      const target = await findTarget(context, input.to)
      const to = { toUserId: target.person?.tenantUserId ?? null, toAddress: target.email ?? target.phone ?? null }
      const { form, task, eiRecordId } = await subjectOf(context, tasks, input, to.toUserId)
      const expiresAt = new Date(Date.parse(stamp) + seconds * 1000).toISOString()
      const salt = randomBytes(12).toString('base64url')
      const linkId = await insertLink(tx, tenantId, stamp, {
        salt,
        formId: form?.formId ?? null,
        runId: task?.runId ?? null,
        stepNo: task?.stepNo ?? null,
        eiRecordId,
        ...to,
        madeBy: actor.tenantUserId,
        makerKind: actor.kind,
        makerCredential: actor.credentialId,
        makerRoleFlag: actor.roleFlag,
        expiresAt,
      })
      context.audit({ linkId, ...(form ? { form: form.internalName } : {}), ...(task ? { workflowInstanceId: task.runId } : {}), ...to })
      const token = writeLinkToken(services.secrets, { tenantId, linkId, salt })
      const { publicUrl } = services.config
      // Whoever may do a task must not do it in the name of another: its link is for the recipient's eyes alone.
      const made = { linkId, ...(task ? {} : { token, url: `${publicUrl}${linkPath(token)}` }), expiresAt }
      if (input.channel === undefined && !task) return made
      const reader = await readerOf(tx, tenantId, to)
      const { languages, look } = await shownInFor(context, reader, undefined)
      const [code = 'en'] = languages.languageCodes
      const asked = { tenant: look.name, expiresAt, zone: reader.timeZoneIana, isTask: task !== undefined }
      const { text, label } = invitation(code, asked)
      const title = form ? titleOf(form).title : (task?.question ?? task?.step ?? '').slice(0, 150)
      const about = eiRecordId === null ? {} : { eiRecordId }
      const conversation = await openConversation(context, { to: input.to, channel: input.channel, ...about })
      // Who else reads the conversation is not who the link is for.
      const url = `${publicUrl}${linkStandIn({ linkId })}`
      const sent = await addOutbound(context, conversation, { text, card: { title, link: { label, url } } })
      await noteMessage(tx, tenantId, linkId, sent.messageId)
      return { ...made, message: { conversationId: sent.conversationId, messageId: sent.messageId, status: sent.status } }
    },
  })
