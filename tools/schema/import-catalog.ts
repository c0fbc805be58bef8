import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'

import { catalogImport, exampleDocument, exampleResult, importResult } from './catalog.schema.ts'
import { importDocument } from './importing.ts'

export const importCatalog = defineOperation({
  ...writes(importResult),
  errors: ['already_exists', 'unknown_property', 'unknown_entity', 'unprocessable'],
  name: 'import_catalog',
  title: 'Import a catalog',
  description:
    'Makes properties with their options and displays, entities with their properties, children and peers, in one call: everything or nothing, with all mistakes in one list of issues. Each definition stands as in create_property and create_entity; names inside the document may be used before they are defined. whenExists: skip makes it safe to repeat. validate_catalog checks without writing, export_catalog writes such a document. Afterwards call get_dictionary.',
  method: 'POST',
  path: '/api/v1/catalog/import',
  roles: 'BuilderAdmin',
  input: catalogImport,
  examples: [{ title: 'Work orders with their logs', input: exampleDocument, output: exampleResult }],
  async handler(context, input) {
    const { whenExists = 'refuse', scope = 'tenant', ...document } = input
    if (scope === 'global' && (context.actor.roleFlag & roleBits.GlobalAdmin) === 0) {
      throw new AppError(
        'forbidden',
        'Only a global administrator publishes definitions to every tenant. Leave scope out to import for this tenant.',
      )
    }
    return importDocument(context, document, { whenExists, scope })
  },
})
