/** Records through forms: what a form says holds on the server, whatever is sent. */
import { beforeAll, describe, expect, it } from 'vitest'

import type { AppError } from '#platform/errors.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()

const options = (...names: string[]) => names.map((internalName) => ({ internalName }))
let count = 0

/** A form of orders with this layout beside its sections. */
async function form(layout: object, sections: object[]): Promise<string> {
  const internalName = `Form${++count}`
  await world.call('create_form', { entity: 'WorkOrder', internalName, isShared: true, layoutJson: { ...layout, sections } })
  return internalName
}

const fields = (...some: (string | object)[]) => ({
  type: 'detail',
  name: 'work',
  fields: some.map((one) => (typeof one === 'string' ? { property: one } : one)),
})

const issuesOf = ({ issues = [] }: AppError) => issues.map(({ path, message }) => `${path}: ${message}`)

beforeAll(async () => {
  await world.call('create_property', { internalName: 'Title', dataType: 'Text', maxValueOrLength: 40 })
  await world.call('create_property', { internalName: 'Status', dataType: 'Choice', propertyOptions: options('open', 'waiting', 'closed') })
  await world.call('create_property', { internalName: 'Reason', dataType: 'Text' })
  await world.call('create_property', { internalName: 'Hours', dataType: 'Number', minValueOrLength: 0 })
  await world.call('create_property', { internalName: 'Due', dataType: 'DateOnly' })
  await world.call('create_property', { internalName: 'By', dataType: 'Text' })
  await world.call('create_property', { internalName: 'Photo', dataType: 'Attachment' })
  await world.call('create_entity', { internalName: 'Site', properties: [{ property: 'Title' }, { property: 'Status' }] })
  await world.call('create_entity', {
    internalName: 'WorkOrder',
    properties: ['Title', 'Status', 'Reason', 'Hours', 'Due', 'By', 'Photo'].map((property) => ({ property })),
  })
  await world.call('attach_child_entity', { entity: 'Site', childEntity: 'WorkOrder', isList: true })
})

const create = (name: string, values: object, more: object = {}) => world.call('create_form_record', { form: name, values, ...more })
const refusedCreate = (name: string, values: object, more: object = {}) =>
  world.refusal('create_form_record', { form: name, values, ...more })

describe('a new record through a form', () => {
  it('has the values of the form, what is locked and what fields begin with', async () => {
    const name = await form({ lock: [{ property: 'Status', op: 'eq', value: 'open' }] }, [
      fields(
        'Title',
        { property: 'By', default: '[[$user.displayName]]', readOnly: true },
        { property: 'Due', default: '2026-03-01' },
        { property: 'Hours', default: { $expr: ['length', '[[WorkOrder.Title]]'] } },
      ),
    ])
    const made = await create(name, { Title: 'Gate' }, { key1: 'A-1' })
    const data = { Title: 'Gate', Status: 'open', By: 'admin', Due: '2026-03-01', Hours: 4 }
    expect(made).toMatchObject({ key1: 'A-1', outcome: 'inserted', data })
    const read = await world.call('get_form_record', { form: name, record: 'A-1' })
    expect(read).toMatchObject({ eiRecordId: made.eiRecordId, lockedFields: { Status: 'open' }, data, layoutVersion: 1, sections: {} })
    expect(Object.keys(read.data).toSorted()).toEqual(Object.keys(data).toSorted())
    // Said, a default gives way, also to nothing.
    expect((await create(name, { Title: 'x', Due: null, Hours: 9 })).data).toMatchObject({ Due: null, Hours: 9 })
  })

  it('is refused with every finding at its place', async () => {
    const name = await form({}, [fields({ property: 'Title', required: true }, 'Hours', { property: 'By', readOnly: true })])
    const error = await refusedCreate(name, { Hours: -1, By: 'me', Reason: 'none', Titel: 'x' })
    expect(error).toMatchObject({ status: 400 })
    expect(issuesOf(error)).toEqual([
      '$.values.Titel: The form has no property "Titel". describe_entity lists them.',
      '$.values.Hours: At least 0, got -1.',
      '$.values.By: By is read-only in the form. Leave it out.',
      '$.values.Reason: Reason is no field of the form. get_form_schema shows them.',
      '$.values.Title: Title is required.',
    ])
    expect(error.issues?.[0]?.suggestion).toBe('Title')
  })

  it('takes a value for a field only while it is shown, and asks for one only then', async () => {
    const closed = [{ property: 'Status', op: 'eq', value: 'closed' }]
    const name = await form({}, [
      fields(
        'Status',
        { property: 'Reason', visibleWhen: closed, required: true },
        { property: 'Due', requiredWhen: [{ property: 'Hours', op: 'gt', value: 3 }] },
        'Hours',
      ),
    ])
    expect(issuesOf(await refusedCreate(name, { Status: 'open', Reason: 'x' }))).toEqual([
      '$.values.Reason: Reason is hidden as the record stands. Leave it out, or change what hides it.',
    ])
    expect(issuesOf(await refusedCreate(name, { Status: 'closed' }))).toEqual(['$.values.Reason: Reason is required.'])
    expect(issuesOf(await refusedCreate(name, { Hours: 4 }))).toEqual(['$.values.Due: Due is required.'])
    expect((await create(name, { Status: 'closed', Reason: 'done', Hours: 3 })).data.Reason).toBe('done')
    const open = await create(name, { Status: 'open' })
    // What is there counts, and what is sent beside it.
    const record = String(open.eiRecordId)
    expect((await world.call('update_form_record', { form: name, record, values: { Status: 'closed', Reason: 'why' } })).data.Reason).toBe(
      'why',
    )
    expect((await world.call('update_form_record', { form: name, record, values: { Reason: 'because' } })).data.Reason).toBe('because')
    // Hidden again it keeps what it has.
    expect((await world.call('update_form_record', { form: name, record, values: { Status: 'open' } })).data.Reason).toBe('because')
  })

  it('gives a hidden field no default, and reads none of what is sent for one', async () => {
    const name = await form({}, [
      fields(
        'Status',
        { property: 'Reason', visibleWhen: [{ property: 'Status', op: 'eq', value: 'closed' }], default: 'late' },
        { property: 'By', visibleWhen: [{ property: 'Reason', op: 'eq', value: 'late' }], default: 'somebody' },
      ),
    ])
    expect((await create(name, { Status: 'open' })).data).toMatchObject({ Reason: null, By: null })
    expect((await create(name, { Status: 'closed' })).data).toMatchObject({ Reason: 'late', By: 'somebody' })
    expect(issuesOf(await refusedCreate(name, { Status: 'open', Reason: 'late', By: 'me' }))).toHaveLength(2)
  })

  it('takes the options that are offered as the record stands', async () => {
    const offered = [{ when: [{ property: 'Hours', op: 'gt', value: 0 }], options: ['waiting', 'closed'] }, { options: ['open'] }]
    const name = await form({}, [fields('Hours', { property: 'Status', optionsFilter: offered })])
    expect(issuesOf(await refusedCreate(name, { Status: 'closed' }))).toEqual([
      '$.values.Status: The form does not offer "closed" for Status as the record stands.',
    ])
    const made = await create(name, { Status: 'closed', Hours: 2 })
    // What it has may stay.
    const kept = await world.call('update_form_record', { form: name, record: made.eiRecordId, values: { Hours: 0, Status: 'closed' } })
    expect(kept.data).toEqual({ Status: 'closed', Hours: 0 })
  })

  it('reads conditions on the records above it', async () => {
    const name = await form({}, [
      fields('Title', { property: 'Reason', visibleWhen: [{ entity: 'Site', property: 'Status', op: 'eq', value: 'closed' }] }),
    ])
    await world.call('save_instances_bulk', {
      entity: 'Site',
      rows: [
        { key1: 'S-open', data: { Status: 'open' } },
        { key1: 'S-closed', data: { Status: 'closed' } },
      ],
    })
    const made = await create(name, { Reason: 'x' }, { parentKey1: 'S-closed' })
    expect(made.data.Reason).toBe('x')
    expect(await refusedCreate(name, { Reason: 'x' }, { parentKey1: 'S-open' })).toMatchObject({ status: 400 })
    expect(await refusedCreate(name, { Reason: 'x' })).toMatchObject({ status: 400 })
    const update = (values: object, more: object = {}) => ({ form: name, record: made.eiRecordId, values, ...more })
    expect((await world.call('update_form_record', update({ Reason: 'y' }))).data.Reason).toBe('y')
    expect(await world.refusal('update_form_record', update({ Reason: 'z' }, { parentKey1: 'S-open' }))).toMatchObject({ status: 400 })
  })

  it('takes files as the form asks for them', async () => {
    const upload = async (bytes: number, fileName: string) => {
      const content = Buffer.concat([Buffer.from('hello '), Buffer.alloc(bytes, 'a')])
      const { assetKey } = await world.call('upload_asset', { fileName, contentBase64: content.toString('base64') }, { transport: 'mcp' })
      return assetKey
    }
    const name = await form({}, [fields({ property: 'Photo', capture: { maxBytes: 2000, accept: ['txt'] } })])
    expect((await create(name, { Photo: await upload(100, 'a.txt') })).outcome).toBe('inserted')
    expect(issuesOf(await refusedCreate(name, { Photo: await upload(4000, 'b.txt') }))[0]).toContain('at most 0.00191 MiB')
    expect(issuesOf(await refusedCreate(name, { Photo: await upload(10, 'c.csv') }))[0]).toContain('takes files of type txt')
  })

  it('is not made twice under one key', async () => {
    const name = await form({}, [fields('Title')])
    await create(name, { Title: 'one' }, { key1: 'twice' })
    const error = await refusedCreate(name, { Title: 'two' }, { key1: 'twice' })
    expect(error).toMatchObject({ status: 409, code: 'already_exists' })
    expect((await world.call('get_form_record', { form: name, record: 'twice' })).data.Title).toBe('one')
  })
})

describe('the lock of a form', () => {
  it('lets nobody send another value, and reaches no other record', async () => {
    const lock = [
      { property: 'Status', op: 'eq', value: 'open' },
      { property: 'Hours', op: 'lt', value: 10 },
    ]
    const name = await form({ lock }, [fields('Title', 'Hours', 'Status')])
    const other = await world.call('save_instance', {
      entity: 'WorkOrder',
      key1: 'locked-out',
      data: { Title: 'x', Status: 'closed', Hours: 1 },
    })
    const made = await create(name, { Title: 'in', Hours: 2, Status: 'open' })
    expect(issuesOf(await refusedCreate(name, { Status: 'closed', Hours: 1 }))).toEqual([
      '$.values.Status: Status is locked to "open" by the form. Leave it out.',
    ])
    expect(issuesOf(await refusedCreate(name, { Hours: 12 }))).toEqual([
      '$: The record would not fulfil the lock of the form, which then would not reach it.',
    ])
    const update = (record: number, values: object) => ({ form: name, record, values })
    expect(await world.refusal('update_form_record', update(made.eiRecordId, { Status: 'closed' }))).toMatchObject({ status: 400 })
    expect(await world.refusal('update_form_record', update(made.eiRecordId, { Hours: 11 }))).toMatchObject({ status: 400 })
    expect((await world.call('update_form_record', update(made.eiRecordId, { Status: 'open', Title: 'still' }))).data.Title).toBe('still')
    for (const [operation, input] of [
      ['get_form_record', { form: name, record: other.eiRecordId }],
      ['get_form_record', { form: name, record: 'locked-out' }],
      ['update_form_record', update(other.eiRecordId, { Title: 'y' })],
      ['delete_form_record', { form: name, record: other.eiRecordId }],
    ] as const)
      expect(await world.refusal(operation, input), operation).toMatchObject({ status: 404 })
    const listed = await world.call('list_form_records', { form: name })
    const ids = listed.records.map((one: { eiRecordId: number }) => one.eiRecordId)
    expect(ids).toContain(made.eiRecordId)
    expect(ids).not.toContain(other.eiRecordId)
    expect(listed).toMatchObject({ lockedFields: { Status: 'open' }, page: 1, pageSize: 50, totalCount: ids.length })
  })

  it('takes its value from whoever calls', async () => {
    const name = await form({ lock: [{ property: 'By', op: 'eq', value: '[[$user.userName]]' }] }, [fields('Title', 'By')])
    const key = await world.tenant.keyWith(['DataView', 'DataEdit'])
    const { userName } = await world.call('whoami', {}, { key })
    const mine = await world.call('create_form_record', { form: name, values: { Title: 'mine' } }, { key })
    expect(mine.data.By).toBe(userName)
    expect(await world.refusal('get_form_record', { form: name, record: mine.eiRecordId })).toMatchObject({ status: 404 })
    expect((await world.call('list_form_records', { form: name }, { key })).records).toHaveLength(1)
    expect(await world.refusal('create_form_record', { form: name, values: { By: 'another' } }, key)).toMatchObject({ status: 400 })
  })

  it('without a value for its token reaches nothing and makes nothing', async () => {
    const name = await form({ lock: [{ property: 'By', op: 'ne', value: '[[$user.phone]]' }] }, [fields('Title')])
    expect(await world.call('list_form_records', { form: name })).toMatchObject({ records: [], totalCount: 0 })
    expect(await refusedCreate(name, { Title: 'x' })).toMatchObject({ status: 400 })
  })

  it('is that of a bound view, too, which gives lists their order', async () => {
    await world.call('save_view', {
      entity: 'WorkOrder',
      internalName: 'Waiting',
      isShared: true,
      viewJson: {
        filters: [{ property: 'Status', op: 'eq', value: 'waiting' }],
        sort: [{ property: 'Hours', direction: 'desc' }],
        pageSize: 2,
      },
    })
    const name = await form({ binding: { type: 'view', name: 'Waiting' } }, [fields('Title', 'Hours')])
    for (const Hours of [1, 3, 2]) expect((await create(name, { Hours })).data).toEqual({ Title: null, Status: 'waiting', Hours })
    const first = await world.call('list_form_records', { form: name })
    expect(first.records.map((one: { data: { Hours: number } }) => one.data.Hours)).toEqual([3, 2])
    expect(first).toMatchObject({ pageSize: 2, lockedFields: { Status: 'waiting' }, totalCount: 3 })
    const { nextCursor: cursor } = first
    const second = await world.call('list_form_records', { form: name, cursor })
    expect(second.records).toHaveLength(1)
    expect(second.page).toBeUndefined()
    const narrowed = await world.call('list_form_records', {
      form: name,
      filterRules: [{ property: 'Hours', op: 'gt', value: 1 }],
      properties: ['Hours'],
    })
    expect(narrowed.records.map((one: { data: object }) => one.data)).toEqual([{ Hours: 3 }, { Hours: 2 }])
  })
})

describe('a form', () => {
  it('allows what its layout allows', async () => {
    const name = await form({ allowNew: false, allowEdit: false, allowDelete: false }, [fields('Title')])
    const other = await world.call('save_instance', { entity: 'WorkOrder', data: { Title: 'x' } })
    const record = other.eiRecordId
    expect(await refusedCreate(name, { Title: 'x' })).toMatchObject({ status: 403 })
    expect(await world.refusal('update_form_record', { form: name, record, values: {} })).toMatchObject({ status: 403 })
    expect(await world.refusal('delete_form_record', { form: name, record })).toMatchObject({ status: 403 })
    const open = await form({}, [fields('Title')])
    expect(await world.call('delete_form_record', { form: open, record, dryRun: true })).toMatchObject({ deleted: false })
    expect(await world.call('delete_form_record', { form: open, record })).toEqual({
      eiRecordId: record,
      deleted: true,
      deletedChildren: 0,
    })
    expect(await world.refusal('delete_form_record', { form: open, record })).toMatchObject({ status: 404 })
  })

  it('deletes no record that left it, or lost the key that names it, while the call waited for it', async () => {
    const name = await form({ lock: [{ property: 'Status', op: 'eq', value: 'open' }] }, [fields('Title')])
    const save = async (key1: string, Status: string): Promise<number> =>
      (await world.call('save_instance', { entity: 'WorkOrder', key1, data: { Status } })).eiRecordId
    const [closed, byId, byKey] = [await save('shut', 'closed'), await save('leaving', 'open'), await save('renaming', 'open')]
    const { entity } = await world.call('describe_entity', { entity: 'WorkOrder' })
    const table = `t_${world.tenant.tenantId}.e_${entity.entityId}`
    const [{ column } = { column: '' }] = await world.sql<{ column: string }[]>`
      select 'c' || a.column_id as column from platform.entity_property a join platform.property p using (tenant_id, property_id)
      where a.tenant_id = ${world.tenant.tenantId} and a.entity_id = ${entity.entityId} and p.internal_name = 'Status'`
    /** What the call says that began while somebody held the record, which they change before they let it go. */
    const meanwhile = async (id: number, record: number | string, change: string): Promise<AppError> => {
      const { outcome } = await world.sql.begin(async (sql) => {
        await sql.unsafe(`select from ${table} where id = ${id} for update`)
        const refused = world.refusal('delete_form_record', { form: name, record })
        const waiting = () => world.sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`
        await expect.poll(waiting).toHaveLength(1)
        await sql.unsafe(`update ${table} set ${change} where id = ${id}`)
        return { outcome: refused }
      })
      return outcome
    }
    const gone = { status: 404, message: 'No such record in this form. list_form_records shows those that it reaches.' }
    const left = await meanwhile(byId, byId, `${column} = (select ${column} from ${table} where id = ${closed})`)
    expect(left).toMatchObject(gone)
    expect(await meanwhile(byKey, 'renaming', `key1 = 'renamed'`)).toMatchObject(gone)
    for (const [eiRecordId, key1] of [
      [byId, 'leaving'],
      [byKey, 'renamed'],
    ])
      expect(await world.call('get_instance', { entity: 'WorkOrder', record: eiRecordId })).toMatchObject({ eiRecordId, key1 })
  })

  it('refuses what was filled in for another layout with 422, and a key where an id is due', async () => {
    const name = await form({}, [fields('Title')])
    const { eiRecordId: record } = await create(name, { Title: 'x' }, { expectedLayoutVersion: 1, key1: 'by-id' })
    await world.call('update_form', { form: name, layoutJson: { sections: [fields('Title', 'Hours')] } })
    expect(await refusedCreate(name, {}, { expectedLayoutVersion: 1 })).toMatchObject({ status: 422, code: 'stale_layout' })
    const update = { form: name, record, values: {}, expectedLayoutVersion: 1 }
    expect(await world.refusal('update_form_record', update)).toMatchObject({ status: 422, code: 'stale_layout' })
    expect(await world.call('update_form_record', { ...update, expectedLayoutVersion: 2, values: { Hours: 1 } })).toMatchObject({
      outcome: 'updated',
    })
    expect(await world.refusal('update_form_record', { form: name, record: 'by-id', values: {} })).toMatchObject({ status: 422 })
  })

  it('refuses a lost update, and moves or renames a record as a save does', async () => {
    const name = await form({}, [fields('Title')])
    const made = await create(name, { Title: 'x' }, { key1: 'before' })
    const update = { form: name, record: made.eiRecordId, values: { Title: 'y' }, expectedRowHash: made.rowHash, key1: 'after' }
    expect(await world.call('update_form_record', update)).toMatchObject({ key1: 'after', data: { Title: 'y' } })
    expect(await world.refusal('update_form_record', { ...update, values: { Title: 'z' } })).toMatchObject({ status: 409 })
  })

  it('that names what is gone is 409 and says so', async () => {
    await world.call('create_property', { internalName: 'Gone', dataType: 'Text' })
    const { entityPropertyId } = await world.call('attach_property', { entity: 'WorkOrder', property: 'Gone' })
    const name = await form({}, [fields('Title', 'Gone')])
    await world.call('detach_property', { entity: 'WorkOrder', entityPropertyId, force: true })
    const error = await refusedCreate(name, { Title: 'x' })
    expect(error).toMatchObject({ status: 409 })
    expect(error.message).toContain('Gone')
  })
})

describe('checking what is filled in', () => {
  it('finds what a save finds, and writes nothing', async () => {
    const lock = [{ property: 'Status', op: 'eq', value: 'open' }]
    const name = await form({ lock }, [
      fields({ property: 'Title', required: true }, 'Hours', {
        property: 'Reason',
        visibleWhen: [{ property: 'Hours', op: 'gt', value: 3 }],
      }),
    ])
    const made = await create(name, { Title: 'there' }, { key1: 'checked' })
    const inputs: object[] = [
      { values: {} },
      { values: { Title: 'x', Hours: 'many', Reason: 'x' } },
      { values: { Title: 'x'.repeat(50), Status: 'closed', Nothing: 1 } },
      { values: { Title: 'x' }, key1: 'checked' },
      { values: { Title: 'x' }, parentKey1: 'nowhere' },
      { values: { Title: 'x' }, expectedLayoutVersion: 7 },
    ]
    const count = async () => (await world.call('count_instances', { entity: 'WorkOrder' })).count
    const before = await count()
    for (const input of inputs) {
      const error = await world.refusal('create_form_record', { form: name, ...input })
      const envelope = await world.call('validate_form_record', { form: name, ...input })
      expect(envelope).toMatchObject({ ok: false, valid: false })
      expect(envelope.issues).toEqual(error.issues)
    }
    expect(await world.call('validate_form_record', { form: name, values: { Title: 'fine' } })).toEqual({
      ok: true,
      valid: true,
      issues: [],
    })
    const eiRecordId = made.eiRecordId
    expect(await world.call('validate_form_record', { form: name, eiRecordId, values: { Title: 'new' } })).toMatchObject({ ok: true })
    expect(await world.call('validate_form_record', { form: name, eiRecordId, values: { Title: null } })).toMatchObject({ ok: false })
    expect(await world.call('validate_form_record', { form: name, values: 7, key1: 5 })).toMatchObject({ ok: false })
    expect(await count()).toBe(before)
    expect((await world.call('get_form_record', { form: name, record: 'checked' })).rowHash).toBe(made.rowHash)
  })
})

describe('access rules through a form', () => {
  it('hide, refuse and keep as they do elsewhere', async () => {
    await world.call('create_entity', { internalName: 'Case', properties: ['Title', 'Status', 'Reason'].map((property) => ({ property })) })
    const key = await world.tenant.keyWith(['DataView', 'DataEdit', 'DataDelete'])
    const { tenantUserId } = await world.call('whoami', {}, { key })
    const internalName = 'Cases'
    const sections = [fields('Title', 'Status', { property: 'Reason', required: true })]
    await world.call('create_form', { entity: 'Case', internalName, isShared: true, layoutJson: { sections } })
    const seen = await create(internalName, { Title: 'a', Status: 'open', Reason: 'secret' })
    const unseen = await create(internalName, { Title: 'b', Status: 'closed', Reason: 'secret' }, { key1: 'unseen' })
    const filter = [{ property: 'Status', op: 'in', value: ['open', 'waiting'] }]
    await world.call('set_entity_access', {
      entity: 'Case',
      rules: [
        { role: 'BuilderAdmin', read: true, create: true, edit: true, delete: true },
        { tenantUserId, read: true, edit: true, filter, hidden: ['Reason'], readOnly: ['Title'] },
        { role: 'DataImport', create: true },
      ],
    })
    const update = (record: number, values: object) => ['update_form_record', { form: internalName, record, values }, key] as const
    const read = await world.call('get_form_record', { form: internalName, record: seen.eiRecordId }, { key })
    expect(read).toMatchObject({ data: { Title: 'a', Reason: null }, withheld: ['Reason'] })
    expect((await world.call('list_form_records', { form: internalName }, { key })).records).toHaveLength(1)
    expect(await world.refusal('get_form_record', { form: internalName, record: unseen.eiRecordId }, key)).toMatchObject({ status: 404 })
    expect(await world.refusal(...update(unseen.eiRecordId, { Status: 'open' }))).toMatchObject({ status: 404 })
    expect(await world.refusal(...update(seen.eiRecordId, { Status: 'closed' }))).toMatchObject({ status: 403 })
    expect(await world.refusal(...update(seen.eiRecordId, { Title: 'mine' }))).toMatchObject({ status: 403 })
    expect(await world.refusal(...update(seen.eiRecordId, { Reason: 'guessed' }))).toMatchObject({ status: 403 })
    expect(await world.refusal('delete_form_record', { form: internalName, record: seen.eiRecordId }, key)).toMatchObject({ status: 403 })
    expect(await world.refusal('create_form_record', { form: internalName, values: { Status: 'open', Reason: 'x' } }, key)).toMatchObject({
      status: 403,
    })
    // A key that an unseen record holds is taken, and no more is said.
    const creator = await world.tenant.keyWith(['DataView', 'DataEdit', 'DataImport'])
    const taken = await world.call(
      'validate_form_record',
      { form: internalName, key1: 'unseen', values: { Title: 'x', Reason: 'y' } },
      { key: creator },
    )
    expect(taken.issues).toEqual([{ path: '$', severity: 'error', message: 'A record has this key already.' }])
    // What is withheld is not asked for.
    const [operation, input] = update(seen.eiRecordId, { Status: 'waiting' })
    expect(await world.call(operation, input, { key })).toMatchObject({ data: { Status: 'waiting', Reason: null } })
    expect((await world.call('get_instance', { entity: 'Case', record: seen.eiRecordId })).data.Reason).toBe('secret')
  })

  it('answer who may make a record and not read it that it is there', async () => {
    await world.call('create_entity', { internalName: 'Tip', properties: ['Title'].map((property) => ({ property })) })
    await world.call('create_form', { entity: 'Tip', internalName: 'Tips', isShared: true, layoutJson: { sections: [fields('Title')] } })
    const key = await world.tenant.keyWith(['DataView', 'DataEdit'])
    await world.call('set_entity_access', { entity: 'Tip', rules: [{ role: 'DataEdit', create: true }] })
    const made = await world.call('create_form_record', { form: 'Tips', values: { Title: 'x' } }, { key })
    expect(made).toMatchObject({ outcome: 'inserted', data: { Title: null }, withheld: ['Title'] })
  })
})
