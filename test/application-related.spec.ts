/** A record with what belongs to it, in a browser: rows of its form, records below it and beside it, and lists filtered over all of them. */
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openedList, placeOf, rebasedList, sentList, withoutRow, withRow } from '#server/web/portal/records/rows.rules.ts'

import { openBrowser } from './support/browser.ts'
import { type ApplicationServer, leavesNobodyOut, openPage, picture, startApplication } from './support/application.ts'
import { newPerson, newSession } from './support/persons.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

let browser: Browser
let server: ApplicationServer
let key = ''
const orders: number[] = []

beforeAll(async () => {
  const tenant = await world.newTenant()
  key = tenant.key
  const propertyOptions = ['goods', 'labour'].map((internalName) => ({ internalName, displays: [{ name: `Kind of ${internalName}` }] }))
  for (const property of [
    { internalName: 'Title', dataType: 'Text', displays: [{ name: 'What it is' }] },
    { internalName: 'Amount', dataType: 'Number' },
    { internalName: 'Kind', dataType: 'Choice', propertyOptions },
    { internalName: 'Urgent', dataType: 'Boolean' },
    { internalName: 'Note', dataType: 'Text' },
  ])
    await call('create_property', property, { key })
  const properties = ['Title', 'Urgent', 'Note'].map((property) => ({ property }))
  await call('create_entity', { internalName: 'Purchase', displays: [{ name: 'Purchase' }], properties }, { key })
  const lineProperties = ['Title', 'Amount', 'Kind'].map((property) => ({ property }))
  await call('create_entity', { internalName: 'Line', displays: [{ name: 'Line' }], properties: lineProperties }, { key })
  await call('create_entity', { internalName: 'Supplier', displays: [{ name: 'Supplier' }], properties: [{ property: 'Title' }] }, { key })
  await call('attach_child_entity', { entity: 'Purchase', childEntity: 'Line' }, { key })
  await call('attach_peer_entity', { entity: 'Purchase', peerEntity: 'Supplier' }, { key })
  const layoutJson = {
    sections: [
      { type: 'detail', name: 'head', fields: [{ property: 'Title', required: true }, { property: 'Urgent' }] },
      {
        type: 'list',
        name: 'lines',
        title: { en: 'Line' },
        entity: 'Line',
        columns: ['Title', 'Amount'],
        max: 3,
        fields: [
          { property: 'Title', required: true },
          { property: 'Amount', visibleWhen: [{ property: 'Kind', op: 'eq', value: 'goods' }] },
          { property: 'Kind' },
        ],
      },
      { type: 'detail', name: 'end', title: { en: 'At the end' }, fields: [{ property: 'Note' }] },
    ],
  }
  await call(
    'create_form',
    { entity: 'Purchase', internalName: 'PurchaseForm', description: 'A purchase', isShared: true, layoutJson },
    { key },
  )
  const rows = ['Valves', 'Paint', 'Ropes'].map((Title, at) => ({ key1: `P-${at}`, data: { Title, Urgent: at === 0 } }))
  const { results } = await call('save_instances_bulk', { entity: 'Purchase', rows }, { key })
  orders.push(...results.map(({ eiRecordId }: { eiRecordId: number }) => eiRecordId))
  const lines = [
    { parentEIRecordId: orders[0], data: { Title: 'Gate valve', Amount: 2, Kind: 'goods' } },
    { parentEIRecordId: orders[0], data: { Title: 'Fitting', Kind: 'labour' } },
    { parentEIRecordId: orders[1], data: { Title: 'Red paint', Amount: 9, Kind: 'goods' } },
  ]
  await call('save_instances_bulk', { entity: 'Line', rows: lines }, { key })
  const suppliers = ['Iron & Sons', 'Paintworks'].map((Title) => ({ data: { Title } }))
  await call('save_instances_bulk', { entity: 'Supplier', rows: suppliers }, { key })
  server = await startApplication(world)
  server.session = await newSession(world, await newPerson(world, tenant, ['DataView', 'DataEdit', 'DataDelete']))
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

interface LineData {
  readonly Title: string
  readonly Amount?: number
  readonly Kind?: string
}
const linesOf = async (record: number): Promise<LineData[]> =>
  (await call('list_child_instances', { entity: 'Purchase', record, childEntity: 'Line' }, { key })).map(
    ({ data }: { data: LineData }) => data,
  )
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const saved = (page: Page) => page.getByRole('heading', { name: 'History' }).waitFor()

describe('every page of a record with what belongs to it', () => {
  it('fits, wide and narrow, light and dark, and leaves nobody out', async () => {
    const path = `/t/demo/records/Purchase/${orders[0]}`
    const where = encodeURIComponent('{"any":[["Urgent","eq","true"],{"all":[["Line.Amount","gt","5"],["Title","contains","a"]]}]}')
    for (const look of [
      { width: 1280, colorScheme: 'light' },
      { width: 390, colorScheme: 'dark' },
    ] as const) {
      for (const [at, address] of [
        `${path}/edit`,
        `${path}?show=below-Line`,
        `${path}?show=with-Supplier`,
        `/t/demo/records/Purchase?where=${where}`,
      ].entries()) {
        const { page, complaints } = await openPage(browser, server, address, look)
        if (at === 0) {
          await page.getByText('Line 1: Gate valve').click()
          await press(page, 'Add a row: Line')
        }
        if (at === 2) {
          await press(page, 'Link: Supplier')
          await page.getByRole('button', { name: 'Link Paintworks' }).waitFor()
        }
        await leavesNobodyOut(page)
        expect(complaints).toEqual([])
        await picture(page, `related-${at}-${look.colorScheme}`)
        await page.context().close()
      }
    }
  })
})

describe('the rows of a form', () => {
  it('are added, changed and taken away with their record, in one call', async () => {
    const record = orders[0] ?? 0
    const { page } = await openPage(browser, server, `/t/demo/records/Purchase/${record}/edit`)
    const asked: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && asked.push(new URL(request.url()).pathname)))
    await page.getByText('Line 1: Gate valve · 2').click()
    const first = page.getByRole('group', { name: 'Line 1' })
    await first.getByLabel('Amount').fill('3,5')
    await page.getByText('Line 2: Fitting').click()
    await press(page, 'Remove: Line 2')
    await press(page, 'Add a row: Line')
    const added = page.getByRole('group', { name: 'Line 2' })
    await added.getByLabel('What it is').fill('Bolts')
    expect(await added.getByLabel('Amount').count()).toBe(0)
    await added.getByLabel('Kind').selectOption({ label: 'Kind of goods' })
    await added.getByLabel('Amount').fill('40')
    await press(page, 'Save')
    await saved(page)
    expect(asked.filter((path) => path.includes('/multi/'))).toHaveLength(1)
    expect(await linesOf(record)).toEqual([
      expect.objectContaining({ Title: 'Gate valve', Amount: 3.5, Kind: 'goods' }),
      expect.objectContaining({ Title: 'Bolts', Amount: 40, Kind: 'goods' }),
    ])
    // Nothing of the record itself was changed.
    expect(await call('get_instance_history', { entity: 'Purchase', record }, { key })).toHaveLength(1)
    await page.context().close()
  })

  it('say in the row what is wrong with it, keep what was typed, and are saved once it is right', async () => {
    const { page } = await openPage(browser, server, '/t/demo/records/Purchase/new')
    await page.getByLabel('What it is').fill('Hinges')
    await press(page, 'Add a row: Line')
    await page.getByRole('group', { name: 'Line 1' }).getByLabel('What it is').fill('Brass hinge')
    await press(page, 'Add a row: Line')
    const second = page.getByRole('group', { name: 'Line 2' })
    await second.getByLabel('Kind').selectOption({ label: 'Kind of goods' })
    await second.getByLabel('What it is').fill('Screws')
    await second.getByLabel('Amount').fill('many')
    await press(page, 'Save')
    await page.getByRole('alert').waitFor()
    expect(await second.getByLabel('Amount').getAttribute('aria-invalid')).toBe('true')
    expect(await page.getByRole('group', { name: 'Line 1' }).locator('[aria-invalid=true]').count()).toBe(0)
    expect(await second.getByLabel('Amount').inputValue()).toBe('many')
    await second.getByLabel('Amount').fill('8')
    await press(page, 'Save')
    await saved(page)
    const record = Number(/\/(\d+)$/.exec(new URL(page.url()).pathname)?.[1])
    expect(await linesOf(record)).toEqual([
      expect.objectContaining({ Title: 'Brass hinge' }),
      expect.objectContaining({ Title: 'Screws', Amount: 8 }),
    ])
    await page.context().close()
  })

  it('are saved though another changed one meanwhile, and once though the first answer was lost', async () => {
    const { eiRecordId: record } = await call('save_instance', { entity: 'Purchase', key1: 'Raced', data: { Title: 'Raced' } }, { key })
    const line = await call('save_instance', { entity: 'Line', parentEIRecordId: record, data: { Title: 'Hinge' } }, { key })
    const { page } = await openPage(browser, server, `/t/demo/records/Purchase/${record}/edit`)
    await page.getByText('Line 1: Hinge').click()
    await page.getByRole('group', { name: 'Line 1' }).getByLabel('What it is').fill('Brass hinge')
    await press(page, 'Add a row: Line')
    await page.getByRole('group', { name: 'Line 2' }).getByLabel('What it is').fill('Screws')
    await call('upsert_instance', { entity: 'Line', record: String(line.eiRecordId), data: { Kind: 'goods' } }, { key })
    await press(page, 'Save')
    await page.getByText('Somebody changed rows of this record meanwhile').waitFor()
    const loseAnswer = async (route: Route) => {
      await route.fetch()
      await route.abort()
    }
    await page.route('**/records/multi/**', loseAnswer, { times: 1 })
    await press(page, 'Save')
    await expect.poll(async () => (await linesOf(record)).length).toBe(2)
    await page.getByRole('button', { name: 'Save' }).and(page.locator(':enabled')).waitFor()
    await press(page, 'Save')
    await saved(page)
    expect(await linesOf(record)).toEqual([
      expect.objectContaining({ Title: 'Brass hinge', Kind: 'goods' }),
      expect.objectContaining({ Title: 'Screws' }),
    ])
    await page.context().close()
  })

  it('stand where the form has them', async () => {
    const { page } = await openPage(browser, server, `/t/demo/records/Purchase/${orders[1]}/edit`)
    await expect.poll(() => page.locator('h2').allTextContents()).toEqual(['Line', 'At the end'])
    const places = await page.locator('form label, form summary').allTextContents()
    expect(places[0]).toContain('What it is')
    expect(places.findIndex((text) => text.includes('Line 1'))).toBeLessThan(places.indexOf('Note'))
    expect(places.indexOf('Note')).toBe(places.length - 1)
    await page.context().close()
  })

  it('come no more than the form takes', async () => {
    const { page } = await openPage(browser, server, '/t/demo/records/Purchase/new')
    for (let count = 0; count < 3; count++) await press(page, 'Add a row: Line')
    await expect.poll(() => page.getByRole('group', { name: /^Line \d$/ }).count()).toBe(3)
    expect(await page.getByRole('button', { name: 'Add a row: Line' }).count()).toBe(0)
    await page.context().close()
  })
})

describe('a record', () => {
  it('shows the records below it in a tab of their own, and has more made there', async () => {
    const record = orders[1] ?? 0
    const { page } = await openPage(browser, server, `/t/demo/records/Purchase/${record}`)
    await page.getByRole('navigation', { name: 'Parts of the record' }).getByRole('link', { name: 'Line' }).click()
    await page.getByRole('link', { name: 'Red paint' }).waitFor()
    await page.getByRole('link', { name: 'Add: Line' }).click()
    await page.getByLabel('What it is').fill('Blue paint')
    await press(page, 'Save')
    await saved(page)
    expect((await linesOf(record)).map(({ Title }) => Title)).toEqual(['Red paint', 'Blue paint'])
    await page.context().close()
  })

  it('is linked with records that a search finds, and unlinked again', async () => {
    const record = orders[2] ?? 0
    const peers = async (): Promise<string[]> =>
      (await call('list_peer_instances', { entity: 'Purchase', record }, { key })).map(({ data }: { data: LineData }) => data.Title)
    const { page } = await openPage(browser, server, `/t/demo/records/Purchase/${record}?show=with-Supplier`)
    await press(page, 'Link: Supplier')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Search in Supplier').fill('iron')
    await dialog.getByRole('button', { name: 'Search' }).click()
    await expect.poll(() => dialog.getByRole('listitem').count()).toBe(1)
    await dialog.getByRole('button', { name: 'Link Iron & Sons' }).click()
    await dialog.getByText('Linked', { exact: true }).waitFor()
    expect(await peers()).toEqual(['Iron & Sons'])
    await page.keyboard.press('Escape')
    await press(page, 'Unlink Iron & Sons')
    await page.getByText('It is linked with none yet.').waitFor()
    expect(await peers()).toEqual([])
    await page.context().close()
  })
})

describe('a list', () => {
  it('is filtered by groups of all and any, over kinds below it too, and shows the call that answers the same', async () => {
    const { page } = await openPage(browser, server, '/t/demo/records/Purchase')
    await press(page, 'Add a filter')
    await page.getByLabel('Property').selectOption({ label: 'Urgent' })
    await page.getByLabel('Value').selectOption({ label: 'Yes' })
    await press(page, 'Add a group')
    await page.getByLabel('What must hold').first().selectOption({ label: 'Any of these' })
    const group = page.getByRole('group', { name: 'Group 2', exact: true })
    await group.getByLabel('What must hold').selectOption({ label: 'All of these' })
    await group.getByLabel('Property').selectOption({ label: 'Line: Amount' })
    await group.getByLabel('Comparison').selectOption({ label: 'is more than' })
    await group.getByLabel('Value').fill('8')
    await group.getByRole('button', { name: 'Add a filter' }).click()
    const last = group.getByRole('group', { name: 'Filter 2.2' })
    await last.getByLabel('Value').fill('pain')
    await press(page, 'Apply filters')
    await page.getByText('2 records').waitFor()
    await page.getByText('The same call from a program or an agent').click()
    const tool = JSON.parse((await page.getByRole('group', { name: 'As a tool over MCP' }).textContent()) ?? '')
    expect(tool.arguments.filterRules).toMatchObject({
      logic: 'OR',
      rules: [{ property: 'Urgent', value: true }],
      groups: [
        {
          logic: 'AND',
          rules: [
            { entity: 'Line', property: 'Amount', op: 'gt', value: 8 },
            { property: 'Title', op: 'contains' },
          ],
        },
      ],
    })
    const answered = await call(tool.name, tool.arguments, { key })
    expect(answered.map((row: { externalKey: string }) => row.externalKey)).toEqual(['P-0', 'P-1'])
    // The address is the list, groups and all.
    const { pathname, search } = new URL(page.url())
    const again = await openPage(browser, server, pathname + search)
    await again.page.getByText('2 records').waitFor()
    await press(again.page, 'Without filters')
    await again.page.getByText(/^[345] records$/).waitFor()
    await again.page.context().close()
    await page.context().close()
  })
})

describe('rows that somebody types', () => {
  const zoned = { toLocal: (iso: string) => iso, fromLocal: (local: string) => local }
  const fields = [{ name: 'Title', type: 'Text', isList: false, isReadOnly: false }]
  const opened = openedList(
    fields,
    [1, 2].map((eiRecordId) => ({ eiRecordId, rowHash: 'A', data: { Title: `Row ${eiRecordId}` } })),
    0,
    zoned,
  )

  it('are sent where they changed, are new or go, and not otherwise', () => {
    expect(sentList(opened, () => fields, zoned)).toBeUndefined()
    const changed = withRow(
      withoutRow({ ...opened, rows: opened.rows.map((row) => (row.id === 2 ? { ...row, now: { Title: ['B'] } } : row)) }, 1),
    )
    expect(sentList(changed, () => fields, zoned)).toEqual({
      rows: [{ eiRecordId: 2, expectedRowHash: 'A', values: { Title: 'B' } }, { values: {} }],
      deletedEIRecordIds: [1],
      ids: [2, 3],
    })
    // One that was added here and taken away again leaves nothing.
    expect(sentList(withoutRow(withRow(opened), 3), () => fields, zoned)).toBeUndefined()
  })

  it('stand on top of what another saved meanwhile: a row that is gone is a new one where something was typed in it', () => {
    const typed = { ...opened, rows: opened.rows.map((row) => ({ ...row, now: { Title: [`Mine ${row.id}`] } })) }
    const at = (...saved: { eiRecordId: number; rowHash: string; data: object }[]) =>
      saved.map(({ data, ...one }) => ({ ...one, data: data as Record<string, unknown> }))
    const [first, changed] = [
      { eiRecordId: 1, rowHash: 'A', data: { Title: 'Row 1' } },
      { eiRecordId: 1, rowHash: 'B', data: { Title: 'Theirs' } },
    ]
    const all = { ...zoned, isAll: true }
    expect(rebasedList(fields, typed, at(first, { ...first, eiRecordId: 2 }), all)).toBeUndefined()
    const rebased = rebasedList(fields, typed, at(changed), all)
    expect(rebased && sentList(rebased, () => fields, zoned)).toMatchObject({
      rows: [{ eiRecordId: 1, expectedRowHash: 'B', values: { Title: 'Mine 1' } }, { values: { Title: 'Mine 2' } }],
    })
    expect(rebasedList(fields, opened, at(changed), all)?.rows).toMatchObject([{ eiRecordId: 1, now: { Title: ['Theirs'] } }])
    // What the answer had no room for is not gone.
    expect(rebasedList(fields, opened, at(changed), { ...zoned, isAll: false })?.rows).toHaveLength(2)
    expect(rebasedList(fields, withoutRow(opened, 2), at(changed), all)?.deleted).toEqual([])
  })

  it('begin as many as the form wants', () => {
    expect(openedList(fields, [], 2, zoned).rows.map(({ id }) => id)).toEqual([1, 2])
    expect(openedList(fields, [], 5_000, zoned).rows).toHaveLength(20)
  })

  it('are found by the paths of what is wrong with them', () => {
    expect(placeOf('$.sections.lines.rows[2].values.Amount')).toEqual({ section: 'lines', row: 2, field: 'Amount' })
    expect(placeOf('$.sections.lines.rows[0]')).toEqual({ section: 'lines', row: 0 })
    expect(placeOf('$.sections.lines')).toEqual({ section: 'lines' })
    expect(placeOf('$.primary.values.Title')).toEqual({ field: 'Title' })
    expect(placeOf('$.values.Title')).toEqual({ field: 'Title' })
    expect(placeOf('$.data.Title')).toEqual({ field: 'Title' })
    expect(placeOf('$.expectedRowHash')).toEqual({})
  })
})
