/** Kinds of records that are there, changed in a browser by whoever builds: names, properties, options, relations, and what uses them. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { inOrder, moved } from '#server/web/portal/parts/order.rules.ts'
import { changedIn, clashesOf, rebased } from '#server/web/portal/define/meanwhile.rules.ts'
import { callsOf, factsOf } from '#server/web/portal/define/property-fields.rules.ts'

import { openBrowser } from './support/browser.ts'
import { type ApplicationServer, leavesNobodyOut, openPage, picture, startApplication } from './support/application.ts'
import { newPerson, newSession } from './support/persons.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

let browser: Browser
let server: ApplicationServer
let key = ''

beforeAll(async () => {
  const tenant = await world.newTenant()
  key = tenant.key
  const options = ['open', 'locked', 'gone'].map((internalName) => ({ internalName, displays: [{ name: `It is ${internalName}` }] }))
  for (const property of [
    { internalName: 'Title', dataType: 'Text' },
    { internalName: 'Status', dataType: 'Choice', propertyOptions: options },
    { internalName: 'Width', dataType: 'Number', displays: [{ name: 'Width in metres' }] },
    { internalName: 'Photo', dataType: 'Attachment' },
    { internalName: 'Colour', dataType: 'Text' },
  ])
    await call('create_property', property, { key })
  const properties = ['Title', 'Status', 'Width', 'Photo'].map((property) => ({ property }))
  await call('create_entity', { internalName: 'Gate', displays: [{ name: 'Gate' }], properties }, { key })
  for (const internalName of ['Hinge', 'Keeper', 'Spare'])
    await call('create_entity', { internalName, displays: [{ name: internalName }], properties: [{ property: 'Title' }] }, { key })
  await call('save_instance', { entity: 'Gate', data: { Title: 'North', Status: 'open', Width: 3 } }, { key })
  const propertyFilters = { rules: [{ property: 'Width', op: 'gt', value: 1 }] }
  const viewJson = { columns: ['Title'], filters: { propertyFilters } }
  await call('save_view', { entity: 'Gate', internalName: 'WideGates', isShared: true, viewJson }, { key })
  server = await startApplication(world)
  server.session = await newSession(world, await newPerson(world, tenant, ['DataView', 'DataEdit', 'BuilderAdmin']))
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

const describeGate = () => call('describe_entity', { entity: 'Gate' }, { key })
const namesOfGate = async (): Promise<string[]> =>
  (await describeGate()).properties.map(
    (part: { propertyInternalName: string | null; childEntityInternalName: string | null }) =>
      part.propertyInternalName ?? part.childEntityInternalName,
  )
const optionsNow = async (): Promise<{ optionId: number; internalName: string; name: string }[]> =>
  call('list_property_options', { property: 'Status' }, { key })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const save = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
const gone = (page: Page) => expect.poll(() => page.getByRole('dialog').count()).toBe(0)

describe('the page of a kind', () => {
  it('fits, wide and narrow, light and dark, with its dialogs, and leaves nobody out', async () => {
    for (const look of [
      { width: 1280, colorScheme: 'light' },
      { width: 390, colorScheme: 'dark' },
    ] as const) {
      const { page, complaints } = await openPage(browser, server, '/t/demo/define/Gate', look)
      await leavesNobodyOut(page)
      await picture(page, `kind-${look.colorScheme}`)
      for (const button of ['Change: Width in metres', 'Options: Status', 'Take off: Width in metres']) {
        await press(page, button)
        await page.getByRole('dialog').locator('button.main').first().waitFor()
        await leavesNobodyOut(page)
        await picture(page, `kind-${button.replaceAll(/\W+/g, '-')}-${look.colorScheme}`)
        await page.keyboard.press('Escape')
        await gone(page)
      }
      expect(complaints).toEqual([])
      await page.context().close()
    }
  })

  it('is led to from the list, and speaks German', async () => {
    const { page } = await openPage(browser, server, '/t/demo/records/Gate')
    await page.getByRole('link', { name: 'Change this kind' }).click()
    await page.getByRole('heading', { name: 'Change: Gate' }).waitFor()
    await page.context().close()
    server.language = 'de'
    const german = await openPage(browser, server, '/t/demo/define/Gate')
    server.language = 'en'
    await german.page.getByRole('heading', { name: 'Was davon geführt wird' }).waitFor()
    await picture(german.page, 'kind-german')
    await german.page.context().close()
  })
})

describe('a new kind', () => {
  it('shares a property that is there already, and has its photographs recognised unless told', async () => {
    const { page } = await openPage(browser, server, '/t/demo/define')
    await page.getByLabel('Name of the kind').fill('Site visit')
    const first = page.getByRole('group', { name: 'Property 1', exact: true })
    await first.getByLabel('Name', { exact: true }).fill('title')
    await first.getByRole('button', { name: 'Take it' }).click()
    await press(page, 'Add a property')
    const second = page.getByRole('group', { name: 'Property 2', exact: true })
    await second.getByLabel('Name', { exact: true }).fill('Picture')
    await second.getByLabel('Type').selectOption({ label: 'Photographs and files' })
    await leavesNobodyOut(page)
    await press(page, 'Make it')
    await page.getByText('There is none yet.').waitFor()
    const { properties } = await call('describe_entity', { entity: 'SiteVisit' }, { key })
    expect(properties).toMatchObject([
      { propertyInternalName: 'Title', dataType: 'Text' },
      { propertyInternalName: 'Picture', dataType: 'Attachment', analysis: { ocr: true, classify: true } },
    ])
    await page.context().close()
  })
})

describe('a kind that is there', () => {
  it('is called otherwise, and what another changed meanwhile is told before it is written over', async () => {
    const { page } = await openPage(browser, server, '/t/demo/define/Gate')
    const names = page.getByRole('region', { name: 'Names' })
    await names.getByLabel('Name of the kind').fill('Gate of the site')
    await call('set_entity_display', { entity: 'Gate', name: 'Entrance', description: 'Where people come in' }, { key })
    await names.getByRole('button', { name: 'Save' }).click()
    await names.getByRole('alert').getByText('“Entrance”').waitFor()
    expect(await names.getByLabel('Name of the kind').inputValue()).toBe('Gate of the site')
    expect((await describeGate()).entity.name).toBe('Entrance')
    // What nobody typed here follows what stands there.
    expect(await names.getByLabel('What it is for').inputValue()).toBe('Where people come in')
    await names.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Change: Gate of the site' }).waitFor()
    expect((await describeGate()).entity).toMatchObject({
      name: 'Gate of the site',
      description: 'Where people come in',
      internalName: 'Gate',
    })
    await page.context().close()
  })

  it('gets a property more, which is required, limited and called otherwise later', async () => {
    const { page } = await openPage(browser, server, '/t/demo/define/Gate')
    await press(page, 'Add a property')
    const adding = page.getByRole('region', { name: 'Add a property' })
    await adding.getByLabel('Name', { exact: true }).fill('Load limit')
    await adding.getByLabel('Type').selectOption({ label: 'Number' })
    await adding.getByLabel('Required').check()
    await adding.getByRole('button', { name: 'Add a property' }).click()
    // Refused while records lack it; the property is made, and goes along optional.
    await adding.getByRole('alert').waitFor()
    await adding.getByLabel('Required').uncheck()
    await adding.getByRole('button', { name: 'Add a property' }).click()
    await press(page, 'Change: Load limit')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Greatest load')
    await dialog.getByLabel('Greatest value').fill('7.5')
    await save(page)
    await gone(page)
    await page.getByText('Greatest load').waitFor()
    const added = (await describeGate()).properties.find(
      (part: { propertyInternalName: string }) => part.propertyInternalName === 'LoadLimit',
    )
    expect(added).toMatchObject({ propertyName: 'Greatest load', maxValueOrLength: 7.5, isRequired: false, dataType: 'Number' })
    await press(page, 'Recognise: Photo')
    await page.getByRole('dialog').getByRole('button', { name: 'Recognise', exact: true }).click()
    await gone(page)
    const photo = (await describeGate()).properties.find((part: { propertyInternalName: string }) => part.propertyInternalName === 'Photo')
    expect(photo.analysis).toEqual({ ocr: true, classify: true })
    await page.context().close()
  })

  it('keeps its properties in another order, by keyboard too', async () => {
    const before = await namesOfGate()
    const { page } = await openPage(browser, server, '/t/demo/define/Gate')
    const up = page.getByRole('button', { name: 'Move up: Photo', exact: true })
    await up.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Move up: Photo')
    await press(page, 'Save the order')
    await expect.poll(namesOfGate).toEqual(['Title', 'Photo', 'Status', 'Width', ...before.slice(4)])
    await page.context().close()
  })

  it('loses a property only after it was said who uses it, and that the values may go', async () => {
    const { page } = await openPage(browser, server, '/t/demo/define/Gate')
    await press(page, 'Take off: Width in metres')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('WideGates').waitFor()
    await dialog.getByRole('button', { name: 'Take off', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    expect(await namesOfGate()).toContain('Width')
    await dialog.getByLabel('Give up the values').check()
    await dialog.getByRole('button', { name: 'Take off', exact: true }).click()
    await dialog.getByRole('alert').getByText('WideGates').waitFor()
    await dialog.getByLabel('Even if it is used').check()
    await dialog.getByRole('button', { name: 'Take off', exact: true }).click()
    await gone(page)
    expect(await namesOfGate()).not.toContain('Width')
    await page.context().close()
  })

  it('offers other options: one more, one by another name, another order, and one that nobody holds no more', async () => {
    const { page } = await openPage(browser, server, '/t/demo/define/Gate')
    await press(page, 'Options: Status')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('New option').fill('Under repair')
    await dialog.getByRole('button', { name: 'Add the option' }).click()
    await press(page, 'Rename: It is locked')
    await dialog.getByLabel('Name', { exact: true }).fill('Shut')
    // What another calls it for programs meanwhile stays.
    const { optionId } = (await optionsNow()).find(({ internalName }) => internalName === 'locked') ?? {}
    await call('save_property_option', { property: 'Status', optionId, internalName: 'shut' }, { key })
    await save(page)
    await press(page, 'Move up: Under repair')
    await press(page, 'Save the order')
    await expect
      .poll(async () => (await optionsNow()).map(({ name }) => name))
      .toEqual(['It is open', 'Shut', 'Under repair', 'It is gone'])
    await press(page, 'Retire: It is gone')
    await page.getByRole('dialog', { name: 'Retire It is gone?' }).getByRole('button', { name: 'Retire', exact: true }).click()
    await expect.poll(async () => (await optionsNow()).map(({ internalName }) => internalName)).toEqual(['open', 'shut', 'UnderRepair'])
    // One that a record holds stays, and the way to those records is shown.
    await press(page, 'Retire: It is open')
    const retiring = page.getByRole('dialog', { name: 'Retire It is open?' })
    await retiring.getByRole('button', { name: 'Retire', exact: true }).click()
    await retiring.getByRole('alert').waitFor()
    await retiring.getByRole('link', { name: 'Records that hold it' }).click()
    await page.getByText('One record').waitFor()
    await page.context().close()
  })

  it('gets kinds below it and beside it, and loses them again', async () => {
    const { page } = await openPage(browser, server, '/t/demo/define/Gate')
    await page.getByText('Relate it to another kind').click()
    await page.getByLabel('The other kind').selectOption({ label: 'Hinge' })
    await press(page, 'Relate')
    await expect.poll(namesOfGate).toContain('Hinge')
    await page.getByLabel('How').selectOption({ label: 'Both stand side by side and may be linked' })
    await page.getByLabel('The other kind').selectOption({ label: 'Keeper' })
    await press(page, 'Relate')
    await page.getByRole('button', { name: 'End: Keeper' }).waitFor()
    await press(page, 'Change: Hinge')
    await page.getByRole('dialog').getByLabel('Each needs one above it').check()
    await save(page)
    await gone(page)
    const relations = await call('list_entity_relationships', { entity: 'Gate' }, { key })
    expect(relations).toMatchObject({
      children: [{ internalName: 'Hinge', isRequired: true, isList: true }],
      peers: [{ internalName: 'Keeper', isList: true }],
    })
    await press(page, 'End: Keeper')
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
    await gone(page)
    await press(page, 'Take off: Hinge')
    await page.getByRole('dialog').getByRole('button', { name: 'Take off', exact: true }).click()
    await gone(page)
    expect(await call('list_entity_relationships', { entity: 'Gate' }, { key })).toMatchObject({ children: [], peers: [] })
    await page.context().close()
  })

  it('is deleted once it has no records', async () => {
    const { page } = await openPage(browser, server, '/t/demo/define/Spare')
    await press(page, 'Delete this kind')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.waitForURL(/\/records$/)
    await expect(call('describe_entity', { entity: 'Spare' }, { key })).rejects.toMatchObject({ code: 'not_found' })
    await page.context().close()
  })
})

describe('what somebody types', () => {
  const base = { name: 'Gate', description: '', isList: false }

  it('stays beside what another changes, and only the same field in two ways is a clash', () => {
    const draft = { ...base, name: 'Door' }
    expect(changedIn(base, draft)).toEqual(['name'])
    expect(clashesOf(base, draft, { ...base, description: 'By another' })).toEqual([])
    expect(clashesOf(base, draft, { ...base, name: 'Entrance' })).toEqual(['name'])
    expect(clashesOf(base, draft, { ...base, name: 'Door' })).toEqual([])
    expect(rebased(base, draft, { ...base, name: 'Entrance', description: 'By another' })).toEqual({
      name: 'Door',
      description: 'By another',
      isList: false,
    })
  })

  it('becomes the calls that say it, and none for what was not changed', () => {
    const part = { isRequired: false, isList: false, keyPart: null }
    const property = {
      internalName: 'Width',
      name: 'Width',
      description: '',
      maxDecimalPlaces: 2,
      maxValueOrLength: 9,
      minValueOrLength: null,
      regEx: null,
      allowedFileTypes: [],
      isSensitive: false,
    }
    const facts = { ...factsOf(part, property), keyPart: '2', most: '', least: '0.5', fileTypes: '.jpg, png' }
    expect(callsOf(new Set(), facts)).toEqual({ attached: undefined, rules: undefined, display: undefined })
    expect(callsOf(new Set(['keyPart', 'most', 'least', 'fileTypes']), facts)).toEqual({
      attached: { keyPart: 2 },
      rules: { maxValueOrLength: null, minValueOrLength: 0.5, allowedFileTypes: ['jpg', 'png'] },
      display: undefined,
    })
  })
})

describe('an order', () => {
  it('moves one place at a time, stops at its ends, and takes in what others add and take away', () => {
    expect(moved([1, 2, 3], 3, -1)).toEqual([1, 3, 2])
    expect(moved([1, 2, 3], 1, -1)).toEqual([1, 2, 3])
    expect(moved([1, 2, 3], 3, 1)).toEqual([1, 2, 3])
    expect(inOrder([3, 9, 1], [1, 2, 3, 4])).toEqual([3, 1, 2, 4])
    expect(inOrder(undefined, [1, 2])).toEqual([1, 2])
  })
})
