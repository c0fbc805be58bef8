/** The room of records, in a browser: lists that are filtered and sorted, records that are made and changed through their forms, and their history. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changesOf, differingIn, draftOf, rebasedDraft } from '#server/web/portal/records/draft.rules.ts'
import { type Group, noFilter, type Rule } from '#server/web/portal/records/filter.rules.ts'
import { listBody, readState, writeState } from '#server/web/portal/records/list-state.rules.ts'

import { openBrowser } from './support/browser.ts'
import { type ApplicationServer, leavesNobodyOut, openPage, picture, startApplication } from './support/application.ts'
import { newPerson, newSession } from './support/persons.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')

let browser: Browser
let server: ApplicationServer
let tenant: TestTenant
let key = ''
const ids: number[] = []

beforeAll(async () => {
  tenant = await world.newTenant()
  key = tenant.key
  const options = ['open', 'waiting', 'done'].map((internalName) => ({ internalName, displays: [{ name: `It is ${internalName}` }] }))
  for (const property of [
    { internalName: 'Title', dataType: 'Text', displays: [{ name: 'What to do' }] },
    { internalName: 'Status', dataType: 'Choice', propertyOptions: options },
    { internalName: 'Hours', dataType: 'Number' },
    { internalName: 'DueOn', dataType: 'DateTime' },
    { internalName: 'Reason', dataType: 'Text', displays: [{ name: 'Why it waits' }] },
    { internalName: 'Photos', dataType: 'Attachment' },
  ])
    await call('create_property', property, { key })
  const properties = [{ property: 'Title', isRequired: true }, ...['Status', 'Hours', 'DueOn', 'Reason'].map((property) => ({ property }))]
  await call(
    'create_entity',
    { internalName: 'Job', displays: [{ name: 'Job' }], properties: [...properties, { property: 'Photos', isList: true }] },
    { key },
  )
  await call('create_entity', { internalName: 'Part', displays: [{ name: 'Part' }], properties: [{ property: 'Title' }] }, { key })
  await call('attach_child_entity', { entity: 'Job', childEntity: 'Part', isList: true }, { key })
  const fields = [
    { property: 'Title', required: true },
    { property: 'Status' },
    { property: 'Reason', visibleWhen: [{ property: 'Status', op: 'eq', value: 'waiting' }] },
    { property: 'Photos' },
  ]
  const layoutJson = { sections: [{ type: 'detail', name: 'job', title: { en: 'The job' }, fields }] }
  await call('create_form', { entity: 'Job', internalName: 'JobForm', description: 'A job', isShared: true, layoutJson }, { key })
  const rows = Array.from({ length: 60 }, (_, at) => ({
    key1: `J-${100 + at}`,
    data: { Title: `Oil hinge ${at}`, Status: at % 3 === 0 ? 'open' : 'done', Hours: at / 2, DueOn: '2026-03-01T10:00:00Z' },
  }))
  const { results } = await call('save_instances_bulk', { entity: 'Job', rows }, { key })
  ids.push(...results.map(({ eiRecordId }: { eiRecordId: number }) => eiRecordId))
  server = await startApplication(world)
  const person = await newPerson(world, tenant, ['DataView', 'DataEdit', 'DataDelete', 'FileEdit'])
  server.session = await newSession(world, person)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

const open = (path: string, look = {}) => openPage(browser, server, path, look)

describe('every page of records', () => {
  it('fits, wide and narrow, light and dark, and leaves nobody out', async () => {
    const paths = [
      '/t/demo/records',
      '/t/demo/records/Job?filter=Status%3Aeq%3Aopen&sort=-Hours',
      `/t/demo/records/Job/${ids[0]}`,
      `/t/demo/records/Job/${ids[0]}/edit`,
    ]
    for (const [at, path] of paths.entries()) {
      for (const look of [
        { width: 1280, colorScheme: 'light' },
        { width: 390, colorScheme: 'dark' },
      ] as const) {
        const { page, complaints } = await open(path, look)
        await leavesNobodyOut(page)
        expect(complaints).toEqual([])
        await picture(page, `records-${at}-${look.colorScheme}`)
        await page.context().close()
      }
    }
  })
})

describe('a list of records', () => {
  it('is filtered, sorted and given columns in its address, and shows the call that answers the same', async () => {
    const { page } = await open('/t/demo/records/Job')
    await page.getByText('60 records').waitFor()
    await page.getByRole('button', { name: 'Add a filter' }).click()
    await page.getByLabel('Property').selectOption({ label: 'Status' })
    await page.getByLabel('Value').selectOption({ label: 'It is open' })
    await page.getByRole('button', { name: 'Apply filters' }).click()
    await page.getByText('20 records').waitFor()
    await page.getByRole('button', { name: 'Hours' }).click()
    await page.getByRole('columnheader', { name: /Hours/ }).and(page.locator('[aria-sort=ascending]')).waitFor()
    await page.getByRole('button', { name: 'Hours' }).click()
    await page.getByRole('columnheader', { name: /Hours/ }).and(page.locator('[aria-sort=descending]')).waitFor()
    await expect.poll(() => page.locator('tbody tr').first().textContent()).toContain('J-157')
    await page.getByText('Columns', { exact: true }).click()
    await page.getByLabel('Due').or(page.getByLabel('DueOn')).uncheck()
    const address = new URL(page.url())
    expect(address.searchParams.get('filter')).toBe('Status:eq:open')
    expect(address.searchParams.get('columns')).not.toContain('DueOn')
    await page.getByText('The same call from a program or an agent').click()
    const tool = JSON.parse((await page.getByRole('group', { name: 'As a tool over MCP' }).textContent()) ?? '')
    const answered = await call(tool.name, tool.arguments, { key })
    const keys = await page.locator('tbody tr td:first-child').allTextContents()
    expect(keys).toHaveLength(20)
    expect(answered.map((row: { externalKey: string }) => row.externalKey)).toEqual(keys)
    // The address is the list: whoever opens it sees the same.
    const again = await open(address.pathname + address.search)
    await expect.poll(() => again.page.locator('tbody tr td:first-child').allTextContents()).toEqual(keys)
    await again.page.context().close()
    await page.context().close()
  })

  it('goes on past its first page', async () => {
    const { page } = await open('/t/demo/records/Job')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(50)
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(60)
    await page.context().close()
  })
})

describe('a record', () => {
  it('is made through its form, which asks by the answers, and takes files', async () => {
    const { page } = await open('/t/demo/records/Job')
    await page.getByRole('link', { name: 'New record' }).click()
    await page.getByLabel('What to do').fill('Mend the gate')
    expect(await page.getByLabel('Why it waits').count()).toBe(0)
    await page.getByLabel('Status').selectOption({ label: 'It is waiting' })
    await page.getByLabel('Why it waits').fill('The hinge is ordered')
    await page.getByLabel('Photos').setInputFiles({ name: 'gate.png', mimeType: 'image/png', buffer: png })
    await page.getByRole('link', { name: 'gate.png' }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    const made = Number(/\/(\d+)$/.exec(new URL(page.url()).pathname)?.[1])
    const { data } = await call('get_instance', { entity: 'Job', record: made }, { key })
    expect(data).toMatchObject({ Title: 'Mend the gate', Status: 'waiting', Reason: 'The hinge is ordered', Photos: [expect.any(String)] })
    const file = await page.request.get(server.url + (await page.getByRole('link', { name: 'gate.png' }).getAttribute('href')))
    expect(await file.body()).toEqual(png)
    await page.context().close()
  })

  it('sends what was changed alone, tells what somebody else changed meanwhile before it writes on top of that, and keeps what was typed', async () => {
    const record = ids[1] ?? 0
    const { page } = await open(`/t/demo/records/Job/${record}/edit`)
    await page.getByLabel('Form', { exact: true }).selectOption({ label: 'All properties' })
    await page.getByLabel('Hours').fill('7.25')
    await call('upsert_instance', { entity: 'Job', record, data: { Title: 'Changed by another' } }, { key })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('What to do is now “Changed by another”').waitFor()
    expect((await call('get_instance', { entity: 'Job', record }, { key })).data.Hours).not.toBe(7.25)
    expect(await page.getByLabel('Hours').inputValue()).toBe('7.25')
    expect(await page.getByLabel('What to do').inputValue()).toBe('Changed by another')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    const { data } = await call('get_instance', { entity: 'Job', record }, { key })
    expect(data).toMatchObject({ Title: 'Changed by another', Hours: 7.25, DueOn: '2026-03-01T10:00:00.000Z' })
    const versions = await call('get_instance_history', { entity: 'Job', record }, { key })
    expect(versions.at(-1).changes.map((change: { property: string }) => change.property)).toEqual(['Hours'])
    await page.context().close()
  })

  it('shows its history and goes back in it, has records made below it, and is deleted after a question', async () => {
    const record = ids[2] ?? 0
    await call('upsert_instance', { entity: 'Job', record, data: { Title: 'A slip' } }, { key })
    const { page } = await open(`/t/demo/records/Job/${record}`)
    await expect.poll(() => page.locator('del').allTextContents()).toContain('Oil hinge 2')
    await page.getByRole('button', { name: 'Take back to version 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take back to this' }).click()
    await expect.poll(async () => (await call('get_instance', { entity: 'Job', record }, { key })).data.Title).toBe('Oil hinge 2')
    await page.getByRole('link', { name: 'Part', exact: true }).click()
    await page.getByRole('link', { name: 'Add: Part' }).click()
    await page.getByLabel('Title').or(page.getByLabel('What to do')).fill('A hinge')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    const [below] = await call('list_child_instances', { entity: 'Job', record }, { key })
    expect(below).toMatchObject({ data: { Title: 'A hinge' } })
    await page.goto(`${server.url}/t/demo/records/Job/${record}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/\/records\/Job$/)
    await expect(call('get_instance', { entity: 'Job', record }, { key })).rejects.toMatchObject({ code: 'not_found' })
    await page.context().close()
  })
})

describe('a kind of record', () => {
  it('is defined with its properties in one call, and nothing of it is left where it is refused', async () => {
    const builder = await newPerson(world, tenant, ['DataView', 'DataEdit', 'BuilderAdmin'])
    const before = server.session
    server.session = await newSession(world, builder)
    const { page } = await open('/t/demo/define')
    await page.getByLabel('Name of the kind').fill('Job')
    const first = page.getByRole('group', { name: 'Property 1', exact: true })
    await first.getByLabel('Name').fill('Prüf-Nummer')
    await first.getByText('Prufnummer').or(first.getByText('PrufNummer')).waitFor()
    await first.getByLabel('Part of the key').check()
    await page.getByRole('button', { name: 'Add a property' }).click()
    const second = page.getByRole('group', { name: 'Property 2', exact: true })
    await second.getByLabel('Name').fill('Result')
    await second.getByLabel('Type').selectOption({ label: 'Choice' })
    await second.getByLabel('Options').fill('Passed\nTo be done again')
    await page.getByRole('button', { name: 'Make it' }).click()
    await page.getByRole('alert').waitFor()
    const properties: { internalName: string }[] = await call('list_properties', {}, { key })
    expect(properties.map(({ internalName }) => internalName)).toContain('Title')
    expect(properties.map(({ internalName }) => internalName)).not.toContain('PrufNummer')
    await page.getByLabel('Name of the kind').fill('Inspection of a gate')
    await page.getByRole('button', { name: 'Make it' }).click()
    await page.waitForURL(/\/records\/InspectionOfAGate$/)
    await page.getByRole('link', { name: 'New record' }).click()
    await page.getByLabel('Prüf-Nummer').fill('P-1')
    await page.getByLabel('Result').selectOption({ label: 'To be done again' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'P-1' }).waitFor()
    const [made] = await call('list_instances', { entity: 'InspectionOfAGate' }, { key })
    expect(made).toMatchObject({ key1: 'P-1', data: { Result: 'ToBeDoneAgain' } })
    server.session = before
    await page.context().close()
  })
})

describe('the address of a list', () => {
  it('is read as it was written, and what is no rule is left out', () => {
    const rules = [{ property: 'Note', op: 'contains' as const, value: 'a:b & c' }]
    const state = { filter: { ...noFilter, rules }, sort: '-Hours', columns: ['Note', 'Hours'] }
    expect(readState(writeState(state))).toEqual(state)
    const nothing = { filter: noFilter, sort: '', columns: ['a'] }
    expect(readState('?filter=nothing&filter=%5B%5D:eq:1&sort=a%20b&columns=a,,b%20c')).toEqual(nothing)
    expect(writeState({ filter: noFilter, sort: '', columns: [] })).toBe('')
  })

  it('holds groups of filters, and takes none that is deeper or longer than a page shows', () => {
    const rule = (property: string): Rule => ({ property, op: 'eq', value: '1' })
    const group = (logic: 'AND' | 'OR', rules: Rule[], groups: Group[] = []): Group => ({ logic, rules, groups })
    const filter = group('AND', [rule('Hours')], [group('OR', [rule('Status'), rule('Part.Title')], [group('AND', [rule('Title')])])])
    const state = { filter, sort: '', columns: [] }
    expect(readState(writeState(state))).toEqual(state)
    expect(writeState(state)).not.toContain('filter=')
    const any = group('OR', [rule('Hours'), rule('Status')])
    expect(readState(writeState({ ...state, filter: any })).filter).toEqual(any)
    const deep = JSON.stringify({ all: [['Hours', 'eq', '1'], { any: [{ all: [{ any: [['Title', 'eq', '1']] }] }] }] })
    const read = readState(`?${new URLSearchParams({ where: deep }).toString()}`).filter
    expect(read).toEqual(group('AND', [rule('Hours')], [group('OR', [], [group('AND', [])])]))
    const wide = JSON.stringify({ any: Array.from({ length: 500 }, () => ['Hours', 'eq', '1']) })
    expect(readState(`?${new URLSearchParams({ where: wide }).toString()}`).filter.rules).toHaveLength(20)
    for (const where of ['{', '[]', '{"any":1}', '7', '{"any":[["a b","eq","1"],[7],null]}'])
      expect(readState(`?${new URLSearchParams({ where }).toString()}`).filter.rules).toEqual([])
  })

  it('becomes values of the types of its properties', () => {
    const types = new Map([
      ['Hours', 'Number'],
      ['IsOpen', 'Boolean'],
      ['Part.Count', 'Number'],
    ])
    const rules: Rule[] = [
      { property: 'Hours', op: 'gt', value: '2.5' },
      { property: 'Hours', op: 'eq', value: 'many' },
      { property: 'IsOpen', op: 'eq', value: 'true' },
      { property: 'Note', op: 'isEmpty', value: '' },
    ]
    const groups = [{ logic: 'OR' as const, rules: [{ property: 'Part.Count', op: 'lt' as const, value: '3' }], groups: [] }]
    const filter = { logic: 'AND' as const, rules, groups }
    expect(listBody({ filter, sort: 'Hours', columns: [] }, types, 50)).toEqual({
      pageSize: 50,
      withDataJson: false,
      sort: [{ property: 'Hours', direction: 'asc' }],
      filterRules: {
        logic: 'AND',
        rules: [
          { property: 'Hours', op: 'gt', value: 2.5 },
          { property: 'Hours', op: 'eq', value: 'many' },
          { property: 'IsOpen', op: 'eq', value: true },
          { property: 'Note', op: 'isEmpty' },
        ],
        groups: [{ logic: 'OR', rules: [{ entity: 'Part', property: 'Count', op: 'lt', value: 3 }] }],
      },
    })
  })
})

describe('what is typed', () => {
  const zoned = { toLocal: (iso: string) => iso.slice(0, 16), fromLocal: (local: string) => `${local}:00.000Z` }
  const field = (name: string, type: string, more: object = {}) => ({ name, type, isList: false, isReadOnly: false, ...more })
  const fields = [
    field('Title', 'Text'),
    field('Hours', 'Number'),
    field('At', 'DateTime'),
    field('Tags', 'Text', { isList: true }),
    field('Locked', 'Text', { isReadOnly: true }),
  ]
  const data = { Title: 'A', Hours: 1, At: '2026-03-01T10:00:30.000Z', Tags: ['x', 'y'], Locked: 'L' }

  it('is not sent where nobody changed it, seconds of a time included', () => {
    const draft = draftOf(fields, data, zoned)
    expect(changesOf(fields, draft, draft, zoned)).toEqual({})
    expect(changesOf(fields, draft, { ...draft, Locked: ['M'], Hours: ['2,5'], Tags: ['x', ' ', 'z'] }, zoned)).toEqual({
      Hours: 2.5,
      Tags: ['x', 'z'],
    })
  })

  it('stays where another changes the rest', () => {
    const before = draftOf(fields, data, zoned)
    const held = draftOf(fields, { ...data, Title: 'B', Hours: 2 }, zoned)
    const rebased = rebasedDraft(fields, before, { ...before, Hours: ['3'] }, held)
    expect(rebased).toEqual({ ...held, Hours: ['3'] })
    expect(differingIn(fields, before, held).map(({ name }) => name)).toEqual(['Title', 'Hours'])
    expect(changesOf(fields, held, rebased, zoned)).toEqual({ Hours: 3 })
  })

  it('clears what was emptied', () => {
    const draft = draftOf(fields, data, zoned)
    expect(changesOf(fields, draft, { ...draft, Title: [], At: [], Tags: [] }, zoned)).toEqual({ Title: null, At: null, Tags: [] })
  })
})
