/** Names that lie about their file, files of nothing, and folders that some store would not keep. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { bearer, type FileServer, openFileServer } from './support/file-server.ts'
import type { World } from './support/world.ts'

let server: FileServer
let world: World
beforeAll(async () => {
  server = await openFileServer()
  world = server.world
})
afterAll(() => server.close())

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
const program = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)])
const zip = Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(40)])
const countAssets = async () => (await world.call('list_assets', {})).length

describe('an upload', () => {
  it.each([
    ['a picture that is called a program', 'gate.png.exe', png],
    ['a text that is called a program of another kind of bytes', 'page.scr', '<html><body>hello</body></html>'],
    ['a program that is called a picture', 'gate.png', program],
  ])('refuses %s with 415 and both kinds, and keeps nothing', async (_what, name, bytes) => {
    const before = await countAssets()
    const refused = await server.upload(bytes, name)
    expect(refused).toMatchObject({
      status: 415,
      body: { code: 'unsupported_type', detail: expect.stringMatching(/is called \.\w+.*by its bytes it is \w+\//) },
    })
    const { url } = await world.call('create_upload_url', { fileName: name })
    expect((await server.send('PUT', url, bytes)).status).toBe(415)
    expect(await countAssets()).toBe(before)
  })

  it.each([
    ['a.jpeg', png, 'png'],
    ['report.docx', zip, 'docx'],
    ['archive.zip', zip, 'zip'],
    ['note.txt', 'GATE 4', 'txt'],
    ['rows.csv', 'a,b\n1,2\n', 'csv'],
    ['data.json', '{}', 'json'],
    ['logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'svg'],
    ['setup.exe', program, 'exe'],
    ['start.bat', 'echo hello', 'bat'],
    ['thing.dat', Buffer.from([0, 1, 2, 250]), 'dat'],
    ['no extension', png, 'png'],
  ])('takes %s', async (name, bytes, extension) => {
    expect(await server.upload(bytes, name)).toMatchObject({ status: 200, body: { originalFileName: name, fileExtension: extension } })
  })

  it('refuses a file without a byte with 400, by every way', async () => {
    expect(await server.upload('', 'a.txt')).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', detail: expect.stringContaining('empty') },
    })
    const { url } = await world.call('create_upload_url', { fileName: 'a.txt' })
    expect((await server.send('PUT', url, '')).status).toBe(400)
    expect((await server.send('PUT', url, 'x')).status).toBe(200)
    await expect(world.call('create_upload_url', { fileName: 'a.txt', sizeBytes: 0 })).rejects.toMatchObject({ code: 'invalid_input' })
    const mcp = world.call('upload_asset', { fileName: 'a.txt', contentBase64: '' }, { transport: 'mcp' })
    await expect(mcp).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

describe('the name of a file', () => {
  const inForm = async (fileName: string) => {
    const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n\r\nx\r\n--b--\r\n`
    return server.send('POST', '/api/v1/assets', body, {
      ...bearer(world.tenant.key),
      'content-type': 'multipart/form-data; boundary=b',
    })
  }

  it.each(['..', '.', 'a/..', '../..', 'C:\\..'])('%j is kept as "file" by every way in', async (fileName) => {
    const form = new FormData()
    form.append('file', new Blob(['x']), fileName)
    const sent = await server.send('POST', '/api/v1/assets', form, bearer(world.tenant.key))
    expect(sent).toMatchObject({ status: 200, body: { originalFileName: 'file' } })
    const given = await world.call('upload_asset', { fileName, contentBase64: 'eA==' }, { transport: 'mcp' })
    expect(given.originalFileName).toBe('file')
    const { url } = await world.call('create_upload_url', { fileName })
    expect((await server.send('PUT', url, 'x')).body.originalFileName).toBe('file')
  })

  it('is read as browsers write it into a form, and any other per cent sign stays', async () => {
    expect((await inForm('gate %22north%22 100%25.txt')).body.originalFileName).toBe('gate "north" 100%25.txt')
    expect((await inForm('one%0D%0Atwo.txt')).body.originalFileName).toBe('onetwo.txt')
    const form = new FormData()
    form.append('file', new Blob(['x']), 'a "b".txt')
    expect((await server.send('POST', '/api/v1/assets', form, bearer(world.tenant.key))).body.originalFileName).toBe('a "b".txt')
  })
})

describe('a sub-folder', () => {
  const folders = [
    '..',
    '.',
    'a/../b',
    '.hidden',
    'a/.git',
    'CON',
    'a/nul',
    'com1.txt',
    'Lpt9',
    'end.',
    'end ',
    ' start',
    'a//b',
    '/a',
    'a/',
    'a\\b',
    'a:b',
    'a\tb',
  ]
  it.each([...folders, 'x'.repeat(101), 'ä'.repeat(160)])('of %j is refused with 400 and its path', async (storageSubFolder) => {
    const form = new FormData()
    form.append('storageSubFolder', storageSubFolder)
    form.append('file', new Blob(['x']), 'a.txt')
    const { status, body } = await server.send('POST', '/api/v1/assets', form, bearer(world.tenant.key))
    expect([status, body.code, body.issues[0].path]).toEqual([400, 'invalid_input', '$.storageSubFolder'])
  })

  it.each(['inspections/2026', '{PrimaryEntity}/{PrimaryExternalKey}', 'Straße 4 (Nord)', 'v1.2', 'console', 'Tür/門'])(
    'of %j is kept',
    async (storageSubFolder) => {
      expect(await server.upload('x', 'a.txt', { storageSubFolder })).toMatchObject({ status: 200, body: { subPath: storageSubFolder } })
    },
  )
})
