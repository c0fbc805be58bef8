/** How a tenant looks: themes that can be read, pictures painted anew, and hosts that choose a tenant and grant nothing. */
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { contrast, readColour } from '#platform/colours.ts'
import { themeStyle } from '#server/pages/theme.rules.ts'
import { brandingOf } from '#tools/tenants/service.ts'

import { openWire, type Wire } from './contract/wire.ts'
import { refused } from './support/refused.ts'
import { openWorld, type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
let global: TestTenant
let wire: Wire
beforeAll(async () => {
  global = await world.newTenant(1023)
  wire = await openWire(world)
})
afterAll(() => wire?.close())

const hostOf = async ({ tenantId }: TestTenant) => {
  const [row] = await world.sql<{ host: string }[]>`select host from platform.tenant where tenant_id = ${tenantId}`
  return row?.host ?? ''
}
const theme = (tenant: TestTenant, variables: object, key = tenant.key) =>
  world.call('set_tenant_theme', { tenantId: tenant.tenantId, ...variables }, { key })
const image = (tenant: TestTenant, picture: object, key = tenant.key) =>
  world.call('set_tenant_branding_image', { tenantId: tenant.tenantId, kind: 'logo', ...picture }, { key })
const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 30, alpha: 1 } } })
const base64Of = async (made: Sharp) => (await made.toBuffer()).toString('base64')

async function bytesOf(assetKey: string, key: string): Promise<Buffer> {
  const answer = (await world.run('download_asset', { assetKey }, { key })) as { body: AsyncIterable<Buffer>; mimeType: string }
  const parts: Buffer[] = []
  for await (const part of answer.body) parts.push(part)
  return Buffer.concat(parts)
}

/** Of a call over the wire that names this host. */
const statusAt = (host: string, key: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    request(`${wire.url}/api/v1/schema/whoami`, { method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .once('error', reject)
      .end('{}')
  })

describe('a theme', () => {
  it('is kept whole, replaces the one before, and is what pages paint with', async () => {
    const tenant = await world.newTenant()
    const { tenantId } = tenant
    const set = await theme(tenant, {
      '--theme-primary': ' #17624A ',
      '--theme-gap': 12,
      '--theme-font': 'Serif',
      '--theme-shadow': 'soft',
    })
    expect(set).toMatchObject({ tenantId, cssJson: { '--theme-primary': '#17624A', '--theme-gap': '12px', '--theme-font': 'serif' } })
    expect(await world.call('get_tenant_branding', { tenantId }, { key: tenant.key })).toEqual(set)
    const style = themeStyle(set.cssJson)
    for (const part of ['--gap:12px;', '--font:ui-serif', '--shadow:0 1px', '--accent:#17624a;']) expect(style).toContain(part)
    expect((await theme(tenant, { '--theme-radius': '0.5rem' })).cssJson).toEqual({ '--theme-radius': '0.5rem' })
    expect((await theme(tenant, {})).cssJson).toEqual({})
  })

  it('refuses a colour that text cannot be read in, and names the nearest that can', async () => {
    const error = await world.refusal('set_tenant_theme', { tenantId: world.tenant.tenantId, '--theme-accent': '#0a5' })
    expect(error).toMatchObject({ status: 400, issues: [{ path: '$.--theme-accent' }] })
    const better = error.issues?.[0]?.suggestion ?? ''
    const read = readColour(better) ?? [255, 255, 255]
    expect(contrast(read, [255, 255, 255])).toBeGreaterThanOrEqual(4.5)
    expect(contrast(read, readColour('#f6f7f5') ?? [0, 0, 0])).toBeLessThan(5)
    expect((await theme(world.tenant, { '--theme-accent': better })).cssJson).toEqual({ '--theme-accent': better })
  })

  it.each([
    ['--theme-primary', 'green'],
    ['--theme-primary', '#17624a; } body {'],
    ['--theme-font', 'Comic Sans'],
    ['--theme-gap', '400px'],
    ['--theme-gap', -1],
    ['--theme-radius', '50%'],
    ['--theme-shadow', '0 0 9px red'],
    ['--theme-colour', '#17624a'],
  ])('refuses %s: %s', async (name, value) => {
    await expect(theme(world.tenant, { [name]: value })).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path: `$.${name}` }] })
  })

  it("is one's own to set with AdminCSS, another tenant's with GlobalAdmin alone: else it is as if there were none", async () => {
    const tenant = await world.newTenant()
    const css = await tenant.keyWith(['AdminCSS'])
    await theme(tenant, { '--theme-radius': 4 }, css)
    await expect(theme(world.tenant, { '--theme-radius': 4 }, css)).rejects.toMatchObject(refused('not_found', /^No such tenant\.$/))
    await expect(image(world.tenant, { base64: 'iVBORw0KGgo=' }, css)).rejects.toMatchObject(refused('not_found', /^No such tenant\.$/))
    await expect(world.call('get_tenant_branding', { tenantId: 2_000_000_000 }, { key: css })).rejects.toMatchObject(
      refused('not_found', /^No such tenant\.$/),
    )
    expect((await theme(tenant, { '--theme-radius': 6 }, global.key)).cssJson).toEqual({ '--theme-radius': '6px' })
    await expect(theme(tenant, {}, await tenant.keyWith(['AdminUser']))).rejects.toMatchObject(refused('forbidden'))
  })
})

describe('a picture', () => {
  it.each([
    ['logo', 512, 256],
    ['favicon', 32, 32],
    ['apple', 180, 180],
    ['android', 192, 192],
  ])('becomes a new PNG of its size for %s, whatever it came as, and nothing else of the file', async (kind, width, height) => {
    const tenant = await world.newTenant()
    const base64 = await base64Of(
      picture(1024, 512)
        .withExif({ IFD0: { Copyright: 'a secret of the camera' } })
        .jpeg(),
    )
    const set = await image(tenant, { kind, base64 })
    const key = set[{ logo: 'logoKey', favicon: 'faviconKey', apple: 'appleIconKey', android: 'androidIconKey' }[kind] ?? '']
    const bytes = await bytesOf(key, tenant.key)
    expect(bytes.includes('secret of the camera')).toBe(false)
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width, height })
  })

  it('takes WebP, GIF and AVIF, and data URLs', async () => {
    for (const made of [picture(40, 20).webp(), picture(40, 20).gif(), picture(40, 20).avif()]) {
      const { logoKey } = await image(world.tenant, { base64: `data:image/any;base64,${await base64Of(made)}` })
      expect(await sharp(await bytesOf(logoKey, world.tenant.key)).metadata()).toMatchObject({ format: 'png', width: 40, height: 20 })
    }
  })

  it('replaces the one before, whose file goes', async () => {
    const tenant = await world.newTenant()
    const base64 = await base64Of(picture(10, 10).png())
    const first = await image(tenant, { base64 })
    const second = await image(tenant, { base64 })
    expect(second.logoKey).not.toBe(first.logoKey)
    await expect(world.call('get_asset', { assetKey: first.logoKey }, { key: tenant.key })).rejects.toMatchObject(refused('not_found'))
    expect(await world.call('get_tenant', { tenantId: tenant.tenantId }, { key: global.key })).toMatchObject({ logoKey: second.logoKey })
  })

  it('is an asset of the tenant also where a global administrator sets it', async () => {
    const tenant = await world.newTenant()
    const base64 = await base64Of(picture(10, 10).png())
    const [first, second] = [await image(tenant, { base64 }, global.key), await image(tenant, { base64 }, global.key)]
    expect(first.logoKey).not.toBe(second.logoKey)
    expect((await bytesOf(second.logoKey, tenant.key)).length).toBeGreaterThan(50)
    await expect(world.call('get_asset', { assetKey: second.logoKey }, { key: global.key })).rejects.toMatchObject(refused('not_found'))
  })

  it('is refused as SVG, broken, too large in bytes or pixels, both ways at once and neither', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>').toString('base64')
    const whole = await picture(200, 200).png().toBuffer()
    // A head that promises 20,000 × 20,000 pixels, with nothing behind it.
    const bomb = Buffer.from(whole)
    bomb.writeUInt32BE(20_000, 16)
    bomb.writeUInt32BE(20_000, 20)
    const cases: [object, string][] = [
      [{ base64: svg }, 'unsupported_type'],
      [{ base64: Buffer.from('%PDF-1.7').toString('base64') }, 'unsupported_type'],
      [{ base64: bomb.toString('base64') }, 'too_large'],
      [{ base64: whole.subarray(0, whole.length - 80).toString('base64') }, 'invalid_input'],
      [{ base64: Buffer.alloc(5 * 1024 * 1024 + 1).toString('base64') }, 'too_large'],
      [{ base64: 'no base64!' }, 'invalid_input'],
      [{}, 'invalid_input'],
      [{ base64: 'AAAA', url: 'https://x.example/a.png' }, 'invalid_input'],
    ]
    for (const [given, code] of cases) await expect(image(world.tenant, given), code).rejects.toMatchObject({ code })
  })

  describe('from an address', () => {
    let site: Server
    let address: string
    beforeAll(async () => {
      const png = await picture(64, 64).png().toBuffer()
      site = createServer((request, response) => {
        if (request.url === '/logo.png') response.end(png)
        else if (request.url === '/elsewhere') response.writeHead(302, { location: '/logo.png' }).end()
        else if (request.url === '/long') response.end(Buffer.alloc(6 * 1024 * 1024))
        else response.writeHead(404).end()
      })
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
      // It listens on a port, and so has an address of that kind.
      address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    })
    afterAll(() => site?.close())

    it('is fetched through the connector, to 5 MiB, without redirects', async () => {
      expect(await image(world.tenant, { url: `${address}/logo.png` })).toMatchObject({ logoKey: expect.any(String) })
      await expect(image(world.tenant, { url: `${address}/elsewhere` })).rejects.toMatchObject(refused('unprocessable', /302/))
      await expect(image(world.tenant, { url: `${address}/absent` })).rejects.toMatchObject(refused('unprocessable', /404/))
      await expect(image(world.tenant, { url: `${address}/long` })).rejects.toMatchObject({ code: 'too_large' })
      await expect(image(world.tenant, { url: 'file:///etc/passwd' })).rejects.toMatchObject({ code: 'invalid_input' })
    })

    it('is not fetched from a private one', async () => {
      const closed = await openWorld({ OUTBOUND_ALLOW: '' })
      try {
        const given = { tenantId: closed.tenant.tenantId, kind: 'logo', url: `${address}/logo.png` }
        expect(await closed.refusal('set_tenant_branding_image', given)).toMatchObject({ code: 'unprocessable' })
      } finally {
        await closed.close()
      }
    })
  })
})

describe('a host', () => {
  const publicBranding = (host?: string) => world.call('get_public_branding', {}, { credential: null, host })

  it('shows name, theme and icons of its tenant, and of any other host the installation’s own', async () => {
    const tenant = await world.newTenant()
    const host = await hostOf(tenant)
    await theme(tenant, { '--theme-primary': '#17624a' })
    await image(tenant, { kind: 'favicon', base64: await base64Of(picture(32, 32).png()) })
    const shown = await publicBranding(`${host.toUpperCase()}:8443`)
    expect(shown).toMatchObject({ name: host.replace(/\.test$/, ''), languageCode: 'en-US', cssJson: { '--theme-primary': '#17624a' } })
    expect(shown.icons).toEqual({ logo: null, favicon: expect.stringMatching(/^data:image\/png;base64,/), apple: null, android: null })
    for (const other of [undefined, 'unknown.test', 'localhost:4000', '127.0.0.1', "' or true --"])
      expect(await publicBranding(other), String(other)).toEqual({
        name: 'Fieldloop',
        languageCode: null,
        cssJson: {},
        icons: { logo: null, favicon: null, apple: null, android: null },
      })
  })

  it('follows a change at once, a deleted picture and a suspension', async () => {
    const tenant = await world.newTenant()
    const host = await hostOf(tenant)
    const { services } = world.platform
    const { logoKey } = await image(tenant, { base64: await base64Of(picture(32, 32).png()) })
    await expect.poll(async () => (await brandingOf(services, host, 'test'))?.icons.logo).toMatch(/^data:/)
    await world.call('delete_asset', { assetKey: logoKey }, { key: tenant.key })
    await theme(tenant, { '--theme-radius': 2 })
    await expect.poll(async () => (await brandingOf(services, host, 'test'))?.icons.logo).toBeNull()
    expect((await brandingOf(services, host, 'test'))?.theme).toEqual({ '--theme-radius': '2px' })
    await world.call('suspend_tenant', { tenantId: tenant.tenantId }, { key: global.key })
    await expect.poll(() => brandingOf(services, host, 'test')).toBeUndefined()
  })

  it('is the sub-domain’s of the installation where the tenant has none of its own', async () => {
    const made = await world.call(
      'provision_tenant',
      { name: 'Hosted', subDomain: 'hosted', initialAdmin: { email: 'a@hosted.example' } },
      { key: global.key },
    )
    expect(await publicBranding('hosted.localhost:4001')).toMatchObject({ name: 'Hosted' })
    expect((await brandingOf(world.platform.services, 'hosted.localhost', 'test'))?.tenantId).toBe(made.tenantId)
    expect(await publicBranding('x.hosted.localhost')).toMatchObject({ name: 'Fieldloop' })
  })

  it('refuses credentials of another tenant, whatever their roles', async () => {
    const tenant = await world.newTenant()
    const host = await hostOf(tenant)
    expect(await world.call('whoami', {}, { key: tenant.key, host })).toMatchObject({ tenantId: tenant.tenantId })
    for (const { key } of [world.tenant, global])
      await expect(world.call('whoami', {}, { key, host }), key).rejects.toMatchObject(refused('forbidden', /another tenant/))
    expect(await statusAt(host, world.tenant.key)).toBe(403)
    expect(await statusAt(host, tenant.key)).toBe(200)
    expect(await statusAt('unknown.test', world.tenant.key)).toBe(200)
  })
})
