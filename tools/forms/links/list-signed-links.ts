import { z } from 'zod'

import { defineOperation, reads, type TxContext } from '#platform/operation.ts'
import { countSifted, decodeIdCursor, listOf, pageInput, pageOf, type PageRequest, sifted } from '#platform/paging.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { recipient } from '#tools/messaging/messaging.schema.ts'
import { findTarget } from '#tools/messaging/service.ts'
import { hasAccessRules, seenOf } from '#tools/query/service.ts'

import { formSlot } from '../forms.schema.ts'
import { formIdOf } from './form.ts'
import { exampleLink, linkState, signedLink } from './links.schema.ts'
import { countLinks, type LinkQuery, type LinkRow, listLinks } from './links.store.ts'
import { showLinks } from './shown-links.ts'

/** A link is as visible as the records that it is about; its maker sees it whatever became of them. */
async function onlySeen(context: TxContext, rows: readonly LinkRow[]): Promise<LinkRow[]> {
  const isOwn = ({ madeBy }: LinkRow) => madeBy === context.actor.tenantUserId
  const recordsOf = ({ eiRecordId, resultRecordId }: LinkRow) => [eiRecordId, resultRecordId].filter((id) => id !== null)
  const about = [...new Set(rows.filter((row) => !isOwn(row)).flatMap(recordsOf))]
  const seen = await seenOf(context, await cachedCatalog(context), about)
  return rows.filter((row) => isOwn(row) || recordsOf(row).every((id) => seen.has(id)))
}

export const listSignedLinks = defineOperation({
  ...reads(z.array(signedLink)),
  errors: [],
  name: 'list_signed_links',
  title: 'List signed links',
  description:
    'Links that were given out, the newest first, with what became of each: by form, run, record, recipient and state. revoke_signed_link ends one.',
  method: 'POST',
  path: '/api/v1/links/list',
  roles: 'DataEdit',
  input: z.object({
    ...pageInput,
    form: formSlot.optional(),
    workflowInstanceId: z.int().min(1).optional().describe('To its tasks'),
    eiRecordId: z.int().min(1).optional().describe('Changed or made through it'),
    to: recipient.optional(),
    states: z.array(linkState).min(1).max(5).optional().describe('Any of these'),
  }),
  examples: [{ title: 'Not answered yet', input: { form: 'GateInspection', states: ['open'] }, output: [exampleLink] }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const page = pageOf(context, input)
    const target = input.to && (await findTarget(context, input.to))
    const toUserId = target?.person?.tenantUserId
    const query: LinkQuery = {
      runId: input.workflowInstanceId,
      formId: input.form === undefined ? undefined : await formIdOf(context, input.form),
      eiRecordId: input.eiRecordId,
      toUserId,
      toAddress: toUserId === undefined ? (target?.email ?? target?.phone) : undefined,
      states: input.states,
    }
    const now = new Date().toISOString()
    const before = page.cursor === undefined ? undefined : decodeIdCursor(page.cursor)
    const sieve = {
      read: (part: PageRequest, last: number | undefined) => listLinks(tx, tenantId, now, part, { ...query, before: last ?? null }),
      placeOf: ({ linkId }: LinkRow) => linkId,
      sift: (rows: readonly LinkRow[]) => onlySeen(context, rows),
    }
    const found = await sifted(page, before, sieve)
    const shown = await showLinks(context, found.rows, now)
    return listOf(
      page,
      { ...found, rows: shown },
      {
        show: (row) => row,
        cursor: ({ linkId }) => [linkId],
        total: (await hasAccessRules(context)) ? await countSifted(page, sieve) : await countLinks(tx, tenantId, now, page, query),
      },
    )
  },
})
