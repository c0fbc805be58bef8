import { z } from 'zod'

import { idOrName } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { whenMatched } from '#platform/patterns.ts'
import { envelope, finding, validation } from '#platform/validation.ts'

import { dataTypeOf } from './properties.schema.ts'
import { listOptionDisplays, listOptionRows } from './property-options.store.ts'
import { mustFindProperty } from './service.ts'
import { checkValue } from './values.rules.ts'

const one = z.union([z.string().max(100_000), z.number(), z.boolean(), z.null()])

export const testPropertyValue = defineOperation({
  ...reads(z.object({ ok: z.boolean(), valid: z.boolean(), results: z.array(z.object({ index: z.int(), ...validation.shape })) })),
  name: 'test_property_value',
  title: 'Try values against a property',
  description:
    'Runs the rules of a property against sample values, as a save would, and writes nothing. An array is tried as the value of a list. Shows that a pattern or limit does what was meant.',
  method: 'POST',
  path: '/api/v1/properties/{property}/test-value',
  roles: 'any',
  input: z.object({
    property: idOrName,
    values: z
      .array(z.union([one, z.array(one).max(2_000)]))
      .min(1)
      .max(200),
  }),
  examples: [
    {
      title: 'A right and a wrong serial number',
      input: { property: 'SerialNumber', values: ['AB-1234', 'ab'] },
      output: {
        ok: false,
        valid: false,
        results: [
          { index: 0, ok: true, valid: true, issues: [] },
          {
            index: 1,
            ok: false,
            valid: false,
            issues: [{ path: '$.values[1]', severity: 'error', message: 'At least 4 characters, got 2.' }],
          },
        ],
      },
    },
  ],
  async handler(context, input) {
    const row = await mustFindProperty(context, input.property)
    const { tx, tenantId } = context
    const rows = await listOptionRows(tx, tenantId, row.propertyId)
    const displays = await listOptionDisplays(
      tx,
      tenantId,
      rows.map((option) => option.optionId),
    )
    const namesOf = Map.groupBy(displays, (display) => display.optionId)
    const options = rows.map((option) => ({ ...option, names: (namesOf.get(option.optionId) ?? []).map((display) => display.name) }))
    const rules = { ...row, dataType: dataTypeOf(row.dataTypeId), options, optionFilter: null }
    const checks = await whenMatched((patterns) => {
      return input.values.map((value) => checkValue({ ...rules, isList: Array.isArray(value) }, value, patterns))
    })
    const results = checks.map((checked, index) => {
      const findings = 'problem' in checked ? [finding(`$.values[${index}]`, checked.problem, { suggestion: checked.suggestion })] : []
      return { index, ...envelope(findings) }
    })
    const isValid = results.every((result) => result.ok)
    return { ok: isValid, valid: isValid, results }
  },
})
