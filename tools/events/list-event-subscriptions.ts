import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { listOf, pageInput, pageOf } from '#platform/paging.ts'
import { listDefinitionPage, maxDefinitions, placeOf } from '#tools/definitions/service.ts'

import { placeOfSubscriptions, showSubscriptions } from './subscribing.ts'
import { exampleSubscription, subscription } from './subscriptions.schema.ts'

export const listEventSubscriptions = defineOperation({
  ...reads(z.array(subscription)),
  errors: [],
  name: 'list_event_subscriptions',
  title: 'List subscriptions to events',
  description:
    'Who is told of events over HTTP, by name: where, of what, whether it works, and why it was switched off. Never the secrets.',
  method: 'POST',
  path: '/api/v1/events/subscriptions/list',
  roles: 'AdminIntegration',
  input: z.object({
    pageSize: z.int().min(1).max(maxDefinitions).optional().describe('All unless told'),
    cursor: pageInput.cursor,
  }),
  examples: [{ title: 'All', input: {}, output: [exampleSubscription] }],
  async handler(context, input) {
    const page = { ...pageOf(context, { cursor: input.cursor, includeTotal: false }), pageSize: input.pageSize ?? maxDefinitions }
    const found = await listDefinitionPage(context, placeOfSubscriptions, page)
    const shown = await showSubscriptions(context, found.rows)
    return listOf(page, { rows: shown, hasMore: found.hasMore }, { show: (row) => row, cursor: placeOf })
  },
})
