/** A record with its rows through a form: all of it in one transaction, or nothing. */
import { beforeAll, describe, expect, it } from 'vitest'

import type { AppError } from '#platform/errors.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()

let count = 0
const field = (one: string | object) => (typeof one === 'string' ? { property: one } : one)
const detail = (...some: (string | object)[]) => ({ type: 'detail', name: 'head', fields: some.map(field) })
const list = (more: object, ...some: (string | object)[]) => ({
  type: 'list',
  name: 'lines',
  entity: 'Line',
  fields: some.map(field),
  ...more,
})

async function form(sections: object[], layout: object = {}): Promise<string> {
  const internalName = `Form${++count}`
  await world.call('create_form', { entity: 'Delivery', internalName, isShared: true, layoutJson: { ...layout, sections } })
  return internalName
}

const create = (name: string, primary: object, rows: object[] = []) =>
  world.call('create_form_record_multi', { form: name, primary: { values: primary }, sections: { lines: { rows } } })
const rowsOf = async (name: string, record: number) =>
  (await world.call('get_form_record', { form: name, record })).sections.lines.rows.map((row: { eiRecordId: number; data: object }) => ({
    id: row.eiRecordId,
    ...row.data,
  }))
const issuesOf = ({ issues = [] }: AppError) => issues.map(({ path, message }) => `${path}: ${message}`)
const total = async (entity: string) => (await world.call('count_instances', { entity })).count

beforeAll(async () => {
  const propertyOptions = ['goods', 'labour'].map((internalName) => ({ internalName }))
  for (const [internalName, dataType] of Object.entries({ Title: 'Text', Note: 'Text', Amount: 'Number', Kind: 'Choice' }))
    await world.call('create_property', { internalName, dataType, ...(dataType === 'Choice' ? { propertyOptions } : {}) })
  await world.call('create_entity', { internalName: 'Delivery', properties: ['Title', 'Note', 'Amount'].map((property) => ({ property })) })
  await world.call('create_entity', {
    internalName: 'Line',
    properties: ['Title', 'Note', 'Amount', 'Kind'].map((property) => ({ property })),
  })
  await world.call('create_entity', { internalName: 'Serial', properties: [{ property: 'Title' }] })
  await world.call('attach_child_entity', { entity: 'Delivery', childEntity: 'Line', isList: true })
  await world.call('attach_child_entity', { entity: 'Line', childEntity: 'Serial', isList: true })
})

describe('a record with its rows', () => {
  it('is made at once, each row under it with what the list fixes and begins with', async () => {
    const name = await form([
      detail('Title'),
      list({ filter: [{ property: 'Kind', op: 'eq', value: 'goods' }] }, 'Title', {
        property: 'Note',
        default: '[[Delivery.Title]]: [[$row.Title]]',
      }),
    ])
    const made = await create(name, { Title: 'D1' }, [{ key1: 'L1', values: { Title: 'one' } }, { values: { Title: 'two', Note: 'own' } }])
    expect(made).toMatchObject({ outcome: 'inserted', data: { Title: 'D1' } })
    const { rows } = made.sections.lines
    expect(rows.map((row: object) => ({ ...row, eiRecordId: 0, rowHash: '' }))).toEqual([
      { eiRecordId: 0, externalKey: 'L1', rowHash: '', outcome: 'inserted' },
      { eiRecordId: 0, externalKey: '', rowHash: '', outcome: 'inserted' },
    ])
    const read = await world.call('get_form_record', { form: name, record: made.eiRecordId })
    expect(read.sections.lines.lockedFields).toEqual({ Kind: 'goods' })
    expect(read.sections.lines.rows.map((row: { data: object; parentEIRecordId: number }) => [row.parentEIRecordId, row.data])).toEqual([
      [made.eiRecordId, { Title: 'one', Note: 'D1: one', Kind: 'goods' }],
      [made.eiRecordId, { Title: 'two', Note: 'own', Kind: 'goods' }],
    ])
  })

  it('changes, gains and loses rows in one save', async () => {
    const name = await form([detail('Title'), list({}, 'Title', 'Amount')])
    const made = await create(
      name,
      { Title: 'D2' },
      [1, 2, 3].map((Amount) => ({ values: { Title: 'row', Amount } })),
    )
    const [first, second, third] = made.sections.lines.rows.map((row: { eiRecordId: number }) => row.eiRecordId)
    await world.call('save_instance', { entity: 'Serial', parentEIRecordId: second, data: { Title: 'goes along' } })
    const saved = await world.call('update_form_record_multi', {
      form: name,
      record: made.eiRecordId,
      sections: {
        lines: { rows: [{ eiRecordId: third, values: { Amount: 30 } }, { values: { Amount: 4 } }], deletedEIRecordIds: [second] },
      },
    })
    expect(saved).toMatchObject({ outcome: 'skipped', sections: { lines: { deletedEIRecordIds: [second] } } })
    expect(saved.sections.lines.rows.map((row: { outcome: string }) => row.outcome)).toEqual(['updated', 'inserted'])
    expect(await rowsOf(name, made.eiRecordId)).toEqual([
      { id: first, Title: 'row', Amount: 1 },
      { id: third, Title: 'row', Amount: 30 },
      { id: expect.any(Number), Title: null, Amount: 4 },
    ])
    expect(await total('Serial')).toBe(0)
    const history = await world.call('get_instance_history', { entity: 'Delivery', record: made.eiRecordId })
    expect(history).toHaveLength(1)
  })

  it('is not saved at all where one row is wrong, and the findings name section and row', async () => {
    const name = await form([detail({ property: 'Title', required: true }), list({}, 'Title', { property: 'Amount', required: true })])
    await create(name, { Title: 'taken' }, [{ key1: 'TAKEN', values: { Amount: 1 } }])
    const before = [await total('Delivery'), await total('Line')]
    const sections = {
      lines: {
        rows: [
          { values: { Amount: 1 } },
          { values: { Title: 'x', Amonut: 2 } },
          { key1: 'TAKEN', values: { Amount: 3 } },
          { values: { Amount: 'four' } },
        ],
      },
    }
    const input = { form: name, primary: { values: { Title: 'fine' } }, sections }
    const error = await world.refusal('create_form_record_multi', input)
    expect(issuesOf(error).toSorted()).toEqual([
      '$.sections.lines.rows[1].values.Amonut: The form has no property "Amonut". describe_entity lists them.',
      '$.sections.lines.rows[1].values.Amount: Amount is required.',
      expect.stringMatching(/^\$\.sections\.lines\.rows\[2\]\.key1: Record \d+ has this key already\./),
      '$.sections.lines.rows[3].values.Amount: Expected a number, got "four".',
    ])
    expect((await world.call('validate_form_record_multi', input)).issues).toEqual(error.issues)
    expect(await world.refusal('create_form_record_multi', { ...input, primary: { values: {} }, sections: {} })).toMatchObject({
      issues: [expect.objectContaining({ path: '$.primary.values.Title' })],
    })
    expect(await world.refusal('create_form_record_multi', { ...input, sections: { linse: { rows: [] } } })).toMatchObject({
      issues: [expect.objectContaining({ path: '$.sections.linse', suggestion: 'lines' })],
    })
    expect([await total('Delivery'), await total('Line')]).toEqual(before)
  })

  it('has as many rows as the list asks for', async () => {
    const name = await form([detail('Title'), list({ min: 1, max: 2 }, 'Amount')])
    const rows = (n: number) => Array.from({ length: n }, () => ({ values: { Amount: 1 } }))
    const few = await world.refusal('create_form_record_multi', { form: name, primary: { values: {} } })
    expect(issuesOf(few)).toEqual(['$.sections.lines.rows: lines takes at least 1 row, and this makes 0.'])
    const many = await world.refusal('create_form_record_multi', { form: name, sections: { lines: { rows: rows(3) } } })
    expect(issuesOf(many)).toEqual(['$.sections.lines.rows: lines takes at most 2 rows. Leave some out.'])
    const made = await create(name, {}, rows(2))
    const [first, second] = made.sections.lines.rows.map((row: { eiRecordId: number }) => row.eiRecordId)
    const update = (lines: object) => ({ form: name, record: made.eiRecordId, sections: { lines } })
    const lose = update({ deletedEIRecordIds: [first, second] })
    expect(issuesOf(await world.refusal('update_form_record_multi', lose))[0]).toContain('at least 1 row')
    expect((await world.call('validate_form_record_multi_update', lose)).ok).toBe(false)
    expect(issuesOf(await world.refusal('update_form_record_multi', update({ rows: rows(1) })))[0]).toContain('at most 2 rows')
    // One goes and one comes.
    expect(await world.call('update_form_record_multi', update({ rows: rows(1), deletedEIRecordIds: [first] }))).toMatchObject({
      outcome: 'skipped',
    })
    // The record alone says nothing of its rows.
    expect(await world.call('create_form_record', { form: name, values: {} })).toMatchObject({ outcome: 'inserted' })
  })

  it('takes rows only as the list and the roles of the caller allow', async () => {
    const closed = await form([detail('Title'), list({ allowAdd: false, allowEdit: false, allowDelete: false }, 'Amount')])
    const open = await form([detail('Title'), list({}, 'Amount')])
    const made = await create(open, {}, [{ values: { Amount: 1 } }])
    const [row] = made.sections.lines.rows.map((one: { eiRecordId: number }) => one.eiRecordId)
    const update = (name: string, lines: object) =>
      ['update_form_record_multi', { form: name, record: made.eiRecordId, sections: { lines } }] as const
    for (const lines of [{ rows: [{ values: {} }] }, { rows: [{ eiRecordId: row, values: {} }] }, { deletedEIRecordIds: [row] }])
      expect(await world.refusal(...update(closed, lines))).toMatchObject({ status: 403 })
    const key = await world.tenant.keyWith(['DataView', 'DataEdit'])
    expect(await world.refusal(...update(open, { deletedEIRecordIds: [row] }), key)).toMatchObject({ status: 403 })
    const [operation, input] = update(open, { rows: [{ eiRecordId: row, values: { Amount: 2 } }] })
    expect(await world.call(operation, input, { key })).toMatchObject({ sections: { lines: { rows: [{ outcome: 'updated' }] } } })
  })

  it('reaches no row of another record or outside the filter of the list', async () => {
    const goods = await form([
      detail('Title'),
      list(
        {
          filter: [
            { property: 'Kind', op: 'eq', value: 'goods' },
            { property: 'Amount', op: 'gt', value: 0 },
          ],
        },
        'Amount',
      ),
    ])
    const all = await form([detail('Title'), list({}, 'Amount', 'Kind')])
    const made = await create(all, {}, [{ values: { Amount: 1, Kind: 'labour' } }, { values: { Amount: 1, Kind: 'goods' } }])
    const other = await create(all, {}, [{ values: { Amount: 1, Kind: 'goods' } }])
    const [labour, own] = made.sections.lines.rows.map((one: { eiRecordId: number }) => one.eiRecordId)
    const foreign = other.sections.lines.rows[0].eiRecordId
    const update = (lines: object) =>
      world.refusal('update_form_record_multi', { form: goods, record: made.eiRecordId, sections: { lines } })
    for (const id of [labour, foreign, 999_999_999]) {
      expect(issuesOf(await update({ rows: [{ eiRecordId: id, values: { Amount: 2 } }] }))).toEqual([
        `$.sections.lines.rows[0].eiRecordId: ${id} is no row of lines of this record. get_form_record shows its rows.`,
      ])
      expect(await update({ deletedEIRecordIds: [id] })).toMatchObject({ status: 400 })
    }
    expect(issuesOf(await update({ rows: [{ eiRecordId: own, values: { Amount: 0 } }] }))).toEqual([
      '$.sections.lines.rows[0]: The row does not fulfil the filter of lines.',
    ])
    expect(issuesOf(await update({ rows: [{ eiRecordId: own, values: {} }], deletedEIRecordIds: [own] }))[0]).toContain('to be deleted')
    expect(issuesOf(await update({ rows: [{ values: { Amount: 1 }, parentEIRecordId: other.eiRecordId }] }))[0]).toContain(
      'Leave its parent out',
    )
    expect(await rowsOf(goods, made.eiRecordId)).toEqual([{ id: own, Amount: 1, Kind: 'goods' }])
  })

  it('names each row once, in whichever of its lists, so that conditions are asked of all that changes', async () => {
    const isLabour = [{ property: 'Kind', op: 'eq', value: 'labour' }]
    const note = { property: 'Note', visibleWhen: isLabour }
    const name = await form([detail('Title'), list({}, 'Title', 'Kind', note), { ...list({}, 'Kind', note), name: 'others' }])
    const made = await create(name, { Title: 'two lists' }, [{ values: { Kind: 'labour' } }, { values: { Kind: 'labour' } }])
    const [row, second] = made.sections.lines.rows.map((one: { eiRecordId: number }) => one.eiRecordId)
    const kind = { eiRecordId: row, values: { Kind: 'goods' } }
    const hidden = { eiRecordId: row, values: { Note: 'hidden' } }
    const again = `${row} is named in lines already. Name a row once, with all that changes of it.`
    const cases: [object, string][] = [
      [{ lines: { rows: [kind] }, others: { rows: [hidden] } }, '$.sections.others.rows[0].eiRecordId'],
      [{ lines: { rows: [kind] }, others: { deletedEIRecordIds: [second, row] } }, '$.sections.others.deletedEIRecordIds[1]'],
      [{ lines: { deletedEIRecordIds: [row] }, others: { rows: [hidden] } }, '$.sections.others.rows[0].eiRecordId'],
    ]
    for (const [sections, at] of cases) {
      const error = await world.refusal('update_form_record_multi', { form: name, record: made.eiRecordId, sections })
      expect([error.status, issuesOf(error)]).toEqual([400, [`${at}: ${again}`]])
    }
    const kept = async () => (await rowsOf(name, made.eiRecordId)).map((one: { Kind: string; Note: string }) => [one.Kind, one.Note])
    expect(await kept()).toEqual([
      ['labour', null],
      ['labour', null],
    ])
    const sections = { lines: { rows: [kind] }, others: { rows: [{ eiRecordId: second, values: { Note: 'shown' } }] } }
    await world.call('update_form_record_multi', { form: name, record: made.eiRecordId, sections })
    expect(await kept()).toEqual([
      ['goods', null],
      ['labour', 'shown'],
    ])
  })

  it('decides on the record by its rows as they will be, and on rows by the record', async () => {
    const isLabour = { groups: [{ entity: 'Line', rules: [{ property: 'Kind', op: 'eq', value: 'labour' }] }] }
    const name = await form([
      detail('Title', { property: 'Note', visibleWhen: isLabour, required: true }),
      list({ visibleWhen: [{ property: 'Title', op: 'isNotEmpty' }] }, 'Kind', {
        property: 'Note',
        visibleWhen: [{ entity: 'Delivery', property: 'Title', op: 'startsWith', value: 'long' }],
      }),
    ])
    const refused = (primary: object, rows: object[]) =>
      world.refusal('create_form_record_multi', { form: name, primary: { values: primary }, sections: { lines: { rows } } }).then(issuesOf)
    expect(await refused({ Title: 'x' }, [{ values: { Kind: 'labour' } }])).toEqual(['$.primary.values.Note: Note is required.'])
    expect(await refused({ Title: 'x', Note: 'y' }, [{ values: { Kind: 'goods' } }])).toHaveLength(1)
    expect(await refused({}, [{ values: { Kind: 'goods' } }])).toEqual([
      '$.sections.lines: The section lines is hidden as the record stands. Leave it out, or change what hides it.',
    ])
    expect(await refused({ Title: 'short' }, [{ values: { Kind: 'goods', Note: 'x' } }])).toHaveLength(1)
    const made = await create(name, { Title: 'long one', Note: 'there is labour' }, [{ values: { Kind: 'labour', Note: 'x' } }])
    const row = made.sections.lines.rows[0].eiRecordId
    const update = (more: object) => ({ form: name, record: made.eiRecordId, ...more })
    // Through the record alone its rows count as they are.
    expect((await world.call('update_form_record', update({ values: { Note: 'still' } }))).data.Note).toBe('still')
    const gone = update({ primary: { values: { Note: 'z' } }, sections: { lines: { deletedEIRecordIds: [row] } } })
    expect(issuesOf(await world.refusal('update_form_record_multi', gone))[0]).toContain('Note is hidden')
    const changed = update({
      primary: { values: { Note: null } },
      sections: { lines: { rows: [{ eiRecordId: row, values: { Kind: 'goods' } }] } },
    })
    expect(issuesOf(await world.refusal('update_form_record_multi', changed))[0]).toContain('Note is hidden')
  })

  it('is saved by one of two who change it at once, and the other is told', async () => {
    const name = await form([detail('Title'), list({ max: 3 }, 'Amount')])
    const made = await create(name, { Title: 'busy' }, [{ values: { Amount: 0 } }])
    const rows = [1, 2].map((Amount) => ({ values: { Amount } }))
    const results = await Promise.allSettled(
      Array.from({ length: 4 }, () =>
        world.call('update_form_record_multi', { form: name, record: made.eiRecordId, sections: { lines: { rows } } }),
      ),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of results) if (one.status === 'rejected') expect(one.reason).toMatchObject({ status: 400 })
    expect(await rowsOf(name, made.eiRecordId)).toHaveLength(3)
  })

  it('refuses rows whose access rules do, and keeps the rest, too', async () => {
    const name = await form([detail('Title'), list({}, 'Amount', 'Kind')])
    const made = await create(name, { Title: 'ruled' }, [
      { values: { Amount: 1, Kind: 'goods' } },
      { values: { Amount: 1, Kind: 'labour' } },
    ])
    const [goods, labour] = made.sections.lines.rows.map((one: { eiRecordId: number }) => one.eiRecordId)
    const key = await world.tenant.keyWith(['DataView', 'DataEdit', 'DataDelete'])
    const { tenantUserId } = await world.call('whoami', {}, { key })
    const filter = [{ property: 'Kind', op: 'eq', value: 'goods' }]
    await world.call('set_entity_access', {
      entity: 'Line',
      rules: [
        { role: 'BuilderAdmin', read: true, create: true, edit: true, delete: true },
        { tenantUserId, read: true, edit: true, filter },
      ],
    })
    const update = (lines: object) =>
      [
        'update_form_record_multi',
        { form: name, record: made.eiRecordId, primary: { values: { Title: 'changed' } }, sections: { lines } },
        key,
      ] as const
    expect(await world.refusal(...update({ rows: [{ eiRecordId: labour, values: { Amount: 2 } }] }))).toMatchObject({ status: 400 })
    expect(await world.refusal(...update({ rows: [{ values: { Amount: 2, Kind: 'goods' } }] }))).toMatchObject({ status: 403 })
    expect(await world.refusal(...update({ deletedEIRecordIds: [goods] }))).toMatchObject({ status: 403 })
    expect(await world.refusal(...update({ rows: [{ eiRecordId: goods, values: { Kind: 'labour' } }] }))).toMatchObject({ status: 403 })
    const read = await world.call('get_form_record', { form: name, record: made.eiRecordId }, { key })
    expect(read).toMatchObject({ data: { Title: 'ruled' }, sections: { lines: { rows: [{ eiRecordId: goods }] } } })
    expect(read.sections.lines.rows).toHaveLength(1)
    await world.call('set_entity_access', { entity: 'Line', rules: [] })
  })
})
