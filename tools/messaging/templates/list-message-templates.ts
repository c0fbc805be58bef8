import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { listOf, pageInput, pageOf } from '#platform/paging.ts'
import { listDefinitionPage, maxDefinitions, placeOf } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { placeOfTemplates, showTemplates } from './templates.ts'
import { exampleTemplate, messageTemplate } from './templates.schema.ts'

export const listMessageTemplates = defineOperation({
  ...reads(z.array(messageTemplate)),
  errors: [],
  name: 'list_message_templates',
  title: 'List message templates',
  description:
    'The templates by name, each with its texts per language and channel, the params to send with it, and what is wrong with it today. Then send_message with template.',
  method: 'POST',
  path: '/api/v1/messaging/templates/list',
  roles: 'DataView',
  input: z.object({
    pageSize: z.int().min(1).max(maxDefinitions).optional().describe('All unless told'),
    cursor: pageInput.cursor,
  }),
  examples: [{ title: 'All', input: {}, output: [exampleTemplate] }],
  async handler(context, input) {
    const page = { ...pageOf(context, { cursor: input.cursor, includeTotal: false }), pageSize: input.pageSize ?? maxDefinitions }
    const found = await listDefinitionPage(context, placeOfTemplates, page)
    const shown = await showTemplates(context, await cachedCatalog(context), found.rows)
    return listOf(page, { rows: shown, hasMore: found.hasMore }, { show: (row) => row, cursor: placeOf })
  },
})
