import { z } from 'zod'

import { rawJson } from '#platform/answer.ts'
import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { entity, narrowInput } from '#tools/query/query.schema.ts'
import { keysInBody, lastDocumentOf, readFrame, shownOf } from '#tools/query/service.ts'

import { exampleInstance, instance, keyPart } from './instances.schema.ts'

export const getInstanceByKey = defineOperation({
  ...reads(instance),
  name: 'get_instance_by_key',
  title: 'Read one record by its key',
  description:
    'Reads one live record by key1..3 or externalKey in the body: for keys with several parts, with a slash, or made of digits. By eiRecordId: get_instance.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/by-key',
  roles: 'DataView',
  errors: ['not_found', 'unknown_property'],
  input: z.object({
    entity,
    key1: keyPart.optional(),
    key2: keyPart.optional(),
    key3: keyPart.optional(),
    externalKey: z.string().max(30_000).optional(),
    ...narrowInput,
  }),
  examples: [
    {
      title: 'A key of digits',
      input: { entity: 'WorkOrder', key1: '1001' },
      output: { ...exampleInstance, key1: '1001', externalKey: '1001' },
    },
  ],
  async handler(context, input) {
    const keys = keysInBody(input)
    const frame = await readFrame(context, input.entity)
    return rawJson(mustExist(await lastDocumentOf(context, frame, { keys }, shownOf(context, frame, input)), 'record'))
  },
})
