import type { Step } from './step.ts'

const entity = 'WorkOrder{{run}}'
const view = 'Open{{run}}'
const viewJson = {
  columns: ['Title{{run}}', 'Priority{{run}}', 'modifiedDate'],
  filters: { propertyFilters: [{ property: 'Priority{{run}}', op: 'isNotEmpty' }] },
  sort: [{ property: 'modifiedDate', direction: 'desc' }],
  pageSize: 20,
}

export const steps: readonly Step[] = [
  { operation: 'validate_view', input: { entity, viewJson } },
  { operation: 'save_view', input: { entity, internalName: view, viewJson } },
  { operation: 'list_views', input: { entity } },
  { operation: 'get_view', input: { entity, view } },
  { operation: 'update_view', input: { entity, view, viewJson: { ...viewJson, pageSize: 10 } } },
  { operation: 'share_view', input: { entity, view, isShared: true } },
  { operation: 'execute_view', input: { entity, view, sort: [{ property: 'Title{{run}}' }] } },
  { operation: 'export_view', input: { entity, view, format: 'xlsx' }, keeps: { viewAssetKey: 'answer.assetKey' } },
  { operation: 'set_view_sync', input: { entity, view, syncEnabled: false, syncFrequencyMinutes: 60 } },
  { operation: 'clone_view', input: { entity, view, internalName: 'Copy{{run}}' } },
  { operation: 'delete_view', input: { entity, view: 'Copy{{run}}' } },
]
