import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { maxTextLength } from '#platform/tokens/template.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { timeOf } from '#tools/query/service.ts'

import { anchorInput } from './context.schema.ts'
import { readText, resolveFor } from './resolving.ts'
import { soundContext } from './shown.ts'

export const resolveTokens = defineOperation({
  ...reads(z.object({ text: z.string(), unresolved: z.array(z.string()).describe('Paths that name nothing') })),
  name: 'resolve_tokens',
  title: 'Fill a text with values',
  description:
    'Puts the values of a record and its context in place of the tokens of a text, [[WorkOrder.Number]] or [[visits|count]], in your language and time zone. list_context_tokens shows what there is.',
  method: 'POST',
  path: '/api/v1/context/{context}/resolve',
  roles: 'DataView',
  input: z.object({
    ...anchorInput,
    text: z.string().max(maxTextLength),
    format: z.enum(['text', 'markdown', 'html']).optional().describe('What the text is; values are escaped for it, the text is not'),
  }),
  examples: [
    {
      title: 'A line for a customer',
      input: { context: 'OrderForCustomer', key1: 'WO-1042', text: '[[WorkOrder.Title]], [[site.City]]: [[visits|count]] visits' },
      output: { text: 'Replace the gate valve, Leeds: 1 visits', unresolved: [] },
    },
  ],
  async handler(context, { context: slot, asOfDate, text, format = 'text', ...anchor }) {
    const asOf = asOfDate === undefined ? undefined : timeOf(asOfDate, 'asOfDate', 'end')
    const template = readText(text)
    const { plan } = await soundContext(context, await cachedCatalog(context), slot)
    const { unresolved, ...resolved } = await resolveFor(context, plan, template, { anchor, asOf, format })
    return { ...resolved, unresolved: [...unresolved] }
  },
})
