/** The page of a signed link on the product itself: what is posted arrives in the record. */
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createHttpServer, type HttpServer } from '#server/http/server.ts'
import { createLinkCalls, createPages } from '#server/pages/index.ts'

import { useWorld } from './support/world.ts'
import { noBacklog } from './support/backlog.ts'

const world = useWorld()
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')

let server: HttpServer
let url = ''
const failures: unknown[] = []

beforeAll(async () => {
  const { pipeline, services } = world.platform
  server = await createHttpServer({
    pipeline,
    config: { ...world.config, port: 0 },
    log: services.log,
    readiness: async () => ({ status: 'ready', dependencies: {} }),
    backlog: async () => noBacklog,
    pages: createPages({ calls: createLinkCalls(pipeline), onFailure: (error) => failures.push(error) }),
    docs: { texts: new Map() },
  })
  await server.listen()
  // A listening TCP server has an AddressInfo.
  const { port } = server.app.server.address() as AddressInfo
  url = `http://127.0.0.1:${port}`
  await world.call('create_property', { internalName: 'Note', dataType: 'Text', displays: [{ name: 'Your note' }] })
  await world.call('create_property', { internalName: 'Seen', dataType: 'DateTime' })
  await world.call('create_property', { internalName: 'Photo', dataType: 'Attachment', allowedFileTypes: ['png'] })
  await world.call('create_property', { internalName: 'Signed', dataType: 'Signature' })
  await world.call('create_property', { internalName: 'Part', dataType: 'Text' })
  await world.call('create_property', { internalName: 'Marks', dataType: 'Text' })
  await world.call('create_entity', {
    internalName: 'Gate',
    properties: [...['Note', 'Seen', 'Photo', 'Signed'].map((property) => ({ property })), { property: 'Marks', isList: true }],
  })
  await world.call('create_entity', { internalName: 'GatePart', properties: [{ property: 'Part' }] })
  await world.call('attach_child_entity', { entity: 'Gate', childEntity: 'GatePart', isList: true })
  const fields = [
    { property: 'Note', required: true },
    { property: 'Seen' },
    { property: 'Photo', capture: { maxBytes: 1000 } },
    { property: 'Signed' },
    { property: 'Marks' },
  ]
  const sections = [
    { type: 'detail', name: 'gate', title: { en: 'The gate', de: 'Das Tor' }, fields },
    { type: 'list', name: 'parts', entity: 'GatePart', fields: [{ property: 'Part' }] },
  ]
  await world.call('create_form', {
    entity: 'Gate',
    internalName: 'GateReport',
    description: 'Report on a gate',
    isShared: true,
    layoutJson: { sections },
  })
})
afterAll(() => server?.close())

async function make(more: object = {}): Promise<string> {
  const { token } = await world.call('create_signed_link', { form: 'GateReport', to: { email: 'ana@example.com' }, ...more })
  return token
}

async function post(token: string, fields: Record<string, string | File | readonly string[]>, headers: Record<string, string> = {}) {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of typeof value === 'object' && !(value instanceof File) ? value : [value]) {
      if (typeof one === 'string') body.append(name, one)
      else body.append(name, one, one.name)
    }
  }
  const response = await fetch(`${url}/l/${token}`, { method: 'POST', body, headers })
  return { status: response.status, text: await response.text() }
}

const recordOf = async (note: string) => {
  const found = await world.call('list_instances', { entity: 'Gate', filterRules: [{ property: 'Note', op: 'eq', value: note }] })
  expect(found).toHaveLength(1)
  return found[0]
}

describe('the page of a signed link on the product', () => {
  it('shows the form of the link, with the words of the tenant', async () => {
    const response = await fetch(`${url}/l/${await make()}`)
    const text = await response.text()
    expect([response.status, text.includes('<h1 tabindex="-1">Report on a gate</h1>'), text.includes('Your note')]).toEqual([
      200,
      true,
      true,
    ])
  })

  it('shows it in the language of the browser where nobody knows the recipient’s', async () => {
    const token = await make()
    const shown = async (accepted: string) => (await fetch(`${url}/l/${token}`, { headers: { 'accept-language': accepted } })).text()
    expect(await shown('de-AT,de;q=0.9,en;q=0.8')).toContain('>Das Tor</h2>')
    expect(await shown('en-GB')).toContain('>The gate</h2>')
    expect(await shown('tlh, x-y')).toContain('>The gate</h2>')
  })

  it('puts what is posted into the record: texts, times of the person’s clock, a picture, a typed signature, and rows', async () => {
    const token = await make()
    const { status, text } = await post(token, {
      k: 'a-key-of-the-page',
      zone: 'America/New_York',
      'v:Note': 'Posted',
      'v:Seen': '2026-11-22T08:15',
      // A browser writes the quotation marks as %22.
      'f:Photo': new File([png], 'the "old" gate 5%.png', { type: 'image/png' }),
      'n:Signed': 'Ana Ruiz',
      'v:parts:0:Part': 'Hinge',
      'v:parts:1:Part': '',
    })
    expect([status, text.includes('Thank you'), failures]).toEqual([200, true, []])
    const { data, eiRecordId } = await recordOf('Posted')
    expect(data).toMatchObject({ Seen: '2026-11-22T13:15:00.000Z' })
    expect(await world.call('get_asset', { assetKey: data.Photo })).toMatchObject({
      originalFileName: 'the "old" gate 5%.png',
      mimeType: 'image/png',
      fileSize: png.length,
    })
    expect(await world.call('get_asset', { assetKey: data.Signed })).toMatchObject({ originalFileName: 'signature.svg' })
    const parts = await world.call('list_instances', {
      entity: 'GatePart',
      filterRules: [{ property: 'parentEIRecordId', op: 'eq', value: eiRecordId }],
    })
    expect(parts.map((one: { data: { Part: string } }) => one.data.Part)).toEqual(['Hinge'])
    // Whoever heard nothing and sends it again, is told that it has arrived; anybody else that the link is used.
    expect((await post(token, { k: 'a-key-of-the-page', 'v:Note': 'Posted' })).text).toContain('Thank you')
    expect((await post(token, { k: 'another-key-of-it', 'v:Note': 'Posted' })).status).toBe(410)
    expect((await fetch(`${url}/l/${token}`)).status).toBe(410)
  })

  it('says at the field what is wrong with a file, keeps the others, and leaves the link open', async () => {
    const token = await make()
    const tooLarge = new File([Buffer.concat([png, Buffer.alloc(2_000)])], 'large.png', { type: 'image/png' })
    const wrong = await post(token, { 'v:Note': 'With files', 'f:Photo': tooLarge }, { accept: 'application/json' })
    expect(wrong.status).toBe(400)
    expect(JSON.parse(wrong.text).problems).toMatchObject([{ name: 'v:Photo' }])
    const text = new File(['not a picture'], 'gate.txt', { type: 'text/plain' })
    expect((await post(token, { 'v:Note': 'With files', 'f:Photo': text })).text).toContain('id="problems"')
    expect((await post(token, { 'v:Note': 'With files', 'f:Photo': new File([png], 'gate.png') })).status).toBe(200)
    await recordOf('With files')
  })

  it('takes no wish for another row as the answer, also where the form has no such list any more', async () => {
    const token = await make()
    const asked = await post(token, { 'v:Note': 'Not yet', do: 'add:gone' })
    expect([asked.status, asked.text.includes('value="Not yet"')]).toEqual([200, true])
    expect(
      await world.call('count_instances', { entity: 'Gate', filterRules: [{ property: 'Note', op: 'eq', value: 'Not yet' }] }),
    ).toEqual({
      count: 0,
    })
    expect(await post(token, { 'v:Note': 'Now', do: 'send' })).toMatchObject({ status: 200 })
    expect(await recordOf('Now')).toBeDefined()
  })

  it('shows what a record holds, and clears what was emptied', async () => {
    const { eiRecordId } = await world.call('save_instance', {
      entity: 'Gate',
      key1: 'G-1',
      data: { Note: 'Old', Seen: '2026-11-22T09:30:00Z' },
    })
    await world.call('save_instance', { entity: 'GatePart', parentEIRecordId: eiRecordId, data: { Part: 'Hinge' } })
    const token = await make({ eiRecordId })
    const shown = await (await fetch(`${url}/l/${token}`)).text()
    const [row = ''] = /name="i:parts:0" value="(\d+)"/.exec(shown)?.slice(1) ?? []
    expect([shown.includes('value="Old"'), shown.includes('value="2026-11-22T09:30"'), Number(row)]).toEqual([
      true,
      true,
      expect.any(Number),
    ])
    const { status } = await post(token, {
      'v:Note': 'Emptied',
      'v:Seen': '',
      'i:parts:0': row,
      'v:parts:0:Part': 'Hinge',
      'd:parts:0': 'yes',
    })
    expect(status).toBe(200)
    expect((await recordOf('Emptied')).data.Seen).toBeNull()
    expect(
      await world.call('count_instances', {
        entity: 'GatePart',
        filterRules: [{ property: 'parentEIRecordId', op: 'eq', value: eiRecordId }],
      }),
    ).toEqual({ count: 0 })
  })

  it('leaves a record as it was where nobody touched its answers: seconds, lines of a text and of what stands in a list', async () => {
    const data = { Note: 'Two\nlines', Seen: '2026-11-22T09:30:12.345Z', Marks: ['a\nb', 'c'] }
    const { eiRecordId, rowHash } = await world.call('save_instance', { entity: 'Gate', key1: 'G-2', data })
    const token = await make({ eiRecordId })
    const shown = await (await fetch(`${url}/l/${token}`)).text()
    expect(shown).toMatch(/<textarea[^>]* name="v:Note"[^>]*>\nTwo\nlines<\/textarea>/)
    const untouched = { 'v:Note': 'Two\r\nlines', 'v:Seen': '2026-11-22T09:30', 'v:Marks': 'a\r\nb\r\nc' }
    expect(await post(token, untouched)).toMatchObject({ status: 200 })
    const after = await world.call('get_instance', { entity: 'Gate', record: String(eiRecordId) })
    expect([after.data, after.rowHash]).toEqual([expect.objectContaining(data), rowHash])
  })

  /** What the page brought along of what it had shown. */
  const wasOn = (page: string) => {
    const was = [...page.matchAll(/name="was" value="([^"]*)"/g)].map(([, value = '']) => value)
    expect(was.join('')).not.toBe('')
    return was
  }

  it('undoes nothing that somebody else has changed since it was opened, in the record and in its rows', async () => {
    const data = { Note: 'Before', Seen: '2026-11-22T09:30:12.345Z', Marks: ['one', 'two'] }
    const { eiRecordId } = await world.call('save_instance', { entity: 'Gate', key1: 'G-3', data })
    const part = (key1: string, Part: string) =>
      world.call('save_instance', { entity: 'GatePart', parentEIRecordId: eiRecordId, key1, data: { Part } })
    await part('hinge', 'Hinge')
    const { eiRecordId: lockId } = await part('lock', 'Lock')
    await part('bolt', 'Bolt')
    const token = await make({ eiRecordId })
    const shown = await (await fetch(`${url}/l/${token}`)).text()
    const rows = [0, 1, 2].map((row) => new RegExp(`name="i:parts:${row}" value="(\\d+)"`).exec(shown)?.[1] ?? '')
    const texts = rows.map((_id, row) => new RegExp(`name="v:parts:${row}:Part"[^>]* value="(\\w+)"`).exec(shown)?.[1] ?? '')
    expect(texts.toSorted()).toEqual(['Bolt', 'Hinge', 'Lock'])

    await world.call('save_instance', { entity: 'Gate', key1: 'G-3', data: { Seen: '2026-11-23T10:00:00Z', Marks: null } })
    await part('hinge', 'New hinge')
    await world.call('delete_instance', { entity: 'GatePart', record: String(lockId) })
    const { status } = await post(token, {
      was: wasOn(shown),
      zone: 'Asia/Tokyo',
      'v:Note': 'After',
      'v:Seen': '2026-11-22T18:30',
      'v:Marks': 'one\r\ntwo',
      ...Object.fromEntries(
        rows.flatMap((id, row) => [
          [`i:parts:${row}`, id],
          [`v:parts:${row}:Part`, texts[row] === 'Bolt' ? 'New bolt' : (texts[row] ?? '')],
        ]),
      ),
    })
    expect(status).toBe(200)
    expect((await recordOf('After')).data).toMatchObject({ Note: 'After', Seen: '2026-11-23T10:00:00.000Z', Marks: null })
    const parts = await world.call('list_instances', {
      entity: 'GatePart',
      filterRules: [{ property: 'parentEIRecordId', op: 'eq', value: eiRecordId }],
    })
    expect(parts.map((one: { data: { Part: string } }) => one.data.Part).toSorted()).toEqual(['New bolt', 'New hinge'])
  })

  it('asks for an answer that is needed and was emptied meanwhile by what the page still shows', async () => {
    const { eiRecordId } = await world.call('save_instance', { entity: 'Gate', key1: 'G-4', data: { Note: 'Needed', Marks: ['x'] } })
    const token = await make({ eiRecordId })
    const was = wasOn(await (await fetch(`${url}/l/${token}`)).text())
    await world.call('save_instance', { entity: 'Gate', key1: 'G-4', data: { Note: null } })
    expect(await post(token, { was, 'v:Note': 'Needed', 'v:Marks': 'x' })).toMatchObject({ status: 200 })
    expect((await recordOf('Needed')).eiRecordId).toBe(eiRecordId)
  })

  it('says what it asks for no more, keeps what was answered, and takes the rest when it is sent again', async () => {
    await world.call('create_property', { internalName: 'Extra', dataType: 'Text' })
    await world.call('create_entity', { internalName: 'Fence', properties: [{ property: 'Note' }, { property: 'Extra' }] })
    const layoutOf = (...properties: string[]) => ({
      sections: [{ type: 'detail', name: 'all', fields: properties.map((property) => ({ property })) }],
    })
    await world.call('create_form', { entity: 'Fence', internalName: 'FenceReport', isShared: true, layoutJson: layoutOf('Note', 'Extra') })
    const { eiRecordId } = await world.call('save_instance', { entity: 'Fence', key1: 'F-1', data: { Note: 'n', Extra: 'as it was' } })
    const open = async () => {
      const token = await make({ form: 'FenceReport', eiRecordId })
      return { token, was: wasOn(await (await fetch(`${url}/l/${token}`)).text()) }
    }
    const [one, other] = [await open(), await open()]
    await world.call('update_form', { form: 'FenceReport', layoutJson: layoutOf('Note') })
    const answered = { 'v:Note': 'Painted', 'v:Extra': 'Two boards are <loose>', 'f:Photo': new File([png], 'boards.png'), was: one.was }
    const refused = await post(one.token, answered)
    expect([refused.status, refused.text.includes('value="Painted"')]).toEqual([400, true])
    expect(refused.text).toContain('Extra is not asked for any more. You had answered: Two boards are &#60;loose&#62;.')
    expect(refused.text).toContain('Photo is not asked for any more. You had answered: boards.png.')
    const toScript = await post(one.token, answered, { accept: 'application/json' })
    expect(JSON.parse(toScript.text).problems[0]).toMatchObject({ name: 'v:Extra', isLost: true })
    // The page that came back has no such control any more.
    expect(await post(one.token, { 'v:Note': 'Painted', was: wasOn(refused.text) })).toMatchObject({ status: 200 })
    // What nobody touched is nobody's answer.
    expect(await post(other.token, { 'v:Note': 'Again', 'v:Extra': 'as it was', was: other.was })).toMatchObject({ status: 200 })
    expect((await world.call('get_instance', { entity: 'Fence', record: String(eiRecordId) })).data).toEqual({
      Note: 'Again',
      Extra: 'as it was',
    })
  })
})
