import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { isEmbeddedAnswer } from '#platform/answer.ts'
import { signedText } from '#platform/authenticate.ts'
import { detectContentType } from '#tools/assets/content-type.ts'
import { writeUploadToken } from '#tools/assets/upload-url.rules.ts'

import { bearer, type FileServer, openFileServer } from './support/file-server.ts'
import { eventually } from './support/patience.ts'
import type { World } from './support/world.ts'

const limitBytes = 2 * 1024 * 1024
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

let server: FileServer
let world: World
beforeAll(async () => {
  server = await openFileServer({ MAX_UPLOAD_BYTES: String(limitBytes) })
  world = server.world
})
afterAll(() => server.close())

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
    ['people.csv', 'BMail,Name\nbea@example.com,Bea\n', 'text/csv', 'csv'],
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
    const shown = { png: await server.uploaded(png, 'a.png'), txt: await server.uploaded('text', 'a.txt') }
    const offered = {
      html: await server.uploaded('<html><script>1</script></html>', 'a.html'),
      svg: await server.uploaded('<svg onload="alert(1)"/>', 'a.svg'),
      json: await server.uploaded('{}', 'a.json'),
    }
    const disposition = async (assetKey: string) => {
      const { headers, status } = await server.send('GET', `/api/v1/assets/${assetKey}/download`, undefined, bearer(world.tenant.key))
      expect([status, headers.get('x-content-type-options')]).toEqual([200, 'nosniff'])
      return headers.get('content-disposition')?.split(';')[0]
    }
    for (const assetKey of Object.values(shown)) expect(await disposition(assetKey)).toBe('inline')
    for (const assetKey of Object.values(offered)) expect(await disposition(assetKey)).toBe('attachment')
  })

  it('answers a range and an unchanged file', async () => {
    const assetKey = await server.uploaded('0123456789', 'a.txt')
    const path = `/api/v1/assets/${assetKey}/download`
    const part = await server.send('GET', path, undefined, { ...bearer(world.tenant.key), range: 'bytes=2-4' })
    expect([part.status, part.body]).toEqual([206, '234'])
    const etag = createHash('sha256').update('0123456789').digest('hex')
    expect(part.headers.get('etag')).toBe(`"${etag}"`)
    expect((await server.send('GET', path, undefined, { ...bearer(world.tenant.key), 'if-none-match': `"${etag}"` })).status).toBe(304)
  })

  it('answers over MCP a URL that works, and the bytes up to 1 MiB', async () => {
    const small = await server.uploaded(png, 'a.png')
    const answer = await world.run('download_asset', { assetKey: small }, { transport: 'mcp' })
    expect(isEmbeddedAnswer(answer) && answer.bytes.equals(png)).toBe(true)
    const large = await server.uploaded(randomBytes(1024 * 1024 + 1), 'a.bin')
    const record = await world.run('download_asset', { assetKey: large }, { transport: 'mcp' })
    expect(record).toMatchObject({ mimeType: 'application/octet-stream', sizeBytes: 1024 * 1024 + 1 })
    expect(isEmbeddedAnswer(record)).toBe(false)
    const { url } = await world.call('download_asset', { assetKey: small }, { transport: 'mcp' })
    expect((await server.send('GET', url)).status).toBe(200)
  })
})

describe('sign_asset_url', () => {
  it('answers a URL that needs nothing else for 15 minutes', async () => {
    const assetKey = await server.uploaded('signed', 'a.txt')
    const before = Date.now()
    const { url, expiresAt } = await world.call('sign_asset_url', { assetKey })
    expect(Date.parse(expiresAt) - before).toBeGreaterThan(14.9 * 60_000)
    expect(Date.parse(expiresAt) - before).toBeLessThanOrEqual(15 * 60_000 + 1000)
    expect(await server.send('GET', url)).toMatchObject({ status: 200, body: 'signed' })
  })

  it('is refused with 403 once anything of it was changed or its time has passed, and 401 without a signature', async () => {
    const [assetKey, other] = [await server.uploaded('signed', 'a.txt'), await server.uploaded('other', 'b.txt')]
    const { url } = await world.call('sign_asset_url', { assetKey })
    const changed = (change: (target: URL) => void) => {
      const target = new URL(url)
      change(target)
      return target.toString()
    }
    const refused = [
      changed((target) => target.searchParams.set('sig', `${target.searchParams.get('sig')?.slice(0, -2)}xx`)),
      changed((target) => target.searchParams.set('sig', target.searchParams.get('sig')?.replace(/^k\d+/, 's') ?? '')),
      changed((target) => target.searchParams.set('u', '999999')),
      changed((target) => target.searchParams.set('exp', String(Number(target.searchParams.get('exp')) + 60))),
      changed((target) => target.searchParams.delete('sig')),
      changed((target) => (target.pathname = target.pathname.replace(assetKey, other))),
    ]
    for (const target of refused) expect((await server.send('GET', target)).status).toBe(403)
    const path = `/api/v1/assets/${assetKey}/download`
    const [exp, u] = [String(Math.floor(Date.now() / 1000) - 1), String(world.tenant.tenantUserId)]
    const asker = new URL(url).searchParams.get('sig')?.split('.')[0] ?? ''
    const sig = `${asker}.${world.platform.services.secrets.sign('url', signedText('GET', path, exp, u, asker))}`
    expect(await server.send('GET', `${path}?sig=${sig}&exp=${exp}&u=${u}`)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect((await server.send('GET', path)).status).toBe(401)
  })

  it('opens nothing but the download', async () => {
    const assetKey = await server.uploaded('signed', 'a.txt')
    const { url } = await world.call('sign_asset_url', { assetKey })
    const { search } = new URL(url)
    expect((await server.send('POST', `/api/v1/assets/${assetKey}${search}`, '{}', { 'content-type': 'application/json' })).status).toBe(
      401,
    )
  })
})

describe('a sensitive asset', () => {
  it('leaves an audit row for each read of it', async () => {
    const assetKey = await server.uploaded('secret', 'a.txt', { isSensitive: 'true' })
    const open = await server.uploaded('open', 'b.txt')
    for (const key of [assetKey, open]) {
      await world.call('get_asset', { assetKey: key })
      const path = `/api/v1/assets/${key}/download`
      expect((await server.send('GET', path, undefined, bearer(world.tenant.key))).status).toBe(200)
    }
    const reads = (key: string) => world.sql<{ operation: string; credentialId: string }[]>`
      select operation, split_part(credential_id, ':', 1) as credential_id from platform.audit_event
      where facts->>'assetKey' = ${key} and operation <> 'upload_asset' order by audit_event_id`
    expect(await reads(assetKey)).toEqual([
      { operation: 'get_asset', credentialId: 'key' },
      { operation: 'download_asset', credentialId: 'key' },
    ])
    expect(await reads(open)).toEqual([])
  })

  it('is never signed, nor opened by a URL from before it was sensitive', async () => {
    const assetKey = await server.uploaded('secret', 'a.txt', { isSensitive: 'true' })
    await expect(world.call('sign_asset_url', { assetKey })).rejects.toMatchObject({ code: 'forbidden' })
    const turned = await server.uploaded('open', 'b.txt')
    const { url } = await world.call('sign_asset_url', { assetKey: turned })
    expect((await server.send('GET', url)).status).toBe(200)
    await world.sql`update platform.asset set is_sensitive = true where asset_key = ${turned}`
    expect(await server.send('GET', url)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  })

  it('is answered over MCP by its bytes and no URL, and past 1 MiB by the way that there is', async () => {
    const small = await server.uploaded(png, 'a.png', { isSensitive: 'true' })
    const answer = await world.run('download_asset', { assetKey: small }, { transport: 'mcp' })
    expect(isEmbeddedAnswer(answer) && answer.bytes.equals(png)).toBe(true)
    expect(await world.call('download_asset', { assetKey: small }, { transport: 'mcp' })).toEqual({
      mimeType: 'image/png',
      sizeBytes: png.length,
    })
    const large = await server.uploaded(randomBytes(1024 * 1024 + 1), 'a.bin', { isSensitive: 'true' })
    await expect(world.call('download_asset', { assetKey: large }, { transport: 'mcp' })).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining(`/api/v1/assets/${large}/download`),
    })
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
    expect((await server.send('GET', download, undefined, bearer(world.tenant.key))).status).toBe(404)
    await expect(world.call('get_asset', { assetKey })).rejects.toMatchObject({ code: 'not_found' })
    expect((await world.call('list_assets', { search: 'gate.jpg' })).map((row: { assetKey: string }) => row.assetKey)).not.toContain(
      assetKey,
    )
    const put = await server.send('PUT', url, png)
    expect(put).toMatchObject({ status: 200, body: { assetKey, title: 'Gate', mimeType: 'image/png', fileSize: png.length } })
    expect(await server.send('PUT', url, png)).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect((await server.send('GET', download, undefined, bearer(world.tenant.key))).status).toBe(200)
    const audit = await world.sql`
      select tenant_user_id, credential_id from platform.audit_event where operation = 'put_upload' and facts->>'assetKey' = ${assetKey}`
    expect(audit).toEqual([{ tenantUserId: world.tenant.tenantUserId, credentialId: 'upload-url' }])
  })

  it('is refused with 403 when it was changed or has expired', async () => {
    const { url, assetKey } = await world.call('create_upload_url', { fileName: 'a.txt' })
    const other = await world.newTenant()
    const { tenantId } = world.tenant
    const sign = (text: string) => world.platform.services.secrets.sign('upload', text)
    const expired = writeUploadToken({ tenantId, assetKey, exp: Math.floor(Date.now() / 1000) - 1, asker: '1' }, sign)
    for (const target of [
      `/api/v1/uploads/${expired}`,
      url.replace(`/${tenantId}.`, `/${other.tenantId}.`),
      `${url}x`,
      '/api/v1/uploads/nonsense',
    ]) {
      expect(await server.send('PUT', target, 'x')).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    }
    expect((await server.send('PUT', url, 'x')).status).toBe(200)
  })

  it('keeps nothing of another number of bytes than announced, and takes another try', async () => {
    const tenant = await world.newTenant()
    const { url, assetKey } = await world.call('create_upload_url', { fileName: 'a.txt', sizeBytes: 5 }, { key: tenant.key })
    expect(await server.send('PUT', url, '1234')).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(await server.send('PUT', url, '123456')).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(await server.filesOf(tenant)).toEqual([])
    await expect(world.call('get_asset', { assetKey }, { key: tenant.key })).rejects.toMatchObject({ code: 'not_found' })
    expect((await server.send('PUT', url, '12345')).status).toBe(200)
  })

  it('refuses a form, which is not the file, and takes another try', async () => {
    const { url } = await world.call('create_upload_url', { fileName: 'a.txt' })
    const form = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n--x--\r\n'
    const refused = await server.send('PUT', url, form, { 'content-type': 'multipart/form-data; boundary=x' })
    expect(refused).toMatchObject({ status: 415, body: { code: 'unsupported_type' } })
    expect(await server.send('PUT', url, 'hello')).toMatchObject({ status: 200, body: { fileSize: 5 } })
  })

  it('takes another try after a PUT that was cut in the middle', async () => {
    const tenant = await world.newTenant()
    const { url, assetKey } = await world.call('create_upload_url', { fileName: 'a.bin' }, { key: tenant.key })
    const pathOf = async () =>
      (await world.sql<{ storagePath: string }[]>`select storage_path from platform.asset where asset_key = ${assetKey}`)[0]?.storagePath
    const before = await pathOf()
    const sending = await server.sendPart(
      `PUT ${new URL(url).pathname} HTTP/1.1\nHost: x\nContent-Length: 1000000\n\n`,
      Buffer.alloc(900_000, 7),
    )
    await eventually(async () => (await pathOf()) !== before && (await server.arriving()).length > 0, 'the PUT has begun')
    sending.cut()
    await eventually(async () => (await server.arriving()).length === 0, 'the part is gone')
    await expect(world.call('get_asset', { assetKey }, { key: tenant.key })).rejects.toMatchObject({ code: 'not_found' })
    expect((await server.send('PUT', url, Buffer.alloc(1_000_000, 7))).status).toBe(200)
    expect(await server.filesOf(tenant)).toHaveLength(1)
  })

  it('keeps nothing of an earlier PUT whose process was killed with the file in its place', async () => {
    const tenant = await world.newTenant()
    const { url, assetKey } = await world.call('create_upload_url', { fileName: 'a.bin' }, { key: tenant.key })
    const left = `${tenant.tenantId}/2026/11/${assetKey}.0killed0`
    await world.platform.services.storage.put(left, Readable.from([Buffer.from('whole')]), { maxBytes: limitBytes })
    await world.sql`update platform.asset set storage_path = ${left} where asset_key = ${assetKey}`
    expect(await server.filesOf(tenant)).toHaveLength(1)
    expect((await server.send('PUT', url, 'whole')).status).toBe(200)
    expect(await server.filesOf(tenant)).toHaveLength(1)
    expect(await world.platform.services.storage.stat(left)).toBeUndefined()
  })

  it('lets one of two that arrive together win, and its bytes stay', async () => {
    const tenant = await world.newTenant()
    const { url, assetKey } = await world.call('create_upload_url', { fileName: 'a.bin' }, { key: tenant.key })
    const bodies = [randomBytes(400_000), randomBytes(400_000)]
    const puts = await Promise.all(bodies.map((body) => server.send('PUT', url, body)))
    expect(puts.map((put) => put.status).sort((a, b) => a - b)).toEqual([200, 409])
    const winner = bodies[puts.findIndex((put) => put.status === 200)]
    const got = await fetch(`${server.url}/api/v1/assets/${assetKey}/download`, { headers: bearer(tenant.key) })
    expect(Buffer.from(await got.arrayBuffer()).equals(winner ?? Buffer.alloc(0))).toBe(true)
    expect(await server.filesOf(tenant)).toHaveLength(1)
  })

  it('refuses at once a size past the limit', async () => {
    await expect(world.call('create_upload_url', { fileName: 'a.bin', sizeBytes: limitBytes + 1 })).rejects.toMatchObject({
      code: 'too_large',
    })
  })
})
