import type { Domain } from '#platform/operation.ts'

import { createProperty } from './create-property.ts'
import { deletePropertyOption } from './delete-property-option.ts'
import { deleteProperty } from './delete-property.ts'
import { describeProperty } from './describe-property.ts'
import { getPropertyUsage } from './get-property-usage.ts'
import { listProperties } from './list-properties.ts'
import { listPropertyOptionFilters } from './list-property-option-filters.ts'
import { listPropertyOptions } from './list-property-options.ts'
import { lockPropertyTranslation } from './lock-property-translation.ts'
import { propertiesPhrases } from './properties.phrases.ts'
import { reorderPropertyOptions } from './reorder-property-options.ts'
import { savePropertyOptionFilter } from './save-property-option-filter.ts'
import { savePropertyOption } from './save-property-option.ts'
import { setPropertyDisplay } from './set-property-display.ts'
import { testPropertyValue } from './test-property-value.ts'
import { updateProperty } from './update-property.ts'
import { validateProperty } from './validate-property.ts'

export const propertiesDomain: Domain = {
  name: 'properties',
  title: 'Properties',
  summary: 'Typed fields with their rules, options and names in each language. Entities are composed of them.',
  operations: [
    listProperties,
    describeProperty,
    createProperty,
    updateProperty,
    deleteProperty,
    setPropertyDisplay,
    lockPropertyTranslation,
    listPropertyOptions,
    savePropertyOption,
    reorderPropertyOptions,
    deletePropertyOption,
    getPropertyUsage,
    validateProperty,
    testPropertyValue,
    savePropertyOptionFilter,
    listPropertyOptionFilters,
  ],
  phrases: propertiesPhrases,
}
