/** Working calls of the report operations. */
import type { Given, Stage } from '../arrange.ts'

interface Made {
  readonly report: string
  readonly definitionJson: Record<string, unknown>
}

async function made({ call, unique }: Stage): Promise<Made> {
  const [title, cost, order, log, report] = [unique('Title'), unique('Cost'), unique('Order'), unique('Log'), unique('Report')]
  await call('create_property', { internalName: title, dataType: 'Text' })
  await call('create_property', { internalName: cost, dataType: 'Currency' })
  await call('create_entity', { internalName: order, properties: [{ property: title }] })
  await call('create_entity', { internalName: log, properties: [{ property: cost }] })
  await call('attach_child_entity', { entity: order, childEntity: log, isList: true })
  await call('save_instance', { entity: order, key1: 'WO-1', data: { [title]: 'Valve' } })
  await call('save_instance', { entity: log, key1: 'L-1', parentKey1: 'WO-1', data: { [cost]: 12.5 } })
  const definitionJson = {
    primaryEntityId: order,
    joinMode: 'left',
    joins: [{ entityId: log, joinType: 'child' }],
    groupBy: [{ entity: order, property: title }],
    aggregates: [{ entity: log, property: cost, fn: 'SUM', alias: 'cost' }],
    filters: [{ entity: order, property: title, op: 'contains', value: '[[$param.part]]' }],
    sort: [{ property: 'cost', direction: 'desc' }],
    parameters: [{ name: 'part', dataType: 'Text' }],
    pageSize: 20,
  }
  await call('create_report', { internalName: report, isShared: true, definitionJson })
  return { report, definitionJson }
}

const named =
  (more: Record<string, unknown> = {}) =>
  async (stage: Stage) => {
    const { report } = await made(stage)
    return { input: { report, ...more }, varying: ['definitionJson'] }
  }

export const given: Given = {
  async list_reports(stage) {
    await made(stage)
    return { input: {} }
  },
  get_report: named(),
  async create_report(stage) {
    const { definitionJson } = await made(stage)
    return { input: { internalName: stage.unique('Mine'), definitionJson: JSON.stringify(definitionJson) } }
  },
  update_report: named({ isShared: false }),
  delete_report: named(),
  async validate_report(stage) {
    const { definitionJson } = await made(stage)
    return { input: { internalName: stage.unique('Mine'), definitionJson } }
  },
  execute_report: named({ params: { part: 'valve' } }),
  async execute_report_inline(stage) {
    const { definitionJson } = await made(stage)
    return { input: { definitionJson, pageSize: 5 } }
  },
  export_report: named({ format: 'csv' }),
  chart_report: named({ type: 'donut' }),
  async explain_report(stage) {
    const { definitionJson } = await made(stage)
    return { input: { definitionJson }, varying: ['cost', 'estimatedRows', 'of', 'summary'] }
  },
  schedule_report: named({ every: 'P1D' }),
  async unschedule_report(stage) {
    const { report } = await made(stage)
    await stage.call('schedule_report', { report, every: 'P1D' })
    return { input: { report } }
  },
  clone_report: async (stage) => named({ internalName: stage.unique('Copy') })(stage),
}
