/** Working calls of the form operations. */
import type { Given, Stage } from '../arrange.ts'

interface Made {
  readonly entity: string
  readonly layoutJson: Record<string, unknown>
}

async function made({ call, unique }: Stage): Promise<Made> {
  const [title, status, date, entity, child] = [unique('Title'), unique('Status'), unique('Day'), unique('Order'), unique('Visit')]
  await call('create_property', { internalName: title, dataType: 'Text' })
  await call('create_property', { internalName: date, dataType: 'DateOnly' })
  await call('create_property', {
    internalName: status,
    dataType: 'Choice',
    propertyOptions: [{ internalName: 'open' }, { internalName: 'closed' }],
  })
  await call('create_entity', { internalName: child, properties: [{ property: date }] })
  await call('create_entity', { internalName: entity, properties: [{ property: title }, { property: status }] })
  await call('attach_child_entity', { entity, childEntity: child })
  const layoutJson = {
    lock: [{ property: status, op: 'eq', value: 'open' }],
    sections: [
      { type: 'detail', name: 'work', fields: [{ property: title, required: true }, { property: status }] },
      { type: 'list', name: 'visits', entity: child, fields: [{ property: date }] },
    ],
  }
  return { entity, layoutJson }
}

async function kept(stage: Stage): Promise<Made & { readonly form: string }> {
  const of = await made(stage)
  const form = stage.unique('Form')
  await stage.call('create_form', { entity: of.entity, internalName: form, isShared: true, layoutJson: of.layoutJson })
  return { ...of, form }
}

const varying = ['id', 'layoutJson', 'sizeBytes']

const named =
  (more: Record<string, unknown> = {}) =>
  async (stage: Stage) => {
    const { form } = await kept(stage)
    return { input: { form, ...more }, varying }
  }

export const given: Given = {
  async list_forms(stage) {
    await kept(stage)
    return { input: {}, varying }
  },
  async list_entity_forms(stage) {
    const { entity } = await kept(stage)
    return { input: { entity }, varying }
  },
  async create_form(stage) {
    const { entity, layoutJson } = await made(stage)
    return { input: { entity, internalName: stage.unique('Mine'), layoutJson: JSON.stringify(layoutJson) }, varying }
  },
  get_form: named(),
  async update_form(stage) {
    const { form, layoutJson } = await kept(stage)
    return { input: { form, layoutJson: { ...layoutJson, pages: 'section' } }, varying }
  },
  get_form_schema: named(),
  async generate_form(stage) {
    const { entity } = await made(stage)
    return { input: { entity } }
  },
  delete_form: named(),
  clone_form: async (stage) => named({ internalName: stage.unique('Copy') })(stage),
  list_form_versions: named(),
  restore_form_version: named({ version: 1 }),
  async validate_form(stage) {
    const { entity, layoutJson } = await made(stage)
    return { input: { entity, internalName: stage.unique('Mine'), layoutJson } }
  },
}
