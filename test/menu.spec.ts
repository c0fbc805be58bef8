/** Menus: authored by builders, read by everybody as they may see them. */
import { beforeEach, describe, expect, it } from 'vitest'

import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
let tenant: TestTenant
beforeEach(async () => {
  tenant = await world.newTenant()
})

const call = (name: string, input: object = {}, key = tenant.key) => world.call(name, input, { key })
const folder = (internalName: string, more: object = {}) => call('create_menu_item', { internalName, menuItemType: 'Folder', ...more })
type Node = { internalName: string; children: Node[] }
const shape = (nodes: readonly Node[]): unknown =>
  nodes.map(({ internalName, children }) => (children.length === 0 ? internalName : { [internalName]: shape(children) }))
const tree = async (input: object = {}, key = tenant.key) => shape((await call('get_menu_tree', input, key)).roots)
const names = async (input: object = {}, key = tenant.key) =>
  (await call('list_menu_items', input, key)).items.map((item: { internalName: string }) => item.internalName)

async function form(internalName: string, isShared = true): Promise<number> {
  await call('create_property', { internalName: `${internalName}Title`, dataType: 'Text' })
  await call('create_entity', { internalName: `${internalName}Entity`, properties: [{ property: `${internalName}Title` }] })
  const { layout } = await call('generate_form', { entity: `${internalName}Entity` })
  const made = await call('create_form', {
    entity: `${internalName}Entity`,
    internalName,
    isShared,
    layoutJson: { ...layout, internalName },
  })
  return made.form?.id ?? made.id
}

describe('an item', () => {
  it('opens what it names, behind its neighbours, and is shown in the reader’s language, the tenant’s, or by its name', async () => {
    const targetId = await form('NewOrder')
    await folder('First', { displayOrder: 40 })
    const displays = [
      { languageCode: 'en-US', name: 'New order', description: 'For the road' },
      { languageCode: 'es-ES', name: 'Pedido nuevo' },
    ]
    const made = await call('create_menu_item', {
      internalName: 'Order',
      menuItemType: 'Form',
      target: 'neworder',
      homeArea: 'mobile',
      displays,
    })
    expect(made).toMatchObject({
      tenantId: tenant.tenantId,
      tenantUserId: tenant.tenantUserId,
      parentTenantMenuItemId: null,
      menuItemTypeId: 1,
      menuItemType: 'Form',
      targetId,
      externalUrl: null,
      name: 'New order',
      description: 'For the road',
      displayOrder: 50,
      isSystem: false,
      isShared: true,
      isVisibleInMenu: true,
      isApiVisible: true,
      channelFlag: 15,
      roleFlag: 0,
      homeAreaId: 3,
    })
    expect(await call('get_menu_item', { menuItem: 'order' })).toEqual(made)
    expect(await call('get_menu_item', { menuItem: made.tenantMenuItemId })).toEqual(made)
    const user = await call('create_user', { email: 'ana@x.example', language: 'es-ES' })
    const { apiKey } = await call('create_api_key', { name: 'ana', roles: [], tenantUserId: user.tenantUserId })
    const items = (await call('list_menu_items', {}, apiKey)).items
    expect(items.map((item: { name: string }) => item.name)).toEqual(['First', 'Pedido nuevo'])
    expect((await call('list_menu_items')).count).toBe(2)
  })

  it.each([
    ['a Form that is not there', { menuItemType: 'Form', target: 'Nothing' }, '$.target'],
    ['a Form without a target', { menuItemType: 'Form' }, '$.target'],
    ['a Surface, since there are none yet', { menuItemType: 'Surface', target: 1 }, '$.target'],
    ['a Url without an address', { menuItemType: 'Url' }, '$.externalUrl'],
    ['an address that is a script', { menuItemType: 'Url', externalUrl: 'javascript:alert(1)' }, '$.externalUrl'],
    ['a Folder that opens something', { menuItemType: 'Folder', externalUrl: 'https://x.example' }, '$.target'],
    ['a parent that is not there', { menuItemType: 'Folder', parent: 'Nothing' }, '$.parent'],
    ['a name that stands in the paths', { menuItemType: 'Folder', internalName: 'tree' }, '$.internalName'],
    ['a language that is none', { menuItemType: 'Folder', displays: [{ languageCode: 'xx-XX', name: 'x' }] }, '$.displays[0].languageCode'],
  ])('is not %s', async (_what, input, path) => {
    await expect(call('create_menu_item', { internalName: 'Item', ...input })).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path }],
    })
    expect(await names()).toEqual([])
  })

  it('keeps what a change does not name, and its name to itself', async () => {
    await folder('One')
    const made = await call('create_menu_item', {
      internalName: 'Site',
      menuItemType: 'Url',
      externalUrl: 'https://x.example/',
      parent: 'One',
    })
    const changed = await call('update_menu_item', {
      menuItem: 'Site',
      iconKey: 'globe',
      displays: [{ languageCode: 'de-DE', name: 'Seite' }],
    })
    expect(changed).toEqual({
      ...made,
      iconKey: 'globe',
      displays: [{ languageRegionId: 7, languageCode: 'de-DE', name: 'Seite', description: '' }],
    })
    await expect(folder('ONE')).rejects.toMatchObject(refused('already_exists'))
    await expect(call('update_menu_item', { menuItem: 'Site', internalName: 'one' })).rejects.toMatchObject(refused('already_exists'))
    await call('set_menu_item_display', { menuItem: 'Site', languageCode: 'de-DE', name: 'Webseite', description: 'Von uns' })
    const again = await call('set_menu_item_display', { menuItem: 'Site', languageCode: 'de-DE', name: 'Seite' })
    expect(again.displays).toEqual([{ languageRegionId: 7, languageCode: 'de-DE', name: 'Seite', description: 'Von uns' }])
    const displays = [
      { languageCode: 'en-US', name: 'Site', description: 'Of ours' },
      { languageCode: 'de-DE', name: 'Ort' },
    ]
    const both = await call('update_menu_item', { menuItem: 'Site', displays })
    expect(both.displays.map((one: { description: string }) => one.description).toSorted()).toEqual(['Of ours', 'Von uns'])
    expect(await call('update_menu_item', { menuItem: 'Site', menuItemType: 'Folder' })).toMatchObject({
      externalUrl: null,
      menuItemType: 'Folder',
    })
  })

  it('has names and descriptions as long as a menu can be read with, and no longer', async () => {
    const description = 'x'.repeat(2_000)
    const displays = ['en-US', 'de-DE', 'es-ES', 'fr-FR'].map((languageCode) => ({ languageCode, name: 'Long', description }))
    const makes = Array.from({ length: 33 }, (_, index) => () => folder(`Long${index}`, { displays }))
    for (const make of makes.slice(0, 32)) await make()
    await expect(makes[32]?.()).rejects.toMatchObject(refused('conflict', /Shorten descriptions/))
    expect(await names()).toHaveLength(32)
  })

  it('is deleted alone, or with all below it by force', async () => {
    await folder('Top')
    await folder('Middle', { parent: 'Top' })
    await folder('Leaf', { parent: 'Middle' })
    await expect(call('delete_menu_item', { menuItem: 'Top' })).rejects.toMatchObject(refused('conflict', /2 items/))
    expect(await call('delete_menu_item', { menuItem: 'Leaf' })).toMatchObject({ deleted: true, deletedChildren: 0 })
    expect(await call('delete_menu_item', { menuItem: 'Top', force: true })).toMatchObject({ deletedChildren: 1 })
    expect(await names()).toEqual([])
  })

  it('keeps what it opens from being deleted unasked: a form, a view, a report, a workflow', async () => {
    await form('Kept')
    await call('save_view', { entity: 'KeptEntity', internalName: 'KeptView', isShared: true, viewJson: {} })
    const definitionJson = { primaryEntityId: 'KeptEntity', columns: [{ property: 'KeptTitle' }] }
    await call('create_report', { internalName: 'KeptReport', isShared: true, definitionJson })
    await call('create_workflow', { internalName: 'KeptFlow', displays: [{ languageCode: 'en-US', name: 'Kept' }], roles: ['DataView'] })
    const opened = [
      ['Form', 'Kept', 'delete_form', { form: 'Kept' }],
      ['View', 'KeptView', 'delete_view', { entity: 'KeptEntity', view: 'KeptView' }],
      ['Report', 'KeptReport', 'delete_report', { report: 'KeptReport' }],
      ['Workflow', 'KeptFlow', 'delete_workflow', { workflow: 'KeptFlow' }],
    ] as const
    for (const [menuItemType, target, name, input] of opened) {
      await call('create_menu_item', { internalName: `Open${target}`, menuItemType, target })
      await expect(call(name, input), name).rejects.toMatchObject(
        refused('conflict', new RegExp(`the menu item Open${target}.*force: true`)),
      )
      expect(await call(name, { ...input, force: true }), name).toBeDefined()
    }
    expect(await tree()).toEqual([])
    expect(await names()).toHaveLength(4)
  })

  it('is another tenant’s never', async () => {
    await folder('Mine')
    const other = await world.newTenant()
    expect(await names({}, other.key)).toEqual([])
    for (const name of ['get_menu_item', 'update_menu_item', 'delete_menu_item'])
      await expect(call(name, { menuItem: 'Mine' }, other.key), name).rejects.toMatchObject(refused('not_found'))
  })
})

describe('the order', () => {
  it('changes as a whole or not at all', async () => {
    for (const name of ['A', 'B', 'C']) await folder(name)
    const answer = await call('reorder_menu_items', {
      items: [
        { menuItem: 'C', parent: null, displayOrder: 1 },
        { menuItem: 'A', parent: 'B', displayOrder: 1 },
      ],
    })
    expect(answer.count).toBe(3)
    expect(await tree()).toEqual(['C', { B: ['A'] }])
    const wrong = [
      { menuItem: 'B', parent: null, displayOrder: 0 },
      { menuItem: 'Nothing', parent: 'Neither', displayOrder: 0 },
      { menuItem: 'b', parent: null, displayOrder: 5 },
    ]
    await expect(call('reorder_menu_items', { items: wrong })).rejects.toMatchObject({
      issues: [{ path: '$.items[1].menuItem' }, { path: '$.items[1].parent' }, { path: '$.items[2].menuItem' }],
    })
    expect(await tree()).toEqual(['C', { B: ['A'] }])
  })

  it('has no circle, however it comes about, and eight levels', async () => {
    for (const name of ['A', 'B', 'C']) await folder(name)
    const circle = [
      { menuItem: 'A', parent: 'B', displayOrder: 1 },
      { menuItem: 'B', parent: 'C', displayOrder: 1 },
      { menuItem: 'C', parent: 'A', displayOrder: 1 },
    ]
    await expect(call('reorder_menu_items', { items: circle })).rejects.toMatchObject(refused('conflict', /below itself/))
    await call('update_menu_item', { menuItem: 'A', parent: 'B' })
    await expect(call('update_menu_item', { menuItem: 'B', parent: 'A' })).rejects.toMatchObject(refused('conflict', /below itself/))
    await expect(call('update_menu_item', { menuItem: 'B', parent: 'B' })).rejects.toMatchObject(refused('conflict', /below itself/))
    const both = await Promise.allSettled([
      call('update_menu_item', { menuItem: 'B', parent: 'C' }),
      call('update_menu_item', { menuItem: 'C', parent: 'A' }),
    ])
    expect(both.map((one) => one.status).toSorted()).toEqual(['fulfilled', 'rejected'])
    let parent = 'L1'
    await folder(parent)
    for (let level = 2; level <= 8; level++) {
      await folder(`L${level}`, { parent })
      parent = `L${level}`
    }
    await expect(folder('L9', { parent })).rejects.toMatchObject(refused('conflict', /8 levels/))
  })
})

describe('the tree', () => {
  it('shows what the caller may see and open, and nothing below what is hidden', async () => {
    await form('Shared')
    await form('Private', false)
    await folder('Admin', { roleFlag: 64 })
    await folder('Inside', { parent: 'Admin' })
    await folder('Quiet', { isVisibleInMenu: false })
    await folder('People', { isApiVisible: false })
    await folder('Mine', { isShared: false })
    for (const target of ['Shared', 'Private'])
      await call('create_menu_item', { internalName: `Open${target}`, menuItemType: 'Form', target })
    const viewer = await tenant.keyWith(['DataView'])
    const admin = await tenant.keyWith(['AdminUser'])
    expect(await tree({}, viewer)).toEqual(['OpenShared'])
    expect(await tree({}, admin)).toEqual([{ Admin: ['Inside'] }, 'OpenShared'])
    expect(await names({}, viewer)).toEqual(['Inside', 'Quiet', 'OpenShared', 'OpenPrivate'])
    await call('delete_form', { form: 'Shared', force: true })
    expect(await tree({}, viewer)).toEqual([])
    await expect(call('get_menu_item', { menuItem: 'Mine' }, viewer)).rejects.toMatchObject(refused('not_found'))
    await expect(call('create_menu_item', { internalName: 'X', menuItemType: 'Folder' }, viewer)).rejects.toMatchObject(
      refused('forbidden'),
    )
  })

  it('is narrowed to a channel, and to a home area with all below it', async () => {
    await folder('Phone', { homeArea: 'mobile' })
    await folder('Below', { parent: 'Phone' })
    await folder('Web', { channelFlag: 1 })
    expect(await tree({ homeArea: 'mobile' })).toEqual([{ Phone: ['Below'] }])
    expect((await names({ homeArea: 'mobile' })).toSorted()).toEqual(['Below', 'Phone'])
    expect(await tree({ channel: 'mobile' })).toEqual([{ Phone: ['Below'] }])
    expect(await tree({ channel: 'web' })).toEqual([{ Phone: ['Below'] }, 'Web'])
    expect((await call('list_home_areas')).map((area: { internalName: string }) => area.internalName)).toEqual([
      'portalHome',
      'drawer',
      'mobile',
    ])
  })

  it('offers builders what they see to open, by type', async () => {
    const targetId = await form('Offered')
    const { categories } = await call('list_menu_targets')
    expect(categories.map((one: { menuItemType: string; menuItemTypeId: number }) => [one.menuItemType, one.menuItemTypeId])).toEqual([
      ['Form', 1],
      ['View', 2],
      ['Report', 3],
      ['Surface', 4],
      ['Workflow', 5],
      ['ActionPack', 6],
    ])
    expect(categories[0].targets).toEqual([{ targetId, internalName: 'Offered', name: 'Offered', description: '' }])
  })
})
