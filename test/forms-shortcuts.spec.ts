/** Shortcuts: filters that are kept under a form. */
import { beforeAll, describe, expect, it } from 'vitest'

import { useWorld } from './support/world.ts'

const world = useWorld()
const form = 'OrderForm'
const create = (internalName: string, filterJson: unknown, more: object = {}, key?: string) =>
  world.call('create_form_shortcut', { form, internalName, filterJson, ...more }, key === undefined ? {} : { key })
const titles = async (shortcut: string, more: object = {}, key?: string) => {
  const { records } = await world.call('list_form_shortcut_records', { form, shortcut, ...more }, key === undefined ? {} : { key })
  return records.map((one: { data: { Title: string } }) => one.data.Title).toSorted()
}

beforeAll(async () => {
  const propertyOptions = ['open', 'closed'].map((internalName) => ({ internalName }))
  await world.call('create_property', { internalName: 'Title', dataType: 'Text' })
  await world.call('create_property', { internalName: 'By', dataType: 'Text' })
  await world.call('create_property', { internalName: 'Status', dataType: 'Choice', propertyOptions })
  const properties = ['Title', 'By', 'Status'].map((property) => ({ property }))
  await world.call('create_entity', { internalName: 'WorkOrder', properties })
  const sections = [{ type: 'detail', name: 'work', fields: [{ property: 'Title' }, { property: 'By' }] }]
  const lock = [{ property: 'Status', op: 'eq', value: 'open' }]
  for (const internalName of [form, 'Other'])
    await world.call('create_form', { entity: 'WorkOrder', internalName, isShared: true, layoutJson: { lock, sections } })
  await world.call('save_instances_bulk', {
    entity: 'WorkOrder',
    rows: [
      { data: { Title: 'a', By: 'ana', Status: 'open' } },
      { data: { Title: 'b', By: 'admin', Status: 'open' } },
      { data: { Title: 'c', By: 'admin', Status: 'closed' } },
    ],
  })
})

describe('a shortcut', () => {
  it('narrows what the form reaches, never widens it', async () => {
    const made = await create('OfAna', { rules: [{ property: 'By', op: 'eq', value: 'ana' }] }, { description: 'Hers', isShared: true })
    expect(made).toMatchObject({
      internalName: 'OfAna',
      description: 'Hers',
      isShared: true,
      isApiVisible: true,
      ownerName: 'admin',
      validation: null,
    })
    expect(await titles('OfAna')).toEqual(['a'])
    expect(await titles(String(made.entityFormShortcutId))).toEqual(['a'])
    await create('Closed', [{ property: 'Status', op: 'eq', value: 'closed' }])
    expect(await titles('Closed')).toEqual([])
    await create('Whole', { rules: [] })
    expect(await titles('Whole')).toEqual(['a', 'b'])
    expect(await titles('Whole', { filterRules: [{ property: 'By', op: 'eq', value: 'admin' }] })).toEqual(['b'])
    const page = await world.call('list_form_shortcut_records', { form, shortcut: 'Whole', pageSize: 1 })
    expect(page).toMatchObject({ lockedFields: { Status: 'open' }, page: 1, pageSize: 1, totalCount: 2 })
    expect(page.records).toHaveLength(1)
  })

  it('takes values from whoever calls, and finds nothing where a token has none', async () => {
    await create('Mine', '{"rules":[{"property":"By","op":"eq","value":"[[$user.userName]]"}]}', { isShared: true })
    expect(await titles('Mine')).toEqual(['b'])
    await create('MyPhone', [{ property: 'By', op: 'ne', value: '[[$user.phone]]' }])
    expect(await titles('MyPhone')).toEqual([])
  })

  it('is refused where it names what is not there', async () => {
    const error = await world.refusal('create_form_shortcut', {
      form,
      internalName: 'Bad',
      filterJson: [{ property: 'Bye', op: 'eq', value: 'x' }],
    })
    expect(error).toMatchObject({ status: 400, code: 'unknown_property' })
    expect(error.issues).toMatchObject([{ path: '$.filterJson.rules[0].property', suggestion: 'By' }])
    expect(await world.refusal('create_form_shortcut', { form, internalName: 'Bad', filterJson: '[' })).toMatchObject({ status: 400 })
    await create('Twice', [])
    expect(await world.refusal('create_form_shortcut', { form, internalName: 'twice', filterJson: [] })).toMatchObject({ status: 409 })
  })

  it('is one of its form, and seen by its owner and builders unless it is shared', async () => {
    const key = await world.tenant.keyWith(['DataView', 'DataEdit'])
    await create('Private', [], {}, key)
    const other = await world.tenant.keyWith(['DataView', 'DataEdit'])
    const names = async (of: string) =>
      (await world.call('list_form_shortcuts', { form }, { key: of })).map((one: { internalName: string }) => one.internalName)
    expect(await names(key)).toContain('Private')
    expect(await names(other)).not.toContain('Private')
    expect(await names(other)).toContain('Mine')
    expect(await world.refusal('list_form_shortcut_records', { form, shortcut: 'Private' }, other)).toMatchObject({ status: 404 })
    expect(await world.refusal('get_form_shortcut', { form: 'Other', shortcut: 'Private' })).toMatchObject({ status: 404 })
    expect(await world.refusal('update_form_shortcut', { form, shortcut: 'Mine', filterJson: [] }, other)).toMatchObject({ status: 403 })
    expect(await world.refusal('delete_form_shortcut', { form, shortcut: 'Mine' }, other)).toMatchObject({ status: 403 })
    expect(await world.call('list_form_shortcuts', { form: 'Other' })).toEqual([])
    const changed = await world.call('update_form_shortcut', { form, shortcut: 'Private', internalName: 'Public', isShared: true }, { key })
    expect(changed).toMatchObject({ internalName: 'Public', isShared: true })
    expect(await names(other)).toContain('Public')
    expect(await world.call('delete_form_shortcut', { form, shortcut: 'Public' }, { key })).toMatchObject({ deleted: true })
    expect(await world.refusal('get_form_shortcut', { form, shortcut: 'Public' }, key)).toMatchObject({ status: 404 })
  })

  it('follows a rename, is 409 once what it names is gone, and goes with its form', async () => {
    await world.call('create_property', { internalName: 'Later', dataType: 'Text' })
    const { entityPropertyId } = await world.call('attach_property', { entity: 'WorkOrder', property: 'Later' })
    await create('ByLater', [{ property: 'Later', op: 'isEmpty' }])
    await world.call('update_property', { property: 'Later', internalName: 'Sooner' })
    expect(JSON.parse((await world.call('get_form_shortcut', { form, shortcut: 'ByLater' })).filterJson)).toEqual({
      rules: [{ property: 'Sooner', op: 'isEmpty' }],
    })
    const detach = { entity: 'WorkOrder', entityPropertyId }
    expect((await world.refusal('detach_property', detach)).message).toContain('the shortcut ByLater')
    await world.call('detach_property', { ...detach, force: true })
    expect(await world.refusal('list_form_shortcut_records', { form, shortcut: 'ByLater' })).toMatchObject({ status: 409 })
    expect((await world.call('get_form_shortcut', { form, shortcut: 'ByLater' })).validation.ok).toBe(false)
    expect(await world.refusal('delete_form', { form })).toMatchObject({ status: 409 })
    expect(await world.call('delete_form', { form, force: true })).toMatchObject({ deleted: true })
    const [left] = await world.sql<{ count: number }[]>`
      select count(*)::int as count from platform.definition where tenant_id = ${world.tenant.tenantId} and kind = 'formShortcut'`
    expect(left?.count).toBe(0)
  })
})
