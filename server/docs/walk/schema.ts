import type { Step } from './step.ts'

const code = 'Code{{run}}'

const catalog = {
  properties: [{ internalName: code, dataType: 'Text', maxValueOrLength: 20 }],
  entities: [
    {
      internalName: 'Site{{run}}',
      properties: [{ property: code, isRequired: true, keyPart: 1 }],
      children: [{ childEntity: 'Visit{{run}}' }],
    },
    { internalName: 'Visit{{run}}', properties: [{ property: code }] },
  ],
}

export const steps: readonly Step[] = [
  { operation: 'whoami', keeps: { tenantId: 'answer.tenantId', myTenantUserId: 'answer.tenantUserId' } },
  { operation: 'list_languages' },
  { operation: 'get_schema', input: { part: 'dataTypes' } },
  { operation: 'list_verticals' },
  { operation: 'list_time_zones' },
  { operation: 'save_category', input: { internalName: 'Category{{run}}' }, keeps: { categoryId: 'answer.categoryId' } },
  { operation: 'list_categories' },
  { operation: 'delete_category', input: { categoryId: '{{categoryId}}' } },
  { operation: 'validate_catalog', input: catalog },
  { operation: 'import_catalog', input: catalog, keeps: { codePropertyId: 'answer.properties[0].propertyId' } },
  { operation: 'get_dictionary' },
  { operation: 'export_catalog', input: { entities: ['Site{{run}}', 'Visit{{run}}'] } },
  { operation: 'browse_catalog', input: { vertical: 'Aviation' } },
  {
    operation: 'install_catalog_items',
    input: { globalSourceIds: [162] },
    // What the tenant had already stays when the run cleans up.
    keeps: { installedProperty: "answer.properties.find((one) => one.outcome === 'created')?.propertyId ?? ''" },
  },
]
