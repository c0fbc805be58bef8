import { z } from 'zod'

import { idOrName } from '#platform/names.ts'

import { list, numberValue, object, oneOf, reportRow, textValue } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const runReport = defineStepType({
  stepTypeId: 13,
  internalName: 'runReport',
  description: 'Runs a report, by its name or as it is written out, and keeps its rows.',
  kind: 'act',
  isQuick: false,
  config: z.strictObject({
    report: idOrName.optional(),
    definitionJson: z.looseObject({}).optional(),
    params: z.record(z.string().max(64), z.unknown()).optional(),
    asText: z
      .strictObject({ languageCode: z.string().max(400).optional(), timeZone: z.string().max(400).optional() })
      .optional()
      .describe('text holds the first rows as lines for a message, in this language and zone; the report’s today is that of the zone'),
  }),
  result: object({ rows: list(reportRow), totalCount: numberValue, text: textValue }),
  roles: ['DataView'],
  names: { report: 'report' },
  check: (config) => oneOf(config, ['report', 'definitionJson']),
  example: { report: 'OpenDefects', params: { site: '[[Inspection.SiteCode]]' } },
})
