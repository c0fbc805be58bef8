import { z } from 'zod'

import { changeDefinitions, takeCatalogIds } from '#platform/db/definitions.ts'
import { mustExist } from '#platform/errors.ts'
import { definitionId, idOrName, newName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'

import { planOptionFilter } from './options.rules.ts'
import { maxOptions, optionFilter } from './properties.schema.ts'
import { listPropertyUses } from './properties.store.ts'
import { insertOptionFilters, listOptionFilters, listOptionRows, updateOptionFilter } from './property-options.store.ts'
import { mustFindProperty } from './service.ts'

export const savePropertyOptionFilter = defineOperation({
  ...writes(optionFilter),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'save_property_option_filter',
  title: 'Create or change a subset of options',
  description:
    'Names a subset of the options of a Choice or Hierarchy, or changes the one with this propertyOptionFilterId, or else with this internalName. update_entity_property then lets one entity take only these. Values that records hold already stay.',
  method: 'POST',
  path: '/api/v1/properties/{property}/option-filters',
  roles: 'BuilderAdmin',
  input: z.object({
    property: idOrName,
    propertyOptionFilterId: definitionId.optional().describe('Of the subset to change; without it internalName decides'),
    internalName: newName(),
    options: z.array(idOrName).min(1).max(maxOptions).describe('optionIds or internalNames'),
  }),
  examples: [
    {
      title: 'What a technician may choose',
      input: { property: 'Priority', internalName: 'ForTechnicians', options: ['Low', 'Normal'] },
      output: {
        propertyOptionFilterId: 10_045,
        propertyId: 10_041,
        internalName: 'ForTechnicians',
        optionIds: [10_042, 10_043],
        options: ['Low', 'Normal'],
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { propertyId } = await mustFindProperty(context, input.property)
    return changeDefinitions(
      context,
      async () => (await listPropertyUses(tx, tenantId, propertyId)).map((use) => use.entityId),
      async () => {
        const plan = planOptionFilter(
          input,
          await listOptionRows(tx, tenantId, propertyId),
          await listOptionFilters(tx, tenantId, propertyId),
        )
        refuseErrors(plan.findings, 'The option filter')
        const [fresh] = plan.present ? [] : await takeCatalogIds(tx, 1)
        const propertyOptionFilterId = plan.present?.propertyOptionFilterId ?? mustExist(fresh, 'option filter')
        const row = { propertyOptionFilterId, propertyId, internalName: input.internalName, optionIds: plan.optionIds }
        if (plan.present) await updateOptionFilter(tx, tenantId, row)
        else await insertOptionFilters(tx, tenantId, [row])
        const rows = await listOptionFilters(tx, tenantId, propertyId)
        return mustExist(
          rows.find((one) => one.propertyOptionFilterId === propertyOptionFilterId),
          'option filter',
        )
      },
    )
  },
})
