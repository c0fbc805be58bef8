import { randomBytes } from 'node:crypto'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { linkPath, linkStandIn, writeLinkToken } from '#platform/link-tokens.ts'
import { defineOperation, type TxContext, writes } from '#platform/operation.ts'
import { addOutbound, findTarget, openConversation } from '#tools/messaging/service.ts'
import { accessFloor } from '#tools/query/service.ts'

import { takesFiles } from '../controls.rules.ts'
import { findFormOfLink, type LinkForm, mustReachRecord } from './form.ts'
import { readLifetime } from './links.rules.ts'
import { exampleToken, madeLink, newLink } from './links.schema.ts'
import { insertLink, noteMessage } from './links.store.ts'
import { mustUpload } from './maker.ts'
import { invitation, titleOf } from './messages.rules.ts'
import { readerOf, shownInFor } from './people.ts'

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

export const createSignedLink = defineOperation({
  ...writes(madeLink),
  errors: ['unknown_property', 'unprocessable'],
  name: 'create_signed_link',
  title: 'Make a link to a form',
  description:
    'A link for one person, with or without an account, to fill in a form once: a new record, or the one in eiRecordId. With channel it is sent. It works in your right and in their name. Then list_signed_links; revoke_signed_link.',
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
  ],
  async handler(context, input) {
    const { tx, tenantId, actor, stamp, services } = context
    const seconds = readLifetime(input.expiresIn)
    if (seconds === undefined) {
      const message = 'Expected an ISO 8601 duration from PT5M to P90D, such as P3D or PT12H.'
      throw new AppError('invalid_input', message, { issues: [finding('$.expiresIn', message, { suggestion: 'P7D' })] })
    }
    const form = await findFormOfLink(context, input.form)
    await mustBeAble(context, form, input.eiRecordId)
    const target = await findTarget(context, input.to)
    const expiresAt = new Date(Date.parse(stamp) + seconds * 1000).toISOString()
    const salt = randomBytes(12).toString('base64url')
    const to = { toUserId: target.person?.tenantUserId ?? null, toAddress: target.email ?? target.phone ?? null }
    const linkId = await insertLink(tx, tenantId, stamp, {
      salt,
      formId: form.formId,
      eiRecordId: input.eiRecordId ?? null,
      ...to,
      madeBy: actor.tenantUserId,
      makerKind: actor.kind,
      makerCredential: actor.credentialId,
      makerRoleFlag: actor.roleFlag,
      expiresAt,
    })
    context.audit({ linkId, form: form.internalName, ...to })
    const token = writeLinkToken(services.secrets, { tenantId, linkId, salt })
    const made = { linkId, token, url: `${services.config.publicUrl}${linkPath(token)}`, expiresAt }
    if (input.channel === undefined) return made
    const reader = await readerOf(tx, tenantId, to)
    const { languages, look } = await shownInFor(context, reader, undefined)
    const [code = 'en'] = languages.languageCodes
    const { text, label } = invitation(code, { tenant: look.name, expiresAt, zone: reader.timeZoneIana })
    const conversation = await openConversation(context, { to: input.to, channel: input.channel, eiRecordId: input.eiRecordId })
    // Who else reads the conversation is not who the link is for.
    const url = `${services.config.publicUrl}${linkStandIn({ linkId })}`
    const sent = await addOutbound(context, conversation, { text, card: { title: titleOf(form).title, link: { label, url } } })
    await noteMessage(tx, tenantId, linkId, sent.messageId)
    return { ...made, message: { conversationId: sent.conversationId, messageId: sent.messageId, status: sent.status } }
  },
})
