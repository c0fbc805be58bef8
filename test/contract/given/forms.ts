/** Working calls of the form operations. */
import { writeXlsx } from 'hucre/xlsx'

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

/** A link to a form of one text. */
async function linked(stage: Stage): Promise<{ linkId: number; token: string; form: string; title: string }> {
  const { call, unique } = stage
  const [title, entity, form] = [unique('Title'), unique('Order'), unique('Form')]
  await call('create_property', { internalName: title, dataType: 'Text' })
  await call('create_entity', { internalName: entity, properties: [{ property: title }] })
  const layoutJson = { sections: [{ type: 'detail', name: 'work', fields: [{ property: title, required: true }] }] }
  await call('create_form', { entity, internalName: form, isShared: true, layoutJson })
  const { linkId, token } = await call('create_signed_link', { form, to: { email: 'guest@example.com' } })
  return { linkId, token, form, title }
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
  async import_xlsform(stage) {
    const survey = [
      ['type', 'name', 'label'],
      ['text', stage.unique('village'), 'Village'],
      ['note', 'hello', 'Hello'],
    ]
    const bytes = await writeXlsx({
      sheets: [
        { name: 'survey', rows: survey },
        { name: 'settings', rows: [['form_id'], [stage.unique('wells')]] },
      ],
    })
    const contentBase64 = Buffer.from(bytes).toString('base64')
    const { assetKey } = await stage.world.call(
      'upload_asset',
      { fileName: 'wells.xlsx', contentBase64 },
      { key: stage.tenant.key, transport: 'mcp' },
    )
    return { input: { assetKey }, varying }
  },
  delete_form: named(),
  clone_form: async (stage) => named({ internalName: stage.unique('Copy') })(stage),
  list_form_versions: named(),
  restore_form_version: named({ version: 1 }),
  async validate_form(stage) {
    const { entity, layoutJson } = await made(stage)
    return { input: { entity, internalName: stage.unique('Mine'), layoutJson } }
  },
  async create_signed_link(stage) {
    const { form } = await linked(stage)
    return { input: { form, to: { phone: '+34600123456' }, expiresIn: 'P3D' }, varying: ['token', 'url'] }
  },
  async list_signed_links(stage) {
    const { form } = await linked(stage)
    return { input: { form, states: ['open'] } }
  },
  async revoke_signed_link(stage) {
    const { linkId } = await linked(stage)
    return { input: { linkId } }
  },
}
