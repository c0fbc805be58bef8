/** Working calls of the view operations. */
import type { Given, Stage } from '../arrange.ts'

interface Made {
  readonly entity: string
  readonly title: string
  readonly view: string
  readonly viewJson: Record<string, unknown>
}

async function made({ call, unique }: Stage): Promise<Made> {
  const [title, status, entity, view] = [unique('Title'), unique('Status'), unique('Order'), unique('Open')]
  await call('create_property', { internalName: title, dataType: 'Text' })
  await call('create_property', {
    internalName: status,
    dataType: 'Choice',
    propertyOptions: [{ internalName: 'open' }, { internalName: 'closed' }],
  })
  await call('create_entity', { internalName: entity, properties: [{ property: title }, { property: status }] })
  await call('save_instance', { entity, key1: 'WO-1', data: { [title]: 'Valve', [status]: 'open' } })
  const viewJson = {
    columns: [title, 'modifiedBy'],
    filters: { externalKeyFilter: 'WO', propertyFilters: [{ property: status, op: 'eq', value: 'open' }] },
    sort: [{ property: title, direction: 'desc' }],
    pageSize: 20,
  }
  await call('save_view', { entity, internalName: view, isShared: true, viewJson })
  return { entity, title, view, viewJson }
}

const named =
  (more: Record<string, unknown> = {}) =>
  async (stage: Stage) => {
    const { entity, view } = await made(stage)
    return { input: { entity, view, ...more }, varying: ['viewJson'] }
  }

export const given: Given = {
  async list_views(stage) {
    const { entity } = await made(stage)
    return { input: { entity } }
  },
  get_view: named(),
  async save_view(stage) {
    const { entity, viewJson } = await made(stage)
    return { input: { entity, internalName: stage.unique('Mine'), viewJson: JSON.stringify(viewJson) } }
  },
  update_view: named({ isShared: false }),
  delete_view: named(),
  async validate_view(stage) {
    const { entity, viewJson } = await made(stage)
    return { input: { entity, internalName: stage.unique('Mine'), viewJson } }
  },
  execute_view: named(),
  export_view: named({ format: 'csv' }),
  clone_view: async (stage) => named({ internalName: stage.unique('Copy') })(stage),
  share_view: named({ isShared: false }),
  set_view_sync: named({ syncEnabled: true, syncFrequencyMinutes: 60 }),
}
