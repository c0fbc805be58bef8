import { fileForm, type Step } from './step.ts'

const entity = 'WorkOrder{{run}}'
const title = 'Title{{run}}'
const task = 'Task{{run}}'
const record = '{{recordId}}'
const open = [{ property: title, op: 'contains', value: 'valve' }]

export const steps: readonly Step[] = [
  { operation: 'validate_instance', input: { entity, key1: 'WO-1', data: { [title]: 'Replace the valve' } } },
  {
    operation: 'save_instance',
    input: { entity, key1: 'WO-1', data: { [title]: 'Replace the valve', 'Priority{{run}}': 'Low' } },
    keeps: { recordId: 'answer.eiRecordId', rowHash: 'answer.rowHash' },
  },
  { operation: 'upsert_instance', input: { entity, record, data: { 'Priority{{run}}': 'High' }, expectedRowHash: '{{rowHash}}' } },
  { operation: 'get_instance', input: { entity, record } },
  { operation: 'get_instance_by_key', input: { entity, key1: 'WO-1' } },
  {
    operation: 'save_instances_bulk',
    input: { entity, rows: ['2', '3', '4', '5'].map((one) => ({ key1: `WO-${one}`, data: { [title]: `Valve ${one}` } })) },
  },
  {
    operation: 'list_instances',
    input: {
      entity,
      filterRules: { logic: 'OR', rules: open, groups: [{ rules: [{ property: 'key1', op: 'startsWith', value: 'WO-' }] }] },
      sort: [{ property: 'modifiedDate', direction: 'desc' }],
      pageSize: 3,
    },
  },
  { operation: 'search_instances', input: { query: 'valve', entities: [entity], pageSize: 5 } },
  { operation: 'count_instances', input: { entity, filterRules: open } },
  {
    operation: 'aggregate_instances',
    input: { entity, groupBy: [{ property: 'Priority{{run}}' }], aggregates: [{ fn: 'COUNT', alias: 'orders' }] },
  },
  { operation: 'attach_child_entity', title: 'for tasks below orders', input: { entity, childEntity: task, isList: true } },
  {
    operation: 'save_instance',
    title: 'a task below an order',
    input: { entity: task, parentKey1: 'WO-4', data: { [title]: 'Bring the ladder' } },
    keeps: { taskId: 'answer.eiRecordId' },
  },
  { operation: 'set_instance_parent', input: { entity: task, record: '{{taskId}}', parentKey1: 'WO-5' } },
  { operation: 'list_child_instances', input: { entity, record: 'WO-5', childEntity: task } },
  { operation: 'delete_instance', title: 'the task', input: { entity: task, record: '{{taskId}}' } },
  { operation: 'detach_child_entity', title: 'tasks again', input: { entity, childEntity: task } },
  { operation: 'wipe_instances', input: { entity: task, confirmation: task } },
  { operation: 'attach_peer_entity', title: 'of itself', input: { entity, peerEntity: entity } },
  { operation: 'link_peer_instances', input: { entity, record, peerEntity: entity, keys: [{ key1: 'WO-2' }, { key1: 'WO-3' }] } },
  { operation: 'list_peer_instances', input: { entity, record, peerEntity: entity, pageSize: 5 } },
  { operation: 'unlink_peer_instances', input: { entity, record, peerEntity: entity, keys: [{ key1: 'WO-2' }, { key1: 'WO-3' }] } },
  { operation: 'detach_peer_entity', title: 'of itself', input: { entity, peerEntity: entity } },
  { operation: 'get_instance_history', input: { entity, record } },
  { operation: 'revert_instance', input: { entity, record, version: 1 } },
  { operation: 'get_instance_as_of', input: { entity, record, utc: '2999-01-01T00:00:00Z' } },
  { operation: 'list_instances_as_of', input: { entity, asOfDate: '2999-01-01T00:00:00Z' } },
  { operation: 'get_instance_variance', input: { entity, record, propertyNames: ['Priority{{run}}'] } },
  { operation: 'list_instances_changed_since', input: { entity } },
  {
    operation: 'upload_asset',
    title: 'a file of rows',
    ...fileForm('orders.csv', 'key1,Title{{run}}\nWO-6,Paint the gate\nWO-7,Oil the lock\n'),
    keeps: { rowsAssetKey: 'answer.assetKey' },
  },
  { operation: 'import_instances', input: { entity, assetKey: '{{rowsAssetKey}}' }, keeps: { jobId: 'answer.jobId' } },
  { operation: 'await_job', title: 'the import', input: { jobId: '{{jobId}}', timeoutSeconds: 30 } },
  {
    operation: 'update_instances_by_filter',
    input: { entity, filterRules: open, data: { 'Priority{{run}}': 'Low' }, dryRun: true },
  },
  { operation: 'export_instances', input: { entity, format: 'json', filterRules: open }, keeps: { recordsAssetKey: 'answer.assetKey' } },
  { operation: 'delete_instance', title: 'dry', input: { entity, record: '{{recordId}}', dryRun: true } },
  { operation: 'delete_instance', input: { entity, record: '{{recordId}}' } },
  { operation: 'restore_instance', input: { entity, record: '{{recordId}}' } },
  { operation: 'delete_instance_by_key', input: { entity, key1: 'WO-2' } },
  { operation: 'delete_instance_by_external_key', input: { entity, externalKey: 'WO-3' } },
  { operation: 'delete_instances_bulk', input: { entity, keys: [{ key1: 'WO-1' }, { key1: 'WO-4' }, { key1: 'WO-5' }] } },
  { operation: 'list_instances_deleted_since', input: { entity } },
]
