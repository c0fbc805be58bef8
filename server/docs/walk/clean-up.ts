import type { Step } from './step.ts'

const entities = ['WorkOrder', 'Task', 'Technician', 'Visit', 'Site']
const properties = ['Priority', 'Title', 'SignText', 'Photo', 'Email', 'Code']
const assets = ['rowsAssetKey', 'tasksAssetKey', 'pdfAssetKey', 'pictureAssetKey', 'viewAssetKey', 'surveyAssetKey']
const users = ['tenantUserId', 'askedTenantUserId']

/** Takes back what the run made. Users and tenants are locked and suspended, not deleted: their names stay in what they did. */
export const steps: readonly Step[] = [
  {
    operation: 'delete_instances_bulk',
    title: 'work orders',
    input: { entity: 'WorkOrder{{run}}', keys: ['WO-6', 'WO-7', 'WO-8'].map((key1) => ({ key1 })) },
  },
  {
    operation: 'delete_instances_bulk',
    title: 'tasks',
    before: ["pm.variables.set('taskKeys', JSON.stringify(Array.from({ length: 2000 }, (_, at) => ({ key1: `T-${at}` }))))"],
    input: { entity: 'Task{{run}}', keys: '{{#taskKeys}}' },
  },
  ...['Task', 'WorkOrder'].map((name) => ({
    operation: 'wipe_instances',
    title: name,
    input: { entity: `${name}{{run}}`, confirmation: `${name}{{run}}` },
  })),
  { operation: 'detach_child_entity', title: 'of the imported catalog', input: { entity: 'Site{{run}}', childEntity: 'Visit{{run}}' } },
  { operation: 'delete_view', title: 'the first one', input: { entity: 'WorkOrder{{run}}', view: 'Open{{run}}' } },
  { operation: 'delete_report', title: 'the first one', input: { report: 'ByPriority{{run}}' } },
  { operation: 'delete_form', title: 'the first one', input: { form: 'OrderForm{{run}}' } },
  { operation: 'delete_form', title: 'of the survey', input: { form: '{{surveyForm}}' } },
  { operation: 'delete_entity', title: 'of the survey', input: { entity: '{{surveyForm}}' } },
  ...['{{surveyVillage}}', '{{surveyDepth}}'].map((property) => ({
    operation: 'delete_property',
    title: 'of the survey',
    input: { property },
  })),
  ...entities.map((name) => ({ operation: 'delete_entity', title: name, input: { entity: `${name}{{run}}` } })),
  ...properties.map((name) => ({ operation: 'delete_property', title: name, input: { property: `${name}{{run}}` } })),
  {
    operation: 'delete_property',
    title: 'what was installed',
    before: ["if (pm.collectionVariables.get('installedProperty') === '') pm.execution.skipRequest()"],
    input: { property: '{{installedProperty}}' },
  },
  ...assets.map((name) => ({ operation: 'delete_asset', title: name, input: { assetKey: `{{${name}}}` } })),
  ...users.map((name) => ({ operation: 'lock_user', title: name, input: { tenantUserId: `{{${name}}}` } })),
  { operation: 'suspend_tenant', title: 'the new one', input: { tenantId: '{{newTenantId}}' } },
]
