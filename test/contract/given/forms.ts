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

export const given: Given = {
  async validate_form(stage) {
    const { entity, layoutJson } = await made(stage)
    return { input: { entity, internalName: stage.unique('Mine'), layoutJson } }
  },
}
