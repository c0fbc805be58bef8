import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createAssetFromStream, findAssets, openAsset, systemOwner } from '#tools/assets/service.ts'

import { bearer, type FileServer, openFileServer } from './support/file-server.ts'
import { takeRoom } from './support/full-store.ts'
import { eventually } from './support/patience.ts'
import type { TestTenant, World } from './support/world.ts'

const limitBytes = 2 * 1024 * 1024
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

let server: FileServer
let world: World
beforeAll(async () => {
  server = await openFileServer({ MAX_UPLOAD_BYTES: String(limitBytes) })
  world = server.world
})
afterAll(() => server.close())

async function rowsOf(tenant: TestTenant): Promise<number> {
  const [row] = await world.sql<{ count: number }[]>`select count(*)::int as count from platform.asset where tenant_id = ${tenant.tenantId}`
  return row?.count ?? -1
}

describe('upload_asset', () => {
  it('keeps the bytes and answers the asset with its type by the bytes', async () => {
    const { status, body } = await server.upload(png, 'C:\\fotos\\gate 4.jpg', {
      title: 'Gate 4',
      storageSubFolder: '{PrimaryEntity}/2026',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      originalFileName: 'gate 4.jpg',
      title: 'Gate 4',
      mimeType: 'image/png',
      fileExtension: 'png',
      fileSize: png.length,
      subPath: '{PrimaryEntity}/2026',
      isSensitive: false,
      propertyId: null,
    })
    expect(await world.call('get_asset', { assetKey: body.assetKey })).toEqual(body)
    const got = await fetch(`${server.url}/api/v1/assets/${body.assetKey}/download`, { headers: bearer(world.tenant.key) })
    expect(Buffer.from(await got.arrayBuffer()).equals(png)).toBe(true)
  })

  it('takes the bytes as base64 over MCP, and answers as over REST', async () => {
    const overMcp = await world.call('upload_asset', { fileName: 'dot.png', contentBase64: png.toString('base64') }, { transport: 'mcp' })
    const { body: overRest } = await server.upload(png, 'dot.png')
    const { assetKey: _a, createdDate: _b, modifiedDate: _c, ...rest } = overRest
    expect(overMcp).toMatchObject(rest)
    await expect(world.call('upload_asset', { fileName: 'dot.png' }, { transport: 'mcp' })).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(world.call('upload_asset', { fileName: 'x', contentBase64: 'no base64!' }, { transport: 'mcp' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  it('shows as a tool what a call over MCP must hold', () => {
    expect(world.platform.pipeline.registry.byName.get('upload_asset')?.inputSchema).toMatchObject({
      required: ['fileName', 'contentBase64'],
    })
  })

  it('says what is missing where a form holds no file', async () => {
    const form = new FormData()
    form.append('title', 'Gate')
    expect(await server.send('POST', '/api/v1/assets', form, bearer(world.tenant.key))).toMatchObject({
      status: 400,
      body: { code: 'invalid_input' },
    })
    const json = await server.send('POST', '/api/v1/assets', '{"fileName":"a.txt"}', {
      ...bearer(world.tenant.key),
      'content-type': 'application/json',
    })
    expect(json).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  })

  it('saves nothing of an upload that is cut in the middle', async () => {
    const tenant = await world.newTenant()
    const head = `POST /api/v1/assets HTTP/1.1\nHost: x\nAuthorization: Bearer ${tenant.key}\nContent-Type: multipart/form-data; boundary=b\nContent-Length: 1500000\n\n--b\nContent-Disposition: form-data; name="file"; filename="a.bin"\n\n`
    const sending = await server.sendPart(head, Buffer.alloc(1_300_000, 7))
    await eventually(async () => (await rowsOf(tenant)) === 1, 'the upload has begun')
    sending.cut()
    await eventually(async () => (await rowsOf(tenant)) === 0, 'its row is taken back')
    expect(await server.filesOf(tenant)).toEqual([])
    expect(await world.call('list_assets', {}, { key: tenant.key })).toEqual([])
  })

  it('saves nothing of a stream that ended because it was truncated', async () => {
    const tenant = await world.newTenant()
    const cut = { stream: Readable.from([Buffer.from('half')]), fileName: 'a.txt', mimeType: 'text/plain', isTruncated: () => true }
    await expect(world.call('upload_asset', {}, { key: tenant.key, upload: cut })).rejects.toMatchObject({ code: 'invalid_input' })
    expect([await rowsOf(tenant), await server.filesOf(tenant)]).toEqual([0, []])
  })

  it('answers 413 past the limit and saves nothing; the limit itself passes', async () => {
    const tenant = await world.newTenant()
    expect(await server.upload(Buffer.alloc(limitBytes + 1), 'a.bin', {}, tenant.key)).toMatchObject({
      status: 413,
      body: { code: 'too_large' },
    })
    expect([await rowsOf(tenant), await server.filesOf(tenant)]).toEqual([0, []])
    expect(await server.upload(Buffer.alloc(limitBytes), 'a.bin', {}, tenant.key)).toMatchObject({
      status: 200,
      body: { fileSize: limitBytes },
    })
  })

  it('answers 503 where the store is full, and saves nothing', async () => {
    const tenant = await world.newTenant()
    const giveBack = await takeRoom(join(world.config.dataDir, 'files'))
    try {
      const refused = await server.upload(randomBytes(1_000_000), 'a.bin', {}, tenant.key)
      expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } })
      expect(refused.headers.get('retry-after')).toBe('60')
    } finally {
      await giveBack()
    }
    expect([await rowsOf(tenant), await server.filesOf(tenant)]).toEqual([0, []])
    expect(await server.upload(randomBytes(1_000_000), 'a.bin', {}, tenant.key)).toMatchObject({ status: 200 })
  })

  it.each([['../up'], ['/abs'], ['a//b'], ['a\\b'], ['{Secret}'], ['a/ b'], ['..']])(
    'refuses the sub-folder %j',
    async (storageSubFolder) => {
      const { status, body } = await server.upload('x', 'a.txt', { storageSubFolder })
      expect([status, body.code, body.issues[0].path]).toEqual([400, 'invalid_input', '$.storageSubFolder'])
    },
  )

  it('names the token that was meant', async () => {
    const { body } = await server.upload('x', 'a.txt', { storageSubFolder: '{PrimaryEntty}' })
    expect(body.issues[0].suggestion).toBe('{PrimaryEntity}')
  })

  it('refuses a shortcut and a property that are not there', async () => {
    const { status, body } = await server.upload('x', 'a.txt', { storageShortcutId: '7', propertyId: '4000' })
    expect([status, body.issues.map((issue: { path: string }) => issue.path)]).toEqual([400, ['$.storageShortcutId', '$.propertyId']])
  })

  it('keeps to what its property takes', async () => {
    const property = async (internalName: string, more: object) =>
      (await world.call('create_property', { internalName, dataType: 'Attachment', ...more })).propertyId
    const pictures = await property('Picture', { allowedFileTypes: ['jpg', 'png'] })
    const passports = await property('Passport', { isSensitive: true })
    const text = (await world.call('create_property', { internalName: 'Remark', dataType: 'Text' })).propertyId
    expect(await server.upload(png, 'a.png', { propertyId: String(pictures) })).toMatchObject({
      status: 200,
      body: { propertyId: pictures, isSensitive: false },
    })
    const files = (await server.filesOf(world.tenant)).length
    expect(await server.upload('no picture', 'a.png', { propertyId: String(pictures) })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_type' },
    })
    // Told before the bytes travel.
    await expect(world.call('create_upload_url', { fileName: 'a.PDF', propertyId: pictures })).rejects.toMatchObject({
      code: 'unsupported_type',
      message: expect.stringContaining('The property takes jpg, png'),
    })
    for (const fileName of ['a.jpeg', 'photo'])
      expect((await world.call('create_upload_url', { fileName, propertyId: pictures })).url).toContain('/uploads/')
    expect(await server.upload('x', 'a.txt', { propertyId: String(passports), isSensitive: 'false' })).toMatchObject({
      status: 422,
      body: { code: 'unprocessable' },
    })
    expect(await server.upload('x', 'a.txt', { propertyId: String(text) })).toMatchObject({ status: 400 })
    expect((await server.filesOf(world.tenant)).length).toBe(files)
    expect(await server.upload('x', 'a.txt', { propertyId: String(passports) })).toMatchObject({ status: 200, body: { isSensitive: true } })
  })

  it('leaves an audit row with the key', async () => {
    const assetKey = await server.uploaded('x', 'a.txt')
    const rows =
      await world.sql`select outcome from platform.audit_event where operation = 'upload_asset' and facts->>'assetKey' = ${assetKey}`
    expect(rows).toEqual([{ outcome: 'done' }])
  })
})

describe('list_assets', () => {
  it('answers the newest first, page by page, and looks into titles and names', async () => {
    const tenant = await world.newTenant()
    for (const name of ['one.txt', 'two.txt', 'three.txt', 'fo_r.txt', 'five.txt'])
      expect((await server.upload('x', name, {}, tenant.key)).status).toBe(200)
    const list = async (body: unknown) => {
      const answer = await server.send('POST', '/api/v1/assets/list', JSON.stringify(body), {
        ...bearer(tenant.key),
        'content-type': 'application/json',
      })
      expect(answer.status).toBe(200)
      return {
        names: answer.body.map((row: { title: string }) => row.title),
        next: answer.headers.get('x-next-cursor'),
        total: answer.headers.get('x-total-count'),
      }
    }
    const first = await list({ pageSize: 2 })
    expect(first).toMatchObject({ names: ['five.txt', 'fo_r.txt'], total: '5' })
    const second = await list({ pageSize: 2, cursor: first.next })
    expect(second).toMatchObject({ names: ['three.txt', 'two.txt'], total: null })
    expect(await list({ pageSize: 2, page: 3 })).toEqual({ names: ['one.txt'], next: null, total: null })
    expect(await list({ search: 'O' })).toMatchObject({ names: ['fo_r.txt', 'two.txt', 'one.txt'], total: '3' })
    expect(await list({ search: '_' })).toMatchObject({ names: ['fo_r.txt'] })
    expect(await list({ sourceId: 1, includeTotal: false })).toMatchObject({ total: null })
    expect((await list({ sourceId: 2 })).names).toEqual([])
    expect((await list({ folderId: 9 })).names).toEqual([])
    await expect(world.call('list_assets', { cursor: 'bm9wZQ' }, { key: tenant.key })).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

describe('another tenant', () => {
  it('is answered as if the asset did not exist', async () => {
    const assetKey = await server.uploaded('mine', 'a.txt')
    const { key } = await world.newTenant()
    for (const name of ['get_asset', 'sign_asset_url', 'download_asset', 'delete_asset']) {
      const foreign = await world.run(name, { assetKey }, { key }).catch((error: unknown) => error)
      const absent = await world.run(name, { assetKey: crypto.randomUUID() }, { key }).catch((error: unknown) => error)
      expect(foreign).toMatchObject({ code: 'not_found' })
      expect(String(foreign)).toBe(String(absent))
    }
    expect((await world.call('get_asset', { assetKey })).assetKey).toBe(assetKey)
  })
})

describe('delete_asset', () => {
  it('takes the file away for good', async () => {
    const tenant = await world.newTenant()
    const { body } = await server.upload('gone', 'a.txt', {}, tenant.key)
    const { assetKey } = body
    expect(await server.filesOf(tenant)).toHaveLength(1)
    expect(await world.call('delete_asset', { assetKey }, { key: tenant.key })).toEqual({ assetKey, deleted: true })
    for (const name of ['get_asset', 'download_asset', 'sign_asset_url', 'delete_asset']) {
      await expect(world.run(name, { assetKey }, { key: tenant.key })).rejects.toMatchObject({ code: 'not_found' })
    }
    await eventually(async () => (await server.filesOf(tenant)).length === 0, 'the bytes are removed')
  })

  it('removes the bytes of all, however many were deleted at once', async () => {
    const tenant = await world.newTenant()
    const { key } = tenant
    const files = Array.from({ length: 45 }, (_, at) =>
      world.call('upload_asset', { fileName: `${at}.txt`, contentBase64: 'YQ==' }, { key, transport: 'mcp' }),
    )
    const kept = await Promise.all(files)
    expect(await server.filesOf(tenant)).toHaveLength(45)
    await Promise.all(kept.map(({ assetKey }) => world.call('delete_asset', { assetKey }, { key })))
    await eventually(async () => (await server.filesOf(tenant)).length === 0, 'the bytes of all are removed')
  })

  it('takes a key in capitals and answers it as it is kept', async () => {
    const { assetKey } = await world.call('upload_asset', { fileName: 'a.txt', contentBase64: 'YQ==' }, { transport: 'mcp' })
    const answer = await world.call('delete_asset', { assetKey: assetKey.toUpperCase() })
    expect(answer).toEqual({ assetKey, deleted: true })
  })

  it('sweeps with it the uploads that were given up a day ago', async () => {
    const tenant = await world.newTenant()
    const { assetKey } = await world.call('create_upload_url', { fileName: 'never.txt' }, { key: tenant.key })
    const waiting = await world.call('create_upload_url', { fileName: 'later.txt' }, { key: tenant.key })
    const [row] = await world.sql<{ storagePath: string }[]>`
      update platform.asset set upload_until = now() - interval '25 hours' where asset_key = ${assetKey} returning storage_path`
    // What a process that was killed between storing the bytes and showing the asset leaves behind.
    await world.platform.services.storage.put(row?.storagePath ?? '', Readable.from([Buffer.from('orphan')]), { maxBytes: 100 })
    const { body } = await server.upload('x', 'a.txt', {}, tenant.key)
    await world.call('delete_asset', { assetKey: body.assetKey }, { key: tenant.key })
    await eventually(async () => (await server.filesOf(tenant)).length === 0, 'the orphan is removed')
    expect((await server.send('PUT', waiting.url, 'x')).status).toBe(200)
  })
})

describe('the door for other domains', () => {
  it('finds, opens and makes assets', async () => {
    const { services } = world.platform
    const { tenantId } = world.tenant
    const made = await createAssetFromStream(
      systemOwner(services, tenantId),
      { fileName: 'export.csv' },
      { stream: Readable.from([Buffer.from('a,b\n')]) },
    )
    expect(made).toMatchObject({ mimeType: 'text/csv', fileExtension: 'csv', fileSize: 4 })
    const other = await world.newTenant()
    const found = await services.databases.transact({ tenantId }, ({ tx }) =>
      findAssets(tx, tenantId, [made.assetKey, crypto.randomUUID(), 'no key', made.assetKey.toUpperCase()]),
    )
    expect([...found.keys()]).toEqual([made.assetKey])
    const opened = await openAsset(services, tenantId, made.assetKey)
    expect(Buffer.concat(await opened.stream.toArray()).toString()).toBe('a,b\n')
    await expect(openAsset(services, other.tenantId, made.assetKey)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('keeps files under the tenant, the year and the month, never under the name that somebody gave', async () => {
    const assetKey = await server.uploaded('x', '../../../etc/passwd')
    const { originalFileName, createdDate } = await world.call('get_asset', { assetKey })
    expect(originalFileName).toBe('passwd')
    const path = join(
      world.config.dataDir,
      'files',
      String(world.tenant.tenantId),
      createdDate.slice(0, 4),
      createdDate.slice(5, 7),
      assetKey,
    )
    expect((await stat(path)).size).toBe(1)
  })
})
