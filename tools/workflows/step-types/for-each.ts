import { z } from 'zod'

import { idOrName } from '#platform/names.ts'
import { filterRules } from '#tools/query/query.schema.ts'

import { dynamic, maxSteps } from '../definition/grammar.schema.ts'
import { anyValue, list, numberValue, object, oneOf, textValue } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

const over = z.union([
  z.string().min(5).max(2_000).includes('[[', { error: 'A token of a list, such as [[$input.orders]]' }),
  z.strictObject({
    children: idOrName.optional(),
    filter: filterRules.optional(),
    report: idOrName.optional(),
    params: z.record(z.string().max(64), z.unknown()).optional(),
    view: idOrName.optional(),
    entity: idOrName.optional(),
  }),
])

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

export const forEach = defineStepType({
  stepTypeId: 9,
  internalName: 'forEach',
  description:
    'Carries out its steps for each element of a list, child of the record, row of a report or record of a view, as $item; with once, each in one run alone.',
  kind: 'loop',
  isQuick: true,
  config: z.strictObject({
    over,
    steps: z.array(z.looseObject({})).min(1).max(maxSteps),
    maxParallel: z.int().min(1).max(10).optional(),
    limit: dynamic(z.int().min(1).max(10_000)).optional(),
    once: z.array(z.string().min(1).max(200)).min(1).max(5).optional().describe('Fields by which an element is gone over once in all runs'),
  }),
  result: object({
    items: list(anyValue),
    failed: numberValue,
    errors: list(object({ index: numberValue, step: textValue, code: textValue, message: textValue })),
  }),
  roles: (config) => (isObject(config['over']) ? ['DataView'] : []),
  names: {
    'over.children': { childOf: '' },
    'over.filter': { filterOf: 'over.children' },
    'over.report': 'report',
    'over.entity': 'entity',
    'over.view': 'view',
  },
  check: (config) => {
    const said = config['over']
    if (!isObject(said)) return []
    const problems = oneOf(said, ['children', 'report', 'view']).map((one) => ({ ...one, field: 'over' }))
    const needsEntity = said['view'] !== undefined && said['entity'] === undefined
    return [...problems, ...(needsEntity ? [{ field: 'over.entity', message: 'The entity whose view it is.' }] : [])]
  },
  example: {
    over: { children: 'Defect', filter: [{ property: 'Status', op: 'eq', value: 'open' }] },
    maxParallel: 4,
    steps: [{ internalName: 'tell', stepType: 'notify', config: { to: { role: 'DataEdit' }, text: 'Open: [[$item.externalKey]]' } }],
  },
})
