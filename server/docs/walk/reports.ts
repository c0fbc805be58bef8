import type { Step } from './step.ts'

const entity = 'WorkOrder{{run}}'
const report = 'ByPriority{{run}}'
const definitionJson = {
  primaryEntityId: entity,
  groupBy: [{ property: 'Priority{{run}}' }],
  aggregates: [
    { fn: 'COUNT', alias: 'orders' },
    { property: 'modifiedDate', fn: 'MAX', alias: 'lastChange' },
  ],
  filters: [{ property: 'createdDate', op: 'gte', value: '[[$param.since]]' }],
  sort: [{ property: 'orders', direction: 'desc' }],
  parameters: [{ name: 'since', dataType: 'DateTime' }],
}

export const steps: readonly Step[] = [
  { operation: 'validate_report', input: { definitionJson } },
  { operation: 'execute_report_inline', input: { definitionJson } },
  { operation: 'create_report', input: { internalName: report, definitionJson } },
  { operation: 'list_reports', input: {} },
  { operation: 'get_report', input: { report } },
  { operation: 'update_report', input: { report, isShared: true } },
  { operation: 'execute_report', input: { report, params: { since: '2026-01-01T00:00:00Z' } } },
  { operation: 'explain_report', input: { definitionJson } },
  { operation: 'export_report', input: { report, format: 'csv' } },
  { operation: 'chart_report', input: { report, type: 'bar', y: ['orders'] } },
  { operation: 'schedule_report', input: { report, cron: '0 7 * * 1-5', timeZone: 'Europe/Madrid', format: 'csv' } },
  { operation: 'unschedule_report', input: { report } },
  { operation: 'clone_report', input: { report, internalName: 'CopyOfByPriority{{run}}' } },
  { operation: 'delete_report', input: { report: 'CopyOfByPriority{{run}}' } },
]
