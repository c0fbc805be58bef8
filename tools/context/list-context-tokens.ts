import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, listOf, pageInput, pageOf } from '#platform/paging.ts'
import { pathsOf, type Shape } from '#platform/tokens/shape.ts'
import { maxSegments } from '#platform/tokens/template.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { contextSlot, contextToken } from './context.schema.ts'
import { shapesOf } from './shapes.rules.ts'
import { soundContext } from './shown.ts'

function typeOf(shape: Shape): Pick<z.output<typeof contextToken>, 'type' | 'isList'> {
  if (shape.kind === 'list') return { ...typeOf(shape.of), isList: true }
  return { type: shape.kind === 'object' ? 'record' : shape.kind === 'any' ? 'any' : (shape.type ?? 'any'), isList: false }
}

export const listContextTokens = defineOperation({
  ...reads(z.array(contextToken)),
  name: 'list_context_tokens',
  title: 'Tokens of a context',
  description:
    'Every token that a text can name with a context, with its type; of a list the first stands for all. Put them into the text of resolve_tokens.',
  method: 'POST',
  path: '/api/v1/context/{context}/tokens',
  roles: 'any',
  input: z.object({
    context: contextSlot,
    pageSize: z.int().min(1).max(20_000).optional().describe('All unless told'),
    cursor: pageInput.cursor,
  }),
  examples: [
    {
      title: 'The first three',
      input: { context: 'OrderForCustomer', pageSize: 3 },
      output: [
        { token: '[[WorkOrder]]', type: 'record', isList: false },
        { token: '[[WorkOrder.eiRecordId]]', type: 'number', isList: false },
        { token: '[[WorkOrder.entityId]]', type: 'number', isList: false },
      ],
    },
  ],
  async handler(context, input) {
    const { plan } = await soundContext(context, await cachedCatalog(context), input.context)
    const page = { ...pageOf(context, { cursor: input.cursor, includeTotal: false }), pageSize: input.pageSize ?? 20_000 }
    const from = page.cursor === undefined ? 0 : decodeIdCursor(page.cursor)
    const all = [...pathsOf(shapesOf(plan), maxSegments)].map(({ path, shape }, n) => ({ n, token: `[[${path}]]`, ...typeOf(shape) }))
    const rows = all.slice(from, from + page.pageSize)
    const found = { rows, hasMore: from + rows.length < all.length }
    return listOf(page, found, { show: ({ n: _n, ...row }) => row, cursor: ({ n }) => [n + 1] })
  },
})
