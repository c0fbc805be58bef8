import { z } from 'zod'

import { idOrName } from '#platform/names.ts'
import { filterRules } from '#tools/query/query.schema.ts'

import { dynamic } from '../definition/grammar.schema.ts'
import { anyValue, object, oneOf } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

const keyPart = z.string().min(1).max(400)

export const getRecord = defineStepType({
  stepTypeId: 10,
  internalName: 'getRecord',
  description: 'Reads a record by its id, its key or, with first, the first that fulfils a filter.',
  kind: 'act',
  isQuick: true,
  config: z.strictObject({
    entity: idOrName,
    eiRecordId: dynamic(z.int().min(1)).optional(),
    key1: keyPart.optional(),
    key2: keyPart.optional(),
    key3: keyPart.optional(),
    filter: filterRules.optional(),
    first: z.boolean().optional(),
  }),
  result: object({ record: anyValue }),
  recordIn: { result: 'record', entity: 'entity' },
  roles: ['DataView'],
  names: { entity: 'entity', filter: { filterOf: 'entity' } },
  check: (config) => oneOf(config, ['eiRecordId', 'key1', 'filter']),
  example: { entity: 'Site', key1: '[[Inspection.SiteCode]]' },
})
