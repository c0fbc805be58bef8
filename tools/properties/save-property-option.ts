import { z } from 'zod'

import { changeDefinitions, takeCatalogIds } from '#platform/db/definitions.ts'
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { idOrName, newName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'

import { readDisplays } from './displays.rules.ts'
import { planOption } from './options.rules.ts'
import { dataTypeOf, displayInputs, exampleUrgent, maxOptions, optionId, propertyOption } from './properties.schema.ts'
import { listPropertyUses, loadReferences } from './properties.store.ts'
import { insertOptionRows, listOptionRows, updateOptionRow, upsertOptionDisplays } from './property-options.store.ts'
import { mustFindProperty } from './service.ts'
import { listOptions } from './shown.ts'

export const savePropertyOption = defineOperation({
  ...writes(propertyOption),
  isIdempotent: true,
  name: 'save_property_option',
  title: 'Create or change an option',
  description:
    'Adds an option to a Choice or Hierarchy, at the end, or changes the one with this optionId, or else with this internalName. Renaming by optionId touches no record. A parent exists in a Hierarchy only; null takes it off. reorder_property_options changes the order.',
  method: 'POST',
  path: '/api/v1/properties/{property}/options',
  roles: 'BuilderAdmin',
  input: z.object({
    property: idOrName,
    optionId: optionId.optional().describe('Of the option to change; without it internalName decides'),
    internalName: newName(),
    displays: displayInputs.optional().describe('Those of the languages given are written, others stay'),
    parent: idOrName.nullable().optional().describe('optionId or internalName of the parent option'),
  }),
  examples: [
    {
      title: 'Another option',
      input: { property: 'Priority', internalName: 'Urgent', displays: [{ languageCode: 'en-US', name: 'Urgent, within two hours' }] },
      output: exampleUrgent,
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { propertyId, dataTypeId } = await mustFindProperty(context, input.property)
    const read = readDisplays(input.displays ?? [], await loadReferences(tx, tenantId), '$.displays')
    return changeDefinitions(
      context,
      async () => (await listPropertyUses(tx, tenantId, propertyId)).map((use) => use.entityId),
      async () => {
        const options = await listOptionRows(tx, tenantId, propertyId)
        const plan = planOption(input, dataTypeOf(dataTypeId), options)
        refuseErrors([...read.findings, ...plan.findings], 'The option')
        const { internalName } = input
        const { parentOptionId, present } = plan
        const [fresh] = present ? [] : await takeCatalogIds(tx, 1)
        const savedId = present?.optionId ?? mustExist(fresh, 'option')
        if (present) await updateOptionRow(tx, tenantId, { optionId: savedId, internalName, parentOptionId })
        else {
          if (options.length >= maxOptions) throw new AppError('conflict', `A property has at most ${maxOptions} options.`)
          const position = (options.at(-1)?.position ?? 0) + 1
          await insertOptionRows(tx, tenantId, [{ optionId: savedId, propertyId, internalName, parentOptionId, position }])
        }
        await upsertOptionDisplays(
          tx,
          tenantId,
          read.displays.map(({ languageRegionId, name, description }) => ({ optionId: savedId, languageRegionId, name, description })),
        )
        context.audit({ propertyId, optionId: savedId })
        const rows = await listOptions(tx, tenantId, propertyId, await findDisplayLanguages(context))
        return mustExist(
          rows.find((row) => row.optionId === savedId),
          'option',
        )
      },
    )
  },
})
