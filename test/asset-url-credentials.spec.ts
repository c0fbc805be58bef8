/** URLs that carry their own credential live no longer than the one that asked for them. */
import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { credentialsTopic } from '#platform/authenticate.ts'
import { flagOf } from '#platform/roles.ts'
import { downloadPath, signedUrl } from '#tools/assets/service.ts'

import { type FileServer, openFileServer } from './support/file-server.ts'
import { eventually } from './support/patience.ts'
import type { World } from './support/world.ts'

let server: FileServer
let world: World
beforeAll(async () => {
  server = await openFileServer()
  world = server.world
})
afterAll(() => server.close())

/** What may become of the credential that asked for a URL, and what the URL answers then. */
const ends: readonly [what: string, status: number, code: string, end: (asker: Asker) => Promise<unknown>][] = [
  ['its key was revoked', 401, 'unauthenticated', ({ apiKeyId }) => admin('revoke_api_key', { apiKeyId })],
  [
    'its key has expired',
    401,
    'unauthenticated',
    async ({ apiKeyId }) => {
      await world.sql`update platform.api_key set expires_at = now() - interval '1 second' where api_key_id = ${apiKeyId}`
      world.platform.services.wake.poke(credentialsTopic)
    },
  ],
  ['its user was locked', 401, 'unauthenticated', ({ tenantUserId }) => admin('lock_user', { tenantUserId })],
  ['its key lost the role', 403, 'forbidden', ({ apiKeyId }) => admin('update_api_key', { apiKeyId, roles: ['DataEdit'] })],
  [
    'its user lost the role',
    403,
    'forbidden',
    async ({ tenantUserId }) => {
      await world.sql`update platform.tenant_user set role_flag = ${flagOf(['DataEdit'])} where tenant_user_id = ${tenantUserId}`
      world.platform.services.wake.poke(credentialsTopic)
    },
  ],
  [
    'its tenant was suspended',
    403,
    'tenant_suspended',
    async ({ tenantId }) => {
      await world.sql`update platform.tenant set is_deactivated = true where tenant_id = ${tenantId}`
      world.platform.services.wake.poke(credentialsTopic)
    },
  ],
]

interface Asker {
  readonly tenantId: number
  readonly tenantUserId: number
  readonly apiKeyId: number
  readonly key: string
}

let administrator: string
const admin = (name: string, input: object) => world.call(name, input, { key: administrator })

/** A key that acts as a person, both with these roles, in a tenant of their own. */
async function newAsker(): Promise<Asker> {
  const tenant = await world.newTenant()
  administrator = tenant.key
  const roles = ['DataView', 'FileEdit', 'DataEdit']
  const { tenantUserId } = await admin('create_user', { email: `${randomUUID()}@example.com`, roles })
  const { apiKeyId, apiKey } = await admin('create_api_key', { name: 'Asks', roles, tenantUserId })
  return { tenantId: tenant.tenantId, tenantUserId, apiKeyId, key: apiKey }
}

describe('a URL that was asked for by a key', () => {
  it.each(ends)('downloads nothing once %s: %i', async (_what, status, code, end) => {
    const asker = await newAsker()
    const { body } = await server.upload('signed', 'a.txt', {}, asker.key)
    const { url } = await world.call('sign_asset_url', { assetKey: body.assetKey }, { key: asker.key })
    expect(await server.send('GET', url)).toMatchObject({ status: 200, body: 'signed' })
    await end(asker)
    const refused = await server.send('GET', url)
    expect(refused).toMatchObject({ status, body: { code } })
    expect(refused.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
  })

  it.each(ends)('takes no bytes once %s: %i', async (_what, status, code, end) => {
    const asker = await newAsker()
    const { url, assetKey } = await world.call('create_upload_url', { fileName: 'a.txt' }, { key: asker.key })
    await end(asker)
    expect(await server.send('PUT', url, 'x')).toMatchObject({ status, body: { code } })
    expect(await world.sql`select stored_at from platform.asset where asset_key = ${assetKey}`).toEqual([{ storedAt: null }])
  })

  it('keeps nothing of bytes that were on their way when the key was revoked', async () => {
    const asker = await newAsker()
    const { url, assetKey } = await world.call('create_upload_url', { fileName: 'a.bin' }, { key: asker.key })
    const head = `PUT ${new URL(url).pathname} HTTP/1.1\nHost: x\nConnection: close\nContent-Length: 200000\n\n`
    const sending = await server.sendPart(head, Buffer.alloc(100_000, 7))
    await eventually(async () => (await server.arriving()).length > 0, 'the PUT has begun')
    await admin('revoke_api_key', { apiKeyId: asker.apiKeyId })
    expect(await sending.rest(Buffer.alloc(100_000, 7))).toMatch(/^HTTP\/1.1 401 /)
    expect(await world.sql`select stored_at from platform.asset where asset_key = ${assetKey}`).toEqual([{ storedAt: null }])
    expect(await server.arriving()).toEqual([])
  })

  it('goes on when the key gets a new secret', async () => {
    const asker = await newAsker()
    const { body } = await server.upload('signed', 'a.txt', {}, asker.key)
    const { url } = await world.call('sign_asset_url', { assetKey: body.assetKey }, { key: asker.key })
    await admin('rotate_api_key', { apiKeyId: asker.apiKeyId, graceSeconds: 0 })
    expect((await server.send('GET', url)).status).toBe(200)
  })
})

describe('a URL that the product signs for a vendor', () => {
  it('opens what its sender sees, by whichever of their roles', async () => {
    const tenant = await world.newTenant()
    administrator = tenant.key
    await admin('create_property', { internalName: 'Photo', dataType: 'Attachment' })
    await admin('create_entity', { internalName: 'Order', properties: [{ property: 'Photo' }] })
    const { body } = await server.upload('signed', 'a.txt', {}, tenant.key)
    const { eiRecordId } = await admin('save_instance', { entity: 'Order', data: { Photo: body.assetKey } })
    // Held by somebody else's hand, so that the rules decide and not who made it.
    await world.sql`update platform.asset set created_by = null where asset_key = ${body.assetKey}`
    const actor = { kind: 'system', tenantUserId: tenant.tenantUserId, credentialId: 'system' } as const
    const { url } = signedUrl({ services: world.platform.services, actor }, downloadPath(body.assetKey))
    await admin('set_entity_access', { entity: 'Order', rules: [{ role: 'BuilderAdmin', read: true }] })
    expect(await admin('get_instance', { entity: 'Order', record: String(eiRecordId) })).toMatchObject({ eiRecordId })
    expect(await server.send('GET', url)).toMatchObject({ status: 200, body: 'signed' })
    await admin('set_entity_access', { entity: 'Order', rules: [{ role: 'GlobalAdmin', read: true }] })
    expect((await server.send('GET', url)).status).toBe(404)
  })
})
