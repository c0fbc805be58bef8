import { createHash, randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { isEmbeddedAnswer } from '#platform/answer.ts'
import { signedText } from '#platform/authenticate.ts'
import { createHttpServer, type HttpServer } from '#server/http/server.ts'
import { detectContentType } from '#tools/assets/content-type.ts'
import { createAssetFromStream, findAssets, openAsset, systemOwner } from '#tools/assets/service.ts'
import { writeUploadToken } from '#tools/assets/upload-url.rules.ts'

import { takeRoom } from './support/full-store.ts'
import { openWorld, type TestTenant, type World } from './support/world.ts'

const limitBytes = 2 * 1024 * 1024
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

let world: World
let server: HttpServer
let port: number
let base: string
beforeAll(async () => {
  world = await openWorld({ PORT: '0', MAX_UPLOAD_BYTES: String(limitBytes), SHUTDOWN_SECONDS: '2' })
  server = await createHttpServer({
    pipeline: world.platform.pipeline,
    config: world.config,
    log: world.platform.services.log,
    readiness: () => Promise.resolve({ status: 'ready', dependencies: {} }),
    docs: { openapi: () => '{}', llmsTxt: () => '' },
    timeouts: { drain: 200 },
  })
  port = (await server.listen()).port
  base = `http://127.0.0.1:${port}`
})
afterAll(async () => {
  await server.close()
  await world.close()
})

interface Answered {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the wire shows
  readonly body: any
}

async function send(
  method: string,
  url: string,
  body?: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = {},
): Promise<Answered> {
  // Links are made for the public address; the test's server listens elsewhere.
  const at = new URL(url, base)
  const response = await fetch(`${base}${at.pathname}${at.search}`, { method, headers, ...(body === undefined ? {} : { body }) })
  const text = await response.text()
  const isJson = (response.headers.get('content-type') ?? '').includes('json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

function upload(bytes: Buffer | string, name: string, fields: Record<string, string> = {}, key = world.tenant.key): Promise<Answered> {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  form.append('file', new Blob([Buffer.from(bytes)]), name)
  return send('POST', '/api/v1/assets', form, bearer(key))
}

async function uploaded(bytes: Buffer | string, name: string, fields: Record<string, string> = {}): Promise<string> {
  const { status, body } = await upload(bytes, name, fields)
  expect(status).toBe(200)
  return body.assetKey
}

/** Every file of the store, of any tenant. */
async function filesOf(tenant: TestTenant): Promise<string[]> {
  const found = await readdir(join(world.config.dataDir, 'files'), { recursive: true, withFileTypes: true })
  return found.filter((entry) => entry.isFile() && `${entry.parentPath}/`.includes(`/files/${tenant.tenantId}/`)).map((entry) => entry.name)
}

async function rowsOf(tenant: TestTenant): Promise<number> {
  const [row] = await world.sql<{ count: number }[]>`select count(*)::int as count from platform.asset where tenant_id = ${tenant.tenantId}`
  return row?.count ?? -1
}

async function eventually(condition: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 5_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not within 5 s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Announces a body and sends only its beginning; `cut` ends the connection. */
async function sendPart(head: string, part: Buffer): Promise<{ cut: () => void }> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.write(Buffer.concat([Buffer.from(head.replaceAll('\n', '\r\n')), part]), () => resolve()))
  return { cut: () => void socket.destroy() }
}

describe('upload_asset', () => {
  it('keeps the bytes and answers the asset with its type by the bytes', async () => {
    const { status, body } = await upload(png, 'C:\\fotos\\gate 4.jpg', { title: 'Gate 4', storageSubFolder: '{PrimaryEntity}/2026' })
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
    const got = await fetch(`${base}/api/v1/assets/${body.assetKey}/download`, { headers: bearer(world.tenant.key) })
    expect(Buffer.from(await got.arrayBuffer()).equals(png)).toBe(true)
  })

  it('takes the bytes as base64 over MCP, and answers as over REST', async () => {
    const overMcp = await world.call('upload_asset', { fileName: 'dot.png', contentBase64: png.toString('base64') }, { transport: 'mcp' })
    const { body: overRest } = await upload(png, 'dot.png')
    const { assetKey: _a, createdDate: _b, modifiedDate: _c, ...rest } = overRest
    expect(overMcp).toMatchObject(rest)
    await expect(world.call('upload_asset', { fileName: 'dot.png' }, { transport: 'mcp' })).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(world.call('upload_asset', { fileName: 'x', contentBase64: 'no base64!' }, { transport: 'mcp' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  it('says what is missing where a form holds no file', async () => {
    const form = new FormData()
    form.append('title', 'Gate')
    expect(await send('POST', '/api/v1/assets', form, bearer(world.tenant.key))).toMatchObject({
      status: 400,
      body: { code: 'invalid_input' },
    })
    const json = await send('POST', '/api/v1/assets', '{"fileName":"a.txt"}', {
      ...bearer(world.tenant.key),
      'content-type': 'application/json',
    })
    expect(json).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  })

  it('saves nothing of an upload that is cut in the middle', async () => {
    const tenant = await world.newTenant()
    const head = `POST /api/v1/assets HTTP/1.1\nHost: x\nAuthorization: Bearer ${tenant.key}\nContent-Type: multipart/form-data; boundary=b\nContent-Length: 1500000\n\n--b\nContent-Disposition: form-data; name="file"; filename="a.bin"\n\n`
    const sending = await sendPart(head, Buffer.alloc(1_300_000, 7))
    await eventually(async () => (await rowsOf(tenant)) === 1, 'the upload has begun')
    sending.cut()
    await eventually(async () => (await rowsOf(tenant)) === 0, 'its row is taken back')
    expect(await filesOf(tenant)).toEqual([])
    expect(await world.call('list_assets', {}, { key: tenant.key })).toEqual([])
  })

  it('saves nothing of a stream that ended because it was truncated', async () => {
    const tenant = await world.newTenant()
    const cut = { stream: Readable.from([Buffer.from('half')]), fileName: 'a.txt', mimeType: 'text/plain', isTruncated: () => true }
    await expect(world.call('upload_asset', {}, { key: tenant.key, upload: cut })).rejects.toMatchObject({ code: 'invalid_input' })
    expect([await rowsOf(tenant), await filesOf(tenant)]).toEqual([0, []])
  })

  it('answers 413 past the limit and saves nothing; the limit itself passes', async () => {
    const tenant = await world.newTenant()
    expect(await upload(Buffer.alloc(limitBytes + 1), 'a.bin', {}, tenant.key)).toMatchObject({ status: 413, body: { code: 'too_large' } })
    expect([await rowsOf(tenant), await filesOf(tenant)]).toEqual([0, []])
    expect(await upload(Buffer.alloc(limitBytes), 'a.bin', {}, tenant.key)).toMatchObject({ status: 200, body: { fileSize: limitBytes } })
  })

  it('answers 503 where the store is full, and saves nothing', async () => {
    const tenant = await world.newTenant()
    const giveBack = await takeRoom(join(world.config.dataDir, 'files'))
    try {
      const refused = await upload(randomBytes(1_000_000), 'a.bin', {}, tenant.key)
      expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } })
      expect(refused.headers.get('retry-after')).toBe('60')
    } finally {
      await giveBack()
    }
    expect([await rowsOf(tenant), await filesOf(tenant)]).toEqual([0, []])
    expect(await upload(randomBytes(1_000_000), 'a.bin', {}, tenant.key)).toMatchObject({ status: 200 })
  })

  it.each([['../up'], ['/abs'], ['a//b'], ['a\\b'], ['{Secret}'], ['a/ b'], ['..']])(
    'refuses the sub-folder %j',
    async (storageSubFolder) => {
      const { status, body } = await upload('x', 'a.txt', { storageSubFolder })
      expect([status, body.code, body.issues[0].path]).toEqual([400, 'invalid_input', '$.storageSubFolder'])
    },
  )

  it('names the token that was meant', async () => {
    const { body } = await upload('x', 'a.txt', { storageSubFolder: '{PrimaryEntty}' })
    expect(body.issues[0].suggestion).toBe('{PrimaryEntity}')
  })

  it('refuses a shortcut and a property that are not there', async () => {
    const { status, body } = await upload('x', 'a.txt', { storageShortcutId: '7', propertyId: '4000' })
    expect([status, body.issues.map((issue: { path: string }) => issue.path)]).toEqual([400, ['$.storageShortcutId', '$.propertyId']])
  })

  it('keeps to what its property takes', async () => {
    const property = async (internalName: string, more: object) =>
      (await world.call('create_property', { internalName, dataType: 'Attachment', ...more })).propertyId
    const pictures = await property('Picture', { allowedFileTypes: ['jpg', 'png'] })
    const passports = await property('Passport', { isSensitive: true })
    const text = (await world.call('create_property', { internalName: 'Remark', dataType: 'Text' })).propertyId
    expect(await upload(png, 'a.png', { propertyId: String(pictures) })).toMatchObject({
      status: 200,
      body: { propertyId: pictures, isSensitive: false },
    })
    const files = (await filesOf(world.tenant)).length
    expect(await upload('no picture', 'a.png', { propertyId: String(pictures) })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_type' },
    })
    expect(await upload('x', 'a.txt', { propertyId: String(passports), isSensitive: 'false' })).toMatchObject({
      status: 422,
      body: { code: 'unprocessable' },
    })
    expect(await upload('x', 'a.txt', { propertyId: String(text) })).toMatchObject({ status: 400 })
    expect((await filesOf(world.tenant)).length).toBe(files)
    expect(await upload('x', 'a.txt', { propertyId: String(passports) })).toMatchObject({ status: 200, body: { isSensitive: true } })
  })

  it('leaves an audit row with the key', async () => {
    const assetKey = await uploaded('x', 'a.txt')
    const rows =
      await world.sql`select outcome from platform.audit_event where operation = 'upload_asset' and facts->>'assetKey' = ${assetKey}`
    expect(rows).toEqual([{ outcome: 'done' }])
  })
})

describe('the type of a file', () => {
  const zip = Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(40)])
  it.each([
    ['photo.jpg', png, 'image/png', 'png'],
    ['scan.JPEG', Buffer.from('/9j/4AAQSkZJRgABAQAAAQABAAD/', 'base64'), 'image/jpeg', 'jpeg'],
    ['rows.csv', 'a,b\n1,2\n', 'text/csv', 'csv'],
    ['rows', 'a,b\n1,2\n', 'text/plain', 'txt'],
    ['data.json', '{"a":1}', 'application/json', 'json'],
    ['note.txt', 'naïve ✓', 'text/plain', 'txt'],
    ['page.txt', '<!doctype html><html><script>alert(1)</script></html>', 'text/html', 'html'],
    ['page.csv', '  <script>alert(1)</script>', 'text/html', 'html'],
    ['logo.png', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', 'svg'],
    ['logo.xml', '<?xml version="1.0"?>\n<!-- x -->\n<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', 'svg'],
    ['feed.xml', '<?xml version="1.0"?><feed/>', 'application/xml', 'xml'],
    ['report.pdf', '%PDF-1.7\n', 'application/pdf', 'pdf'],
    ['report.pdf', 'no pdf', 'text/plain', 'txt'],
    ['sheet.xlsx', zip, 'application/zip', 'xlsx'],
    ['photo.png', zip, 'application/zip', 'zip'],
    ['photo.jpg', Buffer.from([0x4d, 0x5a, 0x90, 0, 3, 0, 0, 0]), 'application/x-msdownload', 'exe'],
    ['thing.dat', Buffer.from([0, 1, 2, 3, 250]), 'application/octet-stream', 'dat'],
    ['empty.txt', '', 'text/plain', 'txt'],
    ['utf16.txt', Buffer.from('\uFEFFhello', 'utf16le'), 'text/plain', 'txt'],
  ])('of %s is what its bytes say', async (name, bytes, mimeType, extension) => {
    expect(await detectContentType(Buffer.from(bytes), name)).toEqual({ mimeType, extension })
  })
})

describe('download_asset', () => {
  it('never lets a browser run what was uploaded', async () => {
    const shown = { png: await uploaded(png, 'a.png'), txt: await uploaded('text', 'a.txt') }
    const offered = {
      html: await uploaded('<html><script>1</script></html>', 'a.html'),
      svg: await uploaded('<svg onload="alert(1)"/>', 'a.svg'),
      json: await uploaded('{}', 'a.json'),
    }
    const disposition = async (assetKey: string) => {
      const { headers, status } = await send('GET', `/api/v1/assets/${assetKey}/download`, undefined, bearer(world.tenant.key))
      expect([status, headers.get('x-content-type-options')]).toEqual([200, 'nosniff'])
      return headers.get('content-disposition')?.split(';')[0]
    }
    for (const assetKey of Object.values(shown)) expect(await disposition(assetKey)).toBe('inline')
    for (const assetKey of Object.values(offered)) expect(await disposition(assetKey)).toBe('attachment')
  })

  it('answers a range and an unchanged file', async () => {
    const assetKey = await uploaded('0123456789', 'a.txt')
    const path = `/api/v1/assets/${assetKey}/download`
    const part = await send('GET', path, undefined, { ...bearer(world.tenant.key), range: 'bytes=2-4' })
    expect([part.status, part.body]).toEqual([206, '234'])
    const etag = createHash('sha256').update('0123456789').digest('hex')
    expect(part.headers.get('etag')).toBe(`"${etag}"`)
    expect((await send('GET', path, undefined, { ...bearer(world.tenant.key), 'if-none-match': `"${etag}"` })).status).toBe(304)
  })

  it('answers over MCP a URL that works, and the bytes up to 1 MiB', async () => {
    const small = await uploaded(png, 'a.png')
    const answer = await world.run('download_asset', { assetKey: small }, { transport: 'mcp' })
    expect(isEmbeddedAnswer(answer) && answer.bytes.equals(png)).toBe(true)
    const large = await uploaded(randomBytes(1024 * 1024 + 1), 'a.bin')
    const record = await world.run('download_asset', { assetKey: large }, { transport: 'mcp' })
    expect(record).toMatchObject({ mimeType: 'application/octet-stream', sizeBytes: 1024 * 1024 + 1 })
    expect(isEmbeddedAnswer(record)).toBe(false)
    const { url } = await world.call('download_asset', { assetKey: small }, { transport: 'mcp' })
    expect((await send('GET', url)).status).toBe(200)
  })
})

describe('sign_asset_url', () => {
  it('answers a URL that needs nothing else for 15 minutes', async () => {
    const assetKey = await uploaded('signed', 'a.txt')
    const before = Date.now()
    const { url, expiresAt } = await world.call('sign_asset_url', { assetKey })
    expect(Date.parse(expiresAt) - before).toBeGreaterThan(14.9 * 60_000)
    expect(Date.parse(expiresAt) - before).toBeLessThanOrEqual(15 * 60_000 + 1000)
    expect(await send('GET', url)).toMatchObject({ status: 200, body: 'signed' })
  })

  it('is refused with 403 once anything of it was changed or its time has passed, and 401 without a signature', async () => {
    const [assetKey, other] = [await uploaded('signed', 'a.txt'), await uploaded('other', 'b.txt')]
    const { url } = await world.call('sign_asset_url', { assetKey })
    const changed = (change: (target: URL) => void) => {
      const target = new URL(url)
      change(target)
      return target.toString()
    }
    const refused = [
      changed((target) => target.searchParams.set('sig', `${target.searchParams.get('sig')?.slice(0, -2)}xx`)),
      changed((target) => target.searchParams.set('u', '999999')),
      changed((target) => target.searchParams.set('exp', String(Number(target.searchParams.get('exp')) + 60))),
      changed((target) => target.searchParams.delete('sig')),
      changed((target) => (target.pathname = target.pathname.replace(assetKey, other))),
    ]
    for (const target of refused) expect((await send('GET', target)).status).toBe(403)
    const path = `/api/v1/assets/${assetKey}/download`
    const [exp, u] = [String(Math.floor(Date.now() / 1000) - 1), String(world.tenant.tenantUserId)]
    const sig = world.platform.services.secrets.sign('url', signedText('GET', path, exp, u))
    expect(await send('GET', `${path}?sig=${sig}&exp=${exp}&u=${u}`)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect((await send('GET', path)).status).toBe(401)
  })

  it('opens nothing but the download', async () => {
    const assetKey = await uploaded('signed', 'a.txt')
    const { url } = await world.call('sign_asset_url', { assetKey })
    const { search } = new URL(url)
    expect((await send('POST', `/api/v1/assets/${assetKey}${search}`, '{}', { 'content-type': 'application/json' })).status).toBe(401)
  })
})

describe('a sensitive asset', () => {
  it('leaves an audit row for each read of it', async () => {
    const assetKey = await uploaded('secret', 'a.txt', { isSensitive: 'true' })
    const open = await uploaded('open', 'b.txt')
    for (const key of [assetKey, open]) {
      await world.call('get_asset', { assetKey: key })
      const { url } = await world.call('sign_asset_url', { assetKey: key })
      expect((await send('GET', url)).status).toBe(200)
    }
    const reads = (key: string) => world.sql<{ operation: string; credentialId: string }[]>`
      select operation, split_part(credential_id, ':', 1) as credential_id from platform.audit_event
      where facts->>'assetKey' = ${key} and operation <> 'upload_asset' order by audit_event_id`
    expect(await reads(assetKey)).toEqual([
      { operation: 'get_asset', credentialId: 'key' },
      { operation: 'sign_asset_url', credentialId: 'key' },
      { operation: 'download_asset', credentialId: 'signed' },
    ])
    expect(await reads(open)).toEqual([])
  })
})

describe('create_upload_url', () => {
  it('takes the bytes once, without another credential', async () => {
    const { url, assetKey, expiresAt } = await world.call('create_upload_url', {
      fileName: 'gate.jpg',
      title: 'Gate',
      sizeBytes: png.length,
    })
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now())
    const download = `/api/v1/assets/${assetKey}/download`
    expect((await send('GET', download, undefined, bearer(world.tenant.key))).status).toBe(404)
    await expect(world.call('get_asset', { assetKey })).rejects.toMatchObject({ code: 'not_found' })
    expect((await world.call('list_assets', { search: 'gate.jpg' })).map((row: { assetKey: string }) => row.assetKey)).not.toContain(
      assetKey,
    )
    const put = await send('PUT', url, png)
    expect(put).toMatchObject({ status: 200, body: { assetKey, title: 'Gate', mimeType: 'image/png', fileSize: png.length } })
    expect(await send('PUT', url, png)).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect((await send('GET', download, undefined, bearer(world.tenant.key))).status).toBe(200)
    const audit = await world.sql`
      select tenant_user_id, credential_id from platform.audit_event where operation = 'put_upload' and facts->>'assetKey' = ${assetKey}`
    expect(audit).toEqual([{ tenantUserId: world.tenant.tenantUserId, credentialId: 'upload-url' }])
  })

  it('is refused with 403 when it was changed or has expired', async () => {
    const { url, assetKey } = await world.call('create_upload_url', { fileName: 'a.txt' })
    const other = await world.newTenant()
    const { tenantId } = world.tenant
    const sign = (text: string) => world.platform.services.secrets.sign('upload', text)
    const expired = writeUploadToken({ tenantId, assetKey, exp: Math.floor(Date.now() / 1000) - 1 }, sign)
    for (const target of [
      `/api/v1/uploads/${expired}`,
      url.replace(`/${tenantId}.`, `/${other.tenantId}.`),
      `${url}x`,
      '/api/v1/uploads/nonsense',
    ]) {
      expect(await send('PUT', target, 'x')).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    }
    expect((await send('PUT', url, 'x')).status).toBe(200)
  })

  it('keeps nothing of another number of bytes than announced, and takes another try', async () => {
    const tenant = await world.newTenant()
    const { url, assetKey } = await world.call('create_upload_url', { fileName: 'a.txt', sizeBytes: 5 }, { key: tenant.key })
    expect(await send('PUT', url, '1234')).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(await send('PUT', url, '123456')).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(await filesOf(tenant)).toEqual([])
    await expect(world.call('get_asset', { assetKey }, { key: tenant.key })).rejects.toMatchObject({ code: 'not_found' })
    expect((await send('PUT', url, '12345')).status).toBe(200)
  })

  it('takes another try after a PUT that was cut in the middle', async () => {
    const tenant = await world.newTenant()
    const { url, assetKey } = await world.call('create_upload_url', { fileName: 'a.bin' }, { key: tenant.key })
    const pathOf = async () =>
      (await world.sql<{ storagePath: string }[]>`select storage_path from platform.asset where asset_key = ${assetKey}`)[0]?.storagePath
    const before = await pathOf()
    const sending = await sendPart(`PUT ${new URL(url).pathname} HTTP/1.1\nHost: x\nContent-Length: 1000000\n\n`, Buffer.alloc(900_000, 7))
    const arriving = () => readdir(join(world.config.dataDir, 'files', '.incoming'))
    await eventually(async () => (await pathOf()) !== before && (await arriving()).length > 0, 'the PUT has begun')
    sending.cut()
    await eventually(async () => (await arriving()).length === 0, 'the part is gone')
    await expect(world.call('get_asset', { assetKey }, { key: tenant.key })).rejects.toMatchObject({ code: 'not_found' })
    expect((await send('PUT', url, Buffer.alloc(1_000_000, 7))).status).toBe(200)
    expect(await filesOf(tenant)).toHaveLength(1)
  })

  it('lets one of two that arrive together win, and its bytes stay', async () => {
    const tenant = await world.newTenant()
    const { url, assetKey } = await world.call('create_upload_url', { fileName: 'a.bin' }, { key: tenant.key })
    const bodies = [randomBytes(400_000), randomBytes(400_000)]
    const puts = await Promise.all(bodies.map((body) => send('PUT', url, body)))
    expect(puts.map((put) => put.status).sort((a, b) => a - b)).toEqual([200, 409])
    const winner = bodies[puts.findIndex((put) => put.status === 200)]
    const got = await fetch(`${base}/api/v1/assets/${assetKey}/download`, { headers: bearer(tenant.key) })
    expect(Buffer.from(await got.arrayBuffer()).equals(winner ?? Buffer.alloc(0))).toBe(true)
    expect(await filesOf(tenant)).toHaveLength(1)
  })

  it('is dead once the tenant is suspended', async () => {
    const tenant = await world.newTenant()
    const { url } = await world.call('create_upload_url', { fileName: 'a.txt' }, { key: tenant.key })
    await world.sql`update platform.tenant set is_deactivated = true where tenant_id = ${tenant.tenantId}`
    expect(await send('PUT', url, 'x')).toMatchObject({ status: 403, body: { code: 'tenant_suspended' } })
  })

  it('refuses at once a size past the limit', async () => {
    await expect(world.call('create_upload_url', { fileName: 'a.bin', sizeBytes: limitBytes + 1 })).rejects.toMatchObject({
      code: 'too_large',
    })
  })
})

describe('list_assets', () => {
  it('answers the newest first, page by page, and looks into titles and names', async () => {
    const tenant = await world.newTenant()
    for (const name of ['one.txt', 'two.txt', 'three.txt', 'fo_r.txt', 'five.txt'])
      expect((await upload('x', name, {}, tenant.key)).status).toBe(200)
    const list = async (body: unknown) => {
      const answer = await send('POST', '/api/v1/assets/list', JSON.stringify(body), {
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
    const assetKey = await uploaded('mine', 'a.txt')
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
    const { body } = await upload('gone', 'a.txt', {}, tenant.key)
    const { assetKey } = body
    expect(await filesOf(tenant)).toHaveLength(1)
    expect(await world.call('delete_asset', { assetKey }, { key: tenant.key })).toEqual({ assetKey, deleted: true })
    for (const name of ['get_asset', 'download_asset', 'sign_asset_url', 'delete_asset']) {
      await expect(world.run(name, { assetKey }, { key: tenant.key })).rejects.toMatchObject({ code: 'not_found' })
    }
    await eventually(async () => (await filesOf(tenant)).length === 0, 'the bytes are removed')
  })

  it('sweeps with it the uploads that were given up a day ago', async () => {
    const tenant = await world.newTenant()
    const { assetKey } = await world.call('create_upload_url', { fileName: 'never.txt' }, { key: tenant.key })
    const waiting = await world.call('create_upload_url', { fileName: 'later.txt' }, { key: tenant.key })
    const [row] = await world.sql<{ storagePath: string }[]>`
      update platform.asset set upload_until = now() - interval '25 hours' where asset_key = ${assetKey} returning storage_path`
    // What a process that was killed between storing the bytes and showing the asset leaves behind.
    await world.platform.services.storage.put(row?.storagePath ?? '', Readable.from([Buffer.from('orphan')]), { maxBytes: 100 })
    const { body } = await upload('x', 'a.txt', {}, tenant.key)
    await world.call('delete_asset', { assetKey: body.assetKey }, { key: tenant.key })
    await eventually(async () => (await filesOf(tenant)).length === 0, 'the orphan is removed')
    expect((await send('PUT', waiting.url, 'x')).status).toBe(200)
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
    const assetKey = await uploaded('x', '../../../etc/passwd')
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
