import { describe, expect, it } from 'vitest'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world
let count = 0
const unique = (prefix: string) => `${prefix}${++count}`

interface Field {
  readonly property: string
  readonly control: string
  readonly span: number
  readonly readOnly?: boolean
  readonly required?: boolean
}

const property = (internalName: string, dataType: string, more = {}) => world.call('create_property', { internalName, dataType, ...more })
const optionsOf = (...internalNames: string[]) => internalNames.map((internalName) => ({ internalName }))

describe('get_form_schema', () => {
  async function arranged() {
    const [entity, child, title] = [unique('Order'), unique('Visit'), unique('Title')]
    const [status, photo, note] = [unique('Status'), unique('Photo'), unique('Note')]
    await property(title, 'Text', {
      maxValueOrLength: 40,
      regEx: '^[A-Z]',
      displays: [
        { languageCode: 'en-US', name: 'What', description: 'In a few words' },
        { languageCode: 'de-DE', name: 'Was' },
      ],
    })
    await property(status, 'Choice', {
      propertyOptions: [
        {
          internalName: 'open',
          displays: [
            { languageCode: 'de-DE', name: 'offen' },
            { languageCode: 'en-US', name: 'Open' },
          ],
        },
        ...optionsOf('closed', 'void'),
      ],
    })
    await property(photo, 'Attachment', { allowedFileTypes: ['jpg'] })
    await property(note, 'Text')
    await world.call('create_entity', { internalName: child, properties: [{ property: note, isRequired: true }, { property: photo }] })
    await world.call('create_entity', {
      internalName: entity,
      properties: [
        { property: title, isRequired: true },
        { property: status },
        { property: photo, isList: true },
        { property: note, isRequired: true },
      ],
    })
    await world.call('attach_child_entity', { entity, childEntity: child, isList: true })
    const open = [{ property: status, op: 'eq', value: 'open' }]
    const layoutJson = {
      lock: open,
      pages: 'section',
      sections: [
        {
          type: 'detail',
          name: 'main',
          title: { de: 'Die Arbeit', en: 'The work' },
          fields: [
            { property: title, span: 6, channels: ['web'] },
            { property: status, optionsFilter: [{ when: [{ property: title, op: 'isNotEmpty' }], options: ['open', 'closed'] }] },
            { property: photo, control: 'photo', capture: { maxEdge: 1_000 }, visibleWhen: open },
          ],
        },
        {
          type: 'list',
          name: 'visits',
          entity: child,
          max: 5,
          fields: [{ property: note, label: 'Report', help: 'By [[$user.displayName]]' }, { property: photo }],
          sort: [{ property: note, direction: 'asc' }],
        },
      ],
    }
    const form = unique('Form')
    const made = await world.call('create_form', { entity, internalName: form, isShared: true, layoutJson })
    return { entity, child, title, status, photo, note, form, made, open }
  }

  it('tells everything that is needed to fill it in', async () => {
    const of = await arranged()
    const schema = await world.call('get_form_schema', { form: of.form })
    const id = expect.any(Number)
    expect(schema).toEqual({
      form: of.made,
      pages: 'section',
      channels: ['web', 'mobile', 'rich'],
      sections: [
        { type: 'detail', name: 'main', title: 'The work' },
        { type: 'list', name: 'visits' },
      ],
      fields: [
        {
          property: of.title,
          entityPropertyId: id,
          dataType: 'Text',
          isList: false,
          section: 'main',
          label: 'What',
          help: 'In a few words',
          control: 'text',
          span: 6,
          isRequired: true,
          isReadOnly: false,
          isSensitive: false,
          regEx: '^[A-Z]',
          maxValueOrLength: 40,
          channels: ['web'],
        },
        {
          property: of.status,
          entityPropertyId: id,
          dataType: 'Choice',
          isList: false,
          section: 'main',
          label: of.status,
          control: 'select',
          span: 12,
          isRequired: false,
          isReadOnly: true,
          isSensitive: false,
          options: [
            { internalName: 'open', name: 'Open' },
            { internalName: 'closed', name: 'closed' },
          ],
          optionsFilter: [{ when: [{ property: of.title, op: 'isNotEmpty' }], options: ['open', 'closed'] }],
        },
        {
          property: of.photo,
          entityPropertyId: id,
          dataType: 'Attachment',
          isList: true,
          section: 'main',
          label: of.photo,
          control: 'photo',
          span: 12,
          isRequired: false,
          isReadOnly: false,
          isSensitive: false,
          visibleWhen: of.open,
          capture: { maxBytes: 26_214_400, source: 'any', accept: ['jpg'], maxEdge: 1_000 },
        },
      ],
      listSections: [
        {
          name: 'visits',
          entity: of.child,
          entityId: id,
          columns: [of.note, of.photo],
          fields: [
            expect.objectContaining({ property: of.note, section: 'visits', label: 'Report', help: 'By [[$user.displayName]]' }),
            expect.objectContaining({ property: of.photo, control: 'file' }),
          ],
          min: 0,
          max: 5,
          allowAdd: true,
          allowEdit: true,
          allowDelete: true,
          sort: [{ property: of.note, direction: 'asc' }],
          lockedFields: {},
          hiddenRequired: [],
        },
      ],
      lockedFields: { [of.status]: 'open' },
      hiddenRequired: [of.note],
      storageCascade: [
        { section: 'main', property: of.photo, level: 'tenant', storageShortcut: null },
        { section: 'visits', property: of.photo, level: 'tenant', storageShortcut: null },
      ],
    })
  })

  it('speaks the language that is asked for, else the caller’s', async () => {
    const of = await arranged()
    const texts = async (more = {}, key?: string) => {
      const { sections, fields } = await world.call('get_form_schema', { form: of.form, ...more }, key === undefined ? {} : { key })
      return [sections[0].title, fields[0].label, fields[1].options[0].name, fields[0].help]
    }
    expect(await texts()).toEqual(['The work', 'What', 'Open', 'In a few words'])
    expect((await texts({ languageCode: 'de-DE' })).slice(0, 3)).toEqual(['Die Arbeit', 'Was', 'offen'])
    const unknown = await refusal('get_form_schema', { form: of.form, languageCode: 'xx' })
    expect([unknown.status, unknown.issues?.[0]?.path]).toEqual([400, '$.languageCode'])
  })

  it('tells of a lock by a token of the caller what it is for whoever asks', async () => {
    const of = await arranged()
    const layoutJson = {
      lock: [{ property: of.note, op: 'eq', value: '[[$user.userName]]' }],
      sections: [
        { type: 'detail', name: 'main', fields: [{ property: of.title }, { property: of.note }] },
        {
          type: 'list',
          name: 'rows',
          entity: of.child,
          filter: [{ property: of.note, op: 'eq', value: '[[$user.userName]]' }],
          fields: [{ property: of.note }],
        },
      ],
    }
    await world.call('update_form', { form: of.form, layoutJson })
    const { lockedFields, listSections, fields } = await world.call('get_form_schema', { form: of.form })
    const { userName } = await world.call('whoami')
    expect([lockedFields, listSections[0].lockedFields, fields[1].isReadOnly]).toEqual([
      { [of.note]: userName },
      { [of.note]: userName },
      true,
    ])
  })

  it('marks what the caller’s access withholds or keeps from writing', async () => {
    const of = await arranged()
    const key = await world.tenant.keyWith(['DataView', 'DataEdit'])
    const rule = { role: 'DataEdit', read: true, edit: true, create: true }
    await world.call('set_entity_access', { entity: of.entity, rules: [{ ...rule, hidden: [of.photo], readOnly: [of.title] }] })
    const { fields } = await world.call('get_form_schema', { form: of.form }, { key })
    expect(fields.map((field: { isReadOnly: boolean; isWithheld?: boolean }) => [field.isReadOnly, field.isWithheld])).toEqual([
      [true, undefined],
      [true, undefined],
      [true, true],
    ])
  })

  it('is 409 for a form that names what is gone, with the place', async () => {
    const of = await arranged()
    await world.call('detach_child_entity', { entity: of.entity, childEntity: of.child, force: true })
    const error = await refusal('get_form_schema', { form: of.form })
    expect([error.status, error.code, error.issues?.[0]?.path]).toEqual([
      409,
      'conflict',
      expect.stringContaining('$.layoutJson.sections[1]'),
    ])
  })
})

describe('generate_form', () => {
  const drafted = async (entity: string) => (await world.call('generate_form', { entity })).layout

  it('draws what a person would keep: keys first, long texts wide, files last, numbers read-only, a list for each child', async () => {
    const [code, notes, photo, sign, status] = [unique('Code'), unique('Notes'), unique('Photo'), unique('Sign'), unique('Status')]
    const [kind, tags, due, price, done] = [unique('Kind'), unique('Tags'), unique('Due'), unique('Price'), unique('Done')]
    const [mail, numbered, long, clip] = [unique('Mail'), unique('Number'), unique('Long'), unique('Clip')]
    await property(notes, 'Text')
    await property(photo, 'Attachment', { allowedFileTypes: ['jpg', 'png'] })
    await property(sign, 'Signature')
    await property(code, 'Text', { maxValueOrLength: 20 })
    await property(status, 'Choice', { propertyOptions: optionsOf('a', 'b', 'c') })
    await property(kind, 'Choice', { propertyOptions: optionsOf('a', 'b', 'c', 'd', 'e') })
    await property(tags, 'Choice', { propertyOptions: optionsOf('a', 'b') })
    await property(due, 'DateOnly')
    await property(price, 'Currency')
    await property(done, 'Boolean')
    await property(mail, 'Text', { isIdentityEmail: true })
    await property(numbered, 'Text')
    await property(long, 'Text', { maxValueOrLength: 2_000 })
    await property(clip, 'Attachment', { allowedFileTypes: ['mp4'] })
    const [entity, child, empty] = [unique('Order'), unique('Visit'), unique('Empty')]
    await world.call('create_entity', {
      internalName: child,
      displays: [
        { languageCode: 'en-US', name: 'Visits' },
        { languageCode: 'de-DE', name: 'Besuche' },
      ],
      properties: [{ property: photo }, { property: notes }, { property: due, isRequired: true }, { property: status }],
    })
    await world.call('create_entity', { internalName: empty, properties: [] })
    await world.call('create_entity', {
      internalName: entity,
      properties: [
        ...[notes, photo, sign, status, kind].map((one) => ({ property: one })),
        { property: tags, isList: true },
        { property: due, isRequired: true },
        ...[price, done, mail, long, clip].map((one) => ({ property: one })),
        { property: code, keyPart: 1 },
      ],
    })
    await world.call('attach_property', { entity, property: numbered, numbering: { prefix: 'N-', digits: 4 } })
    for (const childEntity of [child, empty]) await world.call('attach_child_entity', { entity, childEntity, isList: true })
    const layout = await drafted(entity)
    const sections = layout.sections.map((one: { name: string; fields: Field[] }) => [
      one.name,
      one.fields.map((field) => [field.property, field.control, field.span, ...(field.readOnly ? ['readOnly'] : [])].join(' ')),
    ])
    expect(sections).toEqual([
      ['main', [`${code} text 6`, `${numbered} text 12 readOnly`, `${due} date 6`]],
      [
        'more',
        [`${status} radio 6`, `${kind} select 6`, `${tags} checkboxes 12`, `${price} currency 6`, `${done} toggle 6`, `${mail} email 6`],
      ],
      ['notes', [`${notes} longText 12`, `${long} longText 12`]],
      ['files', [`${photo} photo 12`, `${sign} signature 12`, `${clip} video 12`]],
      [child.charAt(0).toLowerCase() + child.slice(1), [`${due} date 6`, `${status} radio 6`, `${notes} longText 12`, `${photo} photo 12`]],
    ])
    expect(layout).toMatchObject({ internalName: `${entity}Form`, entity, pages: 'section' })
    expect(layout.sections.at(-1)).toMatchObject({
      type: 'list',
      entity: child,
      title: { 'en-US': 'Visits', 'de-DE': 'Besuche' },
      columns: [due, status],
    })
    // It is kept as it is, and the next one has another name.
    const made = await world.call('create_form', { entity, layoutJson: layout })
    expect([made.internalName, made.validation]).toEqual([`${entity}Form`, null])
    expect((await drafted(entity)).internalName).toBe(`${entity}Form2`)
  })

  it('keeps a small entity in one section, and says what to do where there is nothing to ask', async () => {
    const [entity, title, when] = [unique('Note'), unique('Title'), unique('When')]
    await property(title, 'Text', { maxValueOrLength: 40 })
    await property(when, 'DateTime')
    await world.call('create_entity', { internalName: entity, properties: [{ property: when }, { property: title }] })
    expect((await drafted(entity)).sections).toEqual([
      {
        type: 'detail',
        name: 'main',
        title: expect.objectContaining({ en: 'Main details' }),
        fields: [
          { property: when, control: 'dateTime', span: 6 },
          { property: title, control: 'text', span: 6 },
        ],
      },
    ])
    const bare = unique('Bare')
    await world.call('create_entity', { internalName: bare, properties: [] })
    const error = await refusal('generate_form', { entity: bare })
    expect([error.status, error.message]).toEqual([409, expect.stringContaining('attach_property')])
  })

  it('draws a sound layout of an entity as large as they come, with children that lead back to it', async () => {
    const [entity, child] = [unique('Wide'), unique('Child')]
    const names = Array.from({ length: 299 }, (_, n) => `${entity}P${n}`)
    const note = `${entity}Note`
    const properties = [...names, note].map((internalName, n) => ({ internalName, dataType: n % 3 === 0 || n === 299 ? 'Text' : 'Number' }))
    await world.call('import_catalog', {
      properties,
      entities: [
        {
          internalName: entity,
          properties: names.map((one) => ({ property: one })),
          children: [{ childEntity: entity }, { childEntity: child }],
        },
        { internalName: child, properties: [...names.slice(0, 200), note].map((one) => ({ property: one, isRequired: one === note })) },
      ],
    })
    const layout = await drafted(entity)
    const issues = (await world.call('validate_form', { entity, layoutJson: layout })).issues
    expect(issues).toEqual([])
    expect(layout.sections.filter((one: { type: string }) => one.type === 'list').map((one: { entity: string }) => one.entity)).toEqual([
      entity,
      child,
    ])
    expect(layout.sections.at(-1).fields).toHaveLength(41)
  })
})
