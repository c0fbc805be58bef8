import { z } from 'zod'

import { defineStagedOperation, reads } from '#platform/operation.ts'
import { envelopeBytes, pageSizeMax } from '#platform/paging.ts'
import { entity } from '#tools/query/query.schema.ts'
import { searchEntities } from '#tools/query/service.ts'

import { eiRecordId } from '../instances.schema.ts'

export const searchInstances = defineStagedOperation({
  ...reads(
    z.object({
      hits: z.array(
        z.object({
          entity: z.string().describe('internalName'),
          eiRecordId,
          externalKey: z.string(),
          title: z.string().describe('The first text that it has, else its key'),
          excerpt: z.string().describe('Around the first match in its texts'),
          score: z.number().describe('0 to 1'),
        }),
      ),
      notSearched: z.array(z.string()).optional().describe('Entities for which the time did not suffice: name them in entities'),
      truncated: z.array(z.string()).optional().describe('Entities in which more was found than was ranked: say more words'),
    }),
  ),
  errors: ['unknown_entity'],
  name: 'search_instances',
  title: 'Search all records',
  description:
    'Looks for words in the texts and keys of all entities that you may see: every word, and every "phrase", must be in a record, whatever case or accents. Then get_instance. For values, dates or an order use list_instances.',
  method: 'POST',
  path: '/api/v1/instances/search',
  roles: 'DataView',
  input: z.object({
    query: z.string().min(1).max(500).describe('Words and "phrases"; a part of a word will do'),
    entities: z.array(entity).min(1).max(1000).optional().describe('Only in these'),
    pageSize: z.int().min(1).max(pageSizeMax).optional().describe('50 unless told'),
  }),
  examples: [
    {
      title: 'Whatever speaks of a gate valve',
      input: { query: '"gate valve" north' },
      output: {
        hits: [
          {
            entity: 'WorkOrder',
            eiRecordId: 20481,
            externalKey: 'WO-1001',
            title: 'Replace the gate valve',
            excerpt: 'Replace the gate valve at the north entrance',
            score: 1,
          },
        ],
      },
    },
  ],
  async stagedHandler(context, { query, entities, pageSize = 50 }) {
    const { hits, notSearched, truncated } = await searchEntities(context, { query, entities, limit: pageSize })
    let left = context.answerBytes - envelopeBytes
    const fitting = hits.findIndex((hit) => (left -= Buffer.byteLength(JSON.stringify(hit)) + 1) < 0)
    return {
      hits: fitting < 0 ? hits : hits.slice(0, fitting),
      ...(notSearched.length > 0 ? { notSearched } : {}),
      ...(truncated.length > 0 ? { truncated } : {}),
    }
  },
})
