/** Working calls of the schema operations. */
import type { Given, Stage } from '../arrange.ts'

function documentOf(stage: Stage) {
  const property = stage.unique('Code')
  const visit = stage.unique('Visit')
  return {
    properties: [{ internalName: property, dataType: 'Text', displays: [{ languageCode: 'en-US', name: 'Code' }] }],
    entities: [
      { internalName: stage.unique('Site'), properties: [{ property, isRequired: true, keyPart: 1 }], children: [{ childEntity: visit }] },
      { internalName: visit, properties: [{ property }] },
    ],
  }
}

async function categoryOf(stage: Stage): Promise<number> {
  const category = (await stage.call('save_category', { internalName: stage.unique('Safety') })) as { categoryId: number }
  return category.categoryId
}

export const given: Given = {
  // Each call is made as a tenant with names of its own.
  whoami: async () => ({ input: {}, varying: ['tenantName', 'userName', 'displayName'] }),
  list_languages: async () => ({ input: {} }),
  get_schema: async () => ({ input: { part: 'dataTypes' } }),
  async get_dictionary(stage) {
    await stage.call('import_catalog', documentOf(stage))
    return { input: {} }
  },
  list_verticals: async () => ({ input: {} }),
  list_categories: async () => ({ input: {} }),
  save_category: async (stage) => ({ input: { internalName: stage.unique('Safety') } }),
  delete_category: async (stage) => ({ input: { categoryId: await categoryOf(stage) } }),
  list_time_zones: async () => ({ input: {} }),
  import_catalog: async (stage) => ({ input: documentOf(stage) }),
  async export_catalog(stage) {
    await stage.call('import_catalog', documentOf(stage))
    return { input: {} }
  },
  browse_catalog: async () => ({ input: { vertical: 'Aviation' } }),
  install_catalog_items: async () => ({ input: { globalSourceIds: [5_011] } }),
  validate_catalog: async (stage) => ({ input: documentOf(stage) }),
}
