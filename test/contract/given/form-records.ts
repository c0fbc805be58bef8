/** Working calls on records through forms, and on shortcuts. */
import type { Given, Stage } from '../arrange.ts'

interface Made {
  readonly form: string
  readonly title: string
  readonly status: string
  readonly day: string
}

async function made({ call, unique }: Stage): Promise<Made> {
  const [title, status, day, entity, child] = [unique('Title'), unique('Status'), unique('Day'), unique('Order'), unique('Visit')]
  await call('create_property', { internalName: title, dataType: 'Text' })
  await call('create_property', { internalName: day, dataType: 'DateOnly' })
  const propertyOptions = [{ internalName: 'open' }, { internalName: 'closed' }]
  await call('create_property', { internalName: status, dataType: 'Choice', propertyOptions })
  await call('create_entity', { internalName: child, properties: [{ property: day }] })
  await call('create_entity', { internalName: entity, properties: [{ property: title }, { property: status }] })
  await call('attach_child_entity', { entity, childEntity: child, isList: true })
  const layoutJson = {
    lock: [{ property: status, op: 'eq', value: 'open' }],
    sections: [
      { type: 'detail', name: 'work', fields: [{ property: title, required: true }] },
      { type: 'list', name: 'visits', entity: child, fields: [{ property: day }] },
    ],
  }
  const form = unique('Form')
  await call('create_form', { entity, internalName: form, isShared: true, layoutJson })
  return { form, title, status, day }
}

/** A form with a record that has one row. */
async function entered(stage: Stage) {
  const of = await made(stage)
  const saved = await stage.call('create_form_record_multi', {
    form: of.form,
    primary: { key1: 'A', values: { [of.title]: 'Gate' } },
    sections: { visits: { rows: [{ values: { [of.day]: '2026-03-01' } }] } },
  })
  return { ...of, record: saved.eiRecordId as number, row: saved.sections.visits.rows[0].eiRecordId as number }
}

const varying = ['rowHash']

async function kept(stage: Stage) {
  const of = await entered(stage)
  const shortcut = stage.unique('Short')
  const filterJson = [{ property: of.title, op: 'isNotEmpty' }]
  await stage.call('create_form_shortcut', { form: of.form, internalName: shortcut, filterJson })
  return { ...of, shortcut, filterJson }
}

const ofShortcut = async (stage: Stage) => {
  const { form, shortcut } = await kept(stage)
  return { input: { form, shortcut }, varying: [...varying, 'filterJson'] }
}

export const given: Given = {
  async create_form_record(stage) {
    const { form, title } = await made(stage)
    return { input: { form, values: { [title]: 'Gate' } }, varying }
  },
  async get_form_record(stage) {
    const { form, record } = await entered(stage)
    return { input: { form, record }, varying }
  },
  async update_form_record(stage) {
    const { form, record, title } = await entered(stage)
    return { input: { form, record, values: { [title]: 'Hinge' } }, varying }
  },
  async delete_form_record(stage) {
    const { form, record } = await entered(stage)
    return { input: { form, record } }
  },
  async list_form_records(stage) {
    const { form } = await entered(stage)
    return { input: { form }, varying }
  },
  async create_form_record_multi(stage) {
    const { form, title, day } = await made(stage)
    const sections = { visits: { rows: [{ values: { [day]: '2026-03-01' } }] } }
    return { input: { form, primary: { values: { [title]: 'Gate' } }, sections }, varying }
  },
  async update_form_record_multi(stage) {
    const { form, record, row, day } = await entered(stage)
    const sections = { visits: { rows: [{ eiRecordId: row, values: { [day]: '2026-03-02' } }] } }
    return { input: { form, record, sections }, varying }
  },
  async validate_form_record(stage) {
    const { form, title } = await made(stage)
    return { input: { form, values: { [title]: 'Gate' } } }
  },
  async validate_form_record_multi(stage) {
    const { form, title } = await made(stage)
    return { input: { form, primary: { values: { [title]: 'Gate' } } } }
  },
  async validate_form_record_multi_update(stage) {
    const { form, record, row } = await entered(stage)
    return { input: { form, record, sections: { visits: { deletedEIRecordIds: [row] } } } }
  },
  async list_form_shortcuts(stage) {
    const { form } = await kept(stage)
    return { input: { form }, varying: ['filterJson'] }
  },
  get_form_shortcut: ofShortcut,
  async create_form_shortcut(stage) {
    const { form, title } = await made(stage)
    return {
      input: { form, internalName: stage.unique('Mine'), filterJson: { rules: [{ property: title, op: 'isEmpty' }] } },
      varying: ['filterJson'],
    }
  },
  async update_form_shortcut(stage) {
    const { form, shortcut, filterJson } = await kept(stage)
    return { input: { form, shortcut, filterJson, isShared: true }, varying: ['filterJson'] }
  },
  delete_form_shortcut: ofShortcut,
  list_form_shortcut_records: ofShortcut,
}
