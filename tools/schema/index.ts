import type { Domain } from '#platform/operation.ts'

import { browseCatalog } from './browse-catalog.ts'
import { deleteCategory } from './delete-category.ts'
import { exportCatalog } from './export-catalog.ts'
import { getDictionary } from './get-dictionary.ts'
import { getSchema } from './get-schema.ts'
import { importCatalog } from './import-catalog.ts'
import { installCatalogItems } from './install-catalog-items.ts'
import { listCategories } from './list-categories.ts'
import { listLanguages } from './list-languages.ts'
import { listTimeZones } from './list-time-zones.ts'
import { listVerticals } from './list-verticals.ts'
import { saveCategory } from './save-category.ts'
import { schemaPhrases } from './schema.phrases.ts'
import { validateCatalog } from './validate-catalog.ts'
import type { FlowVocabulary } from './vocabulary.ts'
import { whoami } from './whoami.ts'

export const schemaDomain = (flow: FlowVocabulary): Domain => ({
  name: 'schema',
  title: 'Schema',
  summary:
    'Who the caller is, what the product knows, and the definitions of the tenant as a whole: dictionary, import, export and the shared catalog.',
  operations: [
    whoami,
    listLanguages,
    getSchema(flow),
    getDictionary,
    listVerticals,
    listCategories,
    saveCategory,
    deleteCategory,
    listTimeZones,
    importCatalog,
    exportCatalog,
    browseCatalog,
    installCatalogItems,
    validateCatalog,
  ],
  phrases: schemaPhrases,
})
