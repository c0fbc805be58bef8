/** Signed links on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { definitionId } from '#platform/names.ts'
import { recipient } from '#tools/messaging/messaging.schema.ts'

import { formSlot } from '../forms.schema.ts'
import { exampleShownForm, shownForm } from './shown-form.schema.ts'

export const linkId = definitionId.describe('As create_signed_link and list_signed_links answer it')
export const token = z.string().min(1).max(200).describe('The last part of the URL')
export const linkStates = ['open', 'used', 'expired', 'revoked', 'settled'] as const
export const linkState = z.enum(linkStates)
export type LinkState = z.output<typeof linkState>

const eiRecordId = z.int().min(1)

/** Who stands for what came of a link. */
export const linkAuthor = z.object({
  tenantUserId: z.int().optional(),
  address: z.string().optional().describe('Of a recipient who is no user'),
  linkId: z.int(),
  madeBy: z.int().describe('tenantUserId, whose right it was'),
})
export type LinkAuthor = z.output<typeof linkAuthor>

export const newLink = z.object({
  form: formSlot.optional(),
  workflowInstanceId: z.int().min(1).optional().describe('In place of form: its task'),
  step: z.string().min(1).max(200).optional().describe('Where several wait'),
  iteration: z.array(z.int().min(0)).max(8).optional().describe('Where several of one step wait'),
  to: recipient,
  eiRecordId: eiRecordId.optional().describe('The record to change; unless told, a new one is made'),
  expiresIn: z.string().min(2).max(40).optional().describe('ISO 8601, PT5M to P90D; P7D unless told'),
  channel: z.string().min(1).max(64).optional().describe('Sends it there too; as in send_message'),
})

export const madeLink = z.object({
  linkId: z.int(),
  token: z.string().optional().describe('Not of a task'),
  url: z.url().optional().describe('The page for the recipient'),
  expiresAt: z.iso.datetime(),
  message: z
    .object({ conversationId: z.int(), messageId: z.int(), status: z.string() })
    .optional()
    .describe('Where it was sent: for get_message_status'),
})

export const signedLink = z.object({
  linkId: z.int(),
  state: linkState,
  form: z.string().nullable().describe('null: none, or deleted'),
  formId: z.int().nullable(),
  workflowInstanceId: z.int().nullable().describe('Of a task'),
  eiRecordId: z.int().nullable().describe('The record to change, or that a question is about'),
  to: z.object({ tenantUserId: z.int().optional(), displayName: z.string().optional(), address: z.string().optional() }),
  madeBy: z.object({ tenantUserId: z.int(), displayName: z.string() }),
  messageId: z.int().nullable(),
  createdDate: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  usedDate: z.iso.datetime().nullable(),
  resultEIRecordId: z.int().nullable().describe('The record that the answer made or changed'),
})
export type SignedLink = z.output<typeof signedLink>

export const uploads = z
  .array(
    z.strictObject({
      property: z.string().min(1).max(64),
      fileName: z.string().min(1).max(1_000),
      mimeType: z.string().max(200).optional(),
      sizeBytes: z.int().min(1).optional(),
    }),
  )
  .min(1)
  .max(20)

export const shownTask = z.object({
  workflowInstanceId: z.int(),
  workflow: z.string(),
  step: z.string(),
  question: z.string().optional(),
  dueDate: z.iso.datetime().optional(),
  actions: z.array(z.object({ internalName: z.string(), label: z.string(), requiresComment: z.boolean() })),
})

export const openedLink = z.object({
  linkId: z.int(),
  expiresAt: z.iso.datetime(),
  tenant: z.object({ name: z.string(), languageCode: z.string(), theme: z.record(z.string(), z.string()) }),
  to: z.object({ displayName: z.string(), languageCode: z.string().nullable(), timeZoneIana: z.string().nullable() }),
  madeBy: z.string(),
  form: shownForm.optional(),
  task: shownTask.optional(),
  uploads: z
    .array(z.object({ property: z.string(), fileName: z.string(), assetKey: z.uuid(), url: z.url(), expiresAt: z.iso.datetime() }))
    .optional()
    .describe('PUT each file to its url once; its assetKey is the value'),
})
export type OpenedLink = z.output<typeof openedLink>

const values = z.record(z.string().max(64), z.unknown())

export const linkAnswer = z.object({
  values: values.optional().describe('By property'),
  sections: z
    .record(
      z.string().max(64),
      z.strictObject({
        rows: z
          .array(z.strictObject({ eiRecordId: eiRecordId.optional(), values }))
          .max(1_000)
          .optional(),
        deletedEIRecordIds: z.array(eiRecordId).max(1_000).optional(),
      }),
    )
    .optional()
    .describe('Rows of the lists of the form, by the name of the section'),
  action: z.string().min(1).max(64).optional().describe('Of a task'),
  choice: z.string().min(1).max(64).optional().describe('The same'),
  comment: z.string().max(4_000).optional().describe('Of a task'),
})

export const takenAnswer = z.object({ linkId: z.int(), state: z.literal('used'), submittedDate: z.iso.datetime(), by: linkAuthor })

export const exampleToken = '7.12.q3Jm0Wn5bYc1dTzL8vRkXo2uHsEa9pGfUi4jKwQx6Ns'

export const exampleLink: SignedLink = {
  linkId: 12,
  state: 'open',
  form: 'GateInspection',
  formId: 88,
  workflowInstanceId: null,
  eiRecordId: null,
  to: { address: 'ana@example.com' },
  madeBy: { tenantUserId: 3, displayName: 'Dispatch' },
  messageId: 1042,
  createdDate: '2026-11-21T09:30:00.000Z',
  expiresAt: '2026-11-28T09:30:00.000Z',
  usedDate: null,
  resultEIRecordId: null,
}

export const exampleOpenedLink: OpenedLink = {
  linkId: 12,
  expiresAt: '2026-11-28T09:30:00.000Z',
  tenant: { name: 'Northgate Facilities', languageCode: 'en-US', theme: {} },
  to: { displayName: 'ana@example.com', languageCode: null, timeZoneIana: null },
  madeBy: 'Dispatch',
  form: exampleShownForm,
}

component('SignedLink', signedLink)
component('OpenedLink', openedLink)
