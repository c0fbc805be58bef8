/** Grants: what an application does that a person let in, where its token counts, what it opens, and what ends it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { holdingOf, rolesOfAbsent } from '#platform/holding.ts'
import { createServing } from '#tools/auth/service.ts'

import { type ApiWorld, exchange, openApi, send } from './support/connect.ts'
import { newGrant, type TestGrant } from './support/grants.ts'
import { joinTenant, newPerson, newSession, passwordOfTests, type TestPerson } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { openPipelineWorld } from './support/pipeline.ts'
import type { TestTenant } from './support/world.ts'

let api: ApiWorld
let tenant: TestTenant
let global: TestTenant
beforeAll(async () => {
  api = await openApi()
  tenant = await api.world.newTenant()
  global = await api.world.newTenant(1023)
})
afterAll(() => api?.close())

const metadata = () => `resource_metadata="${api.origin}/.well-known/oauth-protected-resource/mcp"`
const first = 'scope="DataView DataEdit FileEdit"'

async function letIn(roles: Parameters<typeof newGrant>[2], held = roles): Promise<{ person: TestPerson; grant: TestGrant }> {
  const person = await newPerson(api.world, tenant, held)
  return { person, grant: await newGrant(api.world, person, roles, api.resource) }
}
const call = (token: string, name: string, input: Record<string, unknown> = {}) =>
  send(api.resource, token, 'tools/call', { name, arguments: input })

describe('the challenge at /mcp', () => {
  it('tells a host without a token where to get one, and what to ask for', async () => {
    const { status, headers } = await send(api.resource, undefined, 'tools/list')
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe(`Bearer ${metadata()}, ${first}`)
  })

  it('says of a token that is over that it is invalid', async () => {
    const { status, headers } = await send(api.resource, 'fla_of-nobody', 'tools/list')
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe(`Bearer error="invalid_token", ${metadata()}, ${first}`)
  })

  it('opens no browser for a key that was mistyped', async () => {
    const { status, headers } = await send(api.resource, 'flk_mistyped', 'tools/list')
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
  })
})

describe('behind a proxy that is trusted', () => {
  let proxied: ApiWorld
  beforeAll(async () => {
    proxied = await openApi({ TRUSTED_PROXIES: '127.0.0.1' })
  })
  afterAll(() => proxied?.close())

  const list = ({ resource }: ApiWorld, told: string, token?: string) =>
    exchange(
      resource,
      'POST',
      {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-forwarded-host': told,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    )

  it('/mcp is reached at the host that the proxy tells: a tenant’s takes its credentials alone, and a foreign one none', async () => {
    const [own, other] = [await proxied.world.newTenant(), await proxied.world.newTenant()]
    const [row] = await proxied.world.sql<{ subDomain: string }[]>`
      update platform.tenant set host = null where tenant_id = ${own.tenantId} returning sub_domain`
    const told = `${row?.subDomain}.localhost:${new URL(proxied.origin).port}`
    expect((await list(proxied, told, own.key)).status).toBe(200)
    expect((await list(proxied, told, other.key)).status).toBe(403)
    const { status, headers } = await list(proxied, told)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toContain(
      `resource_metadata="http://${told.toLowerCase()}/.well-known/oauth-protected-resource/mcp"`,
    )
    const foreign = await list(proxied, 'evil.example', own.key)
    expect([foreign.status, foreign.body.detail]).toEqual([403, expect.stringContaining('evil.example')])
  })

  it('alone: what anybody else says of the host is not read', async () => {
    expect((await list(api, 'evil.example', tenant.key)).status).toBe(200)
  })
})

describe('the metadata of the resource', () => {
  const read = (path: string, host?: string) => exchange(`${api.origin}${path}`, 'GET', {}, undefined, host)

  it('names the issuer, at both addresses, to pages of every origin', async () => {
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
      const { status, body, headers } = await read(path)
      expect(status).toBe(200)
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(body).toMatchObject({
        resource: api.resource,
        authorization_servers: [api.world.config.portalUrl],
        scopes_supported: ['DataView', 'DataEdit', 'FileEdit'],
      })
    }
    const preflight = await exchange(
      `${api.origin}/.well-known/oauth-protected-resource/mcp`,
      'OPTIONS',
      { origin: 'https://a.example' },
      undefined,
    )
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, '*'])
  })

  it('is that of an active tenant at its host, its own or computed, and nobody’s elsewhere', async () => {
    const { port } = new URL(api.origin)
    const other = await api.world.newTenant()
    const [row] = await api.world.sql<{ host: string; subDomain: string }[]>`
      select host, sub_domain from platform.tenant where tenant_id = ${other.tenantId}`
    const path = '/.well-known/oauth-protected-resource/mcp'
    const own = `${row?.host}:${port}`
    expect((await read(path, own)).body).toMatchObject({ resource: `http://${own}/mcp` })
    expect((await read(path, `nobody.test:${port}`)).status).toBe(404)
    expect((await read(path, row?.host)).status).toBe(404)
    await api.world.sql`update platform.tenant set host = null where tenant_id = ${other.tenantId}`
    const computed = `${row?.subDomain}.localhost:${port}`
    expect((await read(path, computed)).body).toMatchObject({ resource: `http://${computed}/mcp` })
    await api.world.call('suspend_tenant', { tenantId: other.tenantId }, { key: global.key })
    await expect.poll(async () => (await read(path, computed)).status).toBe(404)
  })

  it('is not there where a token would cross a network in the open', async () => {
    const off = await openApi({ PORTAL_URL: 'http://portal.example.com' })
    expect((await exchange(`${off.origin}/.well-known/oauth-protected-resource/mcp`, 'GET', {}, undefined)).status).toBe(404)
    expect((await send(off.resource, undefined, 'tools/list')).headers.get('www-authenticate')).toBe('Bearer')
    await off.close()
  })
})

describe('an application', () => {
  it('acts as its person, with the roles at each call that both the grant and the membership have', async () => {
    const { person, grant } = await letIn(['DataView', 'DataEdit'])
    const { tenantId, tenantUserId } = person
    const who = async () => (await call(grant.token, 'whoami')).body.result.structuredContent
    expect(await who()).toMatchObject({ tenantUserId, roleFlag: 10 })
    await api.world.call('set_user_roles', { tenantId, tenantUserId, roles: ['DataView', 'FileEdit'] }, { key: tenant.key })
    await expect.poll(who).toMatchObject({ roleFlag: 2 })
  })

  it('never has GlobalAdmin', async () => {
    const person = await newPerson(api.world, global, ['DataView', 'GlobalAdmin'])
    const grant = await newGrant(api.world, person, ['DataView', 'GlobalAdmin'], api.resource)
    expect((await call(grant.token, 'whoami')).body.result.structuredContent).toMatchObject({ roleFlag: 2 })
  })

  it('reaches /mcp alone: REST answers 401', async () => {
    const { grant } = await letIn(['DataView'])
    const headers = { authorization: `Bearer ${grant.token}`, 'content-type': 'application/json' }
    expect((await exchange(`${api.origin}/api/v1/schema/whoami`, 'POST', headers, '{}')).status).toBe(401)
    await expect(api.world.call('whoami', {}, { key: grant.token })).rejects.toMatchObject(refused('unauthenticated'))
    expect((await call(grant.token, 'whoami')).status).toBe(200)
  })

  it('has a token that counts at the address alone for which it was made', async () => {
    const person = await newPerson(api.world, tenant)
    const [row] = await api.world.sql<{ host: string }[]>`select host from platform.tenant where tenant_id = ${tenant.tenantId}`
    const host = `${row?.host}:${new URL(api.origin).port}`
    const { token } = await newGrant(api.world, person, ['DataView'], `http://${host}/mcp`)
    expect((await send(api.resource, token, 'tools/list')).status).toBe(401)
    expect((await send(api.resource, token, 'tools/list', {}, host)).status).toBe(200)
    const { grant } = await letIn(['DataView'])
    expect((await send(api.resource, grant.token, 'tools/list', {}, host)).status).toBe(401)
  })

  it('is sent back to its person for roles that the person has and did not give, all of them in one challenge', async () => {
    const { grant } = await letIn(['DataView'], ['DataView', 'DataEdit', 'FileEdit'])
    const { status, headers, body } = await call(grant.token, 'create_upload_url', { fileName: 'a.jpg' })
    expect(status).toBe(403)
    expect(headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope", scope="DataView FileEdit", ${metadata()}`)
    expect(body).toMatchObject({ code: 'forbidden' })
    const messages = ['create_upload_url', 'send_message'].map((name, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: {} },
    }))
    const batch = await exchange(
      api.resource,
      'POST',
      { authorization: `Bearer ${grant.token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      JSON.stringify(messages),
    )
    expect([batch.status, batch.headers.get('www-authenticate')]).toEqual([
      403,
      `Bearer error="insufficient_scope", scope="DataView DataEdit FileEdit", ${metadata()}`,
    ])
    const through = await send(`${api.resource}?surface=catalog`, grant.token, 'tools/call', {
      name: 'call_write_tool',
      arguments: { name: 'create_upload_url', arguments: { fileName: 'a.jpg' } },
    })
    expect(through.status).toBe(403)
  })

  it('hears as a tool result of roles that its person has not either', async () => {
    const { grant } = await letIn(['DataView'])
    const { status, body } = await call(grant.token, 'create_upload_url', { fileName: 'a.jpg' })
    expect([status, body.result.isError, JSON.parse(body.result.content[0].text).code]).toEqual([200, true, 'forbidden'])
  })

  it('is not shown what would outlast it, and may not call it', async () => {
    const closed = ['create_api_key', 'rotate_api_key', 'update_api_key', 'save_secret', 'set_user_roles']
    const roles = ['DataView', 'AdminIntegration', 'AdminUser'] as const
    const { grant, person } = await letIn(roles)
    const names = (list: { tools: { name: string }[] }) => list.tools.map(({ name }) => name)
    const listed = names((await send(api.resource, grant.token, 'tools/list')).body.result)
    expect(listed).toContain('list_api_keys')
    expect(listed.filter((name) => closed.includes(name))).toEqual([])
    const key = await tenant.keyWith(roles)
    expect(names((await send(api.resource, key, 'tools/list')).body.result)).toEqual(expect.arrayContaining(closed))
    for (const name of closed) {
      const { status, body } = await call(grant.token, name, {
        name: 'mine',
        roles: ['DataView'],
        tenantId: tenant.tenantId,
        tenantUserId: person.tenantUserId,
      })
      expect([name, status, body.result.isError, JSON.parse(body.result.content[0].text).status]).toEqual([name, 200, true, 403])
    }
  })

  it('is given URLs for files, which end with it', async () => {
    const { grant } = await letIn(['DataView', 'FileEdit'])
    const put = async () => {
      const { url, assetKey } = (await call(grant.token, 'create_upload_url', { fileName: 'note.txt' })).body.result.structuredContent
      const target = new URL(url)
      const { status } = await exchange(`${api.origin}${target.pathname}`, 'PUT', { 'content-type': 'text/plain' }, 'text')
      return { status, assetKey }
    }
    const { status, assetKey } = await put()
    expect(status).toBe(200)
    const { url } = (await call(grant.token, 'sign_asset_url', { assetKey })).body.result.structuredContent
    const { pathname, search } = new URL(url)
    const show = () => exchange(`${api.origin}${pathname}${search}`, 'GET', {}, undefined)
    expect((await show()).status).toBe(200)
    const { url: unused } = (await call(grant.token, 'create_upload_url', { fileName: 'note.txt' })).body.result.structuredContent
    await api.world.sql`delete from platform.oauth_grant where grant_id = ${grant.grantId}`
    await expect.poll(async () => (await show()).status).toBe(401)
    expect((await exchange(`${api.origin}${new URL(unused).pathname}`, 'PUT', { 'content-type': 'text/plain' }, 'text')).status).toBe(401)
  })

  it('is refused at the address of another tenant, as every credential is', async () => {
    const other = await api.world.newTenant()
    const [row] = await api.world.sql<{ host: string }[]>`select host from platform.tenant where tenant_id = ${other.tenantId}`
    const host = `${row?.host}:${new URL(api.origin).port}`
    expect((await send(api.resource, tenant.key, 'tools/list', {}, host)).status).toBe(403)
    expect((await send(api.resource, other.key, 'tools/list', {}, host)).status).toBe(200)
  })
})

describe('a grant', () => {
  it('is not begun by a session that ended since it was asked', async () => {
    const { services, pipeline } = api.world.platform
    const { give } = createServing(services)
    const given = { clientId: 'https://host.example.com/late', clientName: 'A host', redirectHost: 'host.example.com', roleFlag: 2 }
    const told = { requestId: 'test', ip: undefined }
    const begin = async () => {
      const person = await newPerson(api.world, tenant)
      const session = await pipeline.identify({ kind: 'bearer', token: await newSession(api.world, person) })
      const { tenantId, tenantUserId } = person
      return { person, give: () => give(session, { tenantId, tenantUserId, ...given }, told) }
    }
    const live = await begin()
    expect(await live.give()).toBeGreaterThan(0)
    for (const statement of [
      'delete from platform.session where user_id = $1',
      'update platform.app_user set credential_version = credential_version + 1 where user_id = $1',
      'update platform.tenant_user set credential_version = credential_version + 1 where user_id = $1',
    ]) {
      const late = await begin()
      await api.world.sql.unsafe(statement, [late.person.userId])
      await expect(late.give()).rejects.toMatchObject(refused('forbidden', /sign in again/))
      expect(await api.world.sql`select 1 from platform.oauth_grant where user_id = ${late.person.userId}`).toEqual([])
    }
  })
})

describe('what ends a grant', () => {
  const code = async (token: string) => (await send(api.resource, token, 'tools/list')).status

  it('is a lock, for good, and the end of the membership', async () => {
    const { person, grant } = await letIn(['DataView'])
    expect(await code(grant.token)).toBe(200)
    await api.world.call('lock_user', { tenantUserId: person.tenantUserId }, { key: tenant.key })
    expect(await code(grant.token)).toBe(401)
    await api.world.call('unlock_user', { tenantUserId: person.tenantUserId }, { key: tenant.key })
    expect(await code(grant.token)).toBe(401)
    const moved = await letIn(['DataView'])
    await api.world
      .sql`update platform.tenant_user set user_id = (select platform.add_person()) where tenant_user_id = ${moved.person.tenantUserId}`
    expect(await code(moved.grant.token)).toBe(401)
  })

  it('is a reset of the password, and not a change of it', async () => {
    const { person, grant } = await letIn(['DataView'])
    await api.world.call(
      'change_password',
      { password: passwordOfTests, newPassword: 'nine silver herons at dusk' },
      { key: await newSession(api.world, person) },
    )
    expect(await code(grant.token)).toBe(200)
    await api.world.sql`update platform.app_user set credential_version = credential_version + 1 where user_id = ${person.userId}`
    await expect.poll(() => code(grant.token)).toBe(401)
  })

  it('is not a suspension of the tenant: it is refused meanwhile, and back with the tenant', async () => {
    const own = await api.world.newTenant()
    const person = await newPerson(api.world, own)
    const { token } = await newGrant(api.world, person, ['DataView'], api.resource)
    await api.world.call('suspend_tenant', { tenantId: own.tenantId }, { key: global.key })
    expect((await send(api.resource, token, 'tools/list')).body).toMatchObject({ status: 403, code: 'tenant_suspended' })
    await api.world.call('activate_tenant', { tenantId: own.tenantId }, { key: global.key })
    expect(await code(token)).toBe(200)
  })

  it('ends what waits in its name within a second, in every process', async () => {
    const opened = await openPipelineWorld()
    const own = await opened.world.newTenant()
    const person = await newPerson(opened.world, own, ['DataView', 'DataEdit'])
    const resource = 'http://localhost:4000/mcp'
    const grant = await newGrant(opened.world, person, ['DataView'], resource)
    const identify = (on: typeof opened.platform) => on.pipeline.identify({ kind: 'bearer', token: grant.token, resource })
    const actor = await identify(opened.platform)
    const holding = holdingOf(opened.other.services, actor)
    expect([await holding.roles(), await rolesOfAbsent(opened.platform.services, actor)]).toEqual([2, 2])
    await identify(opened.other)
    await opened.call('revoke_connected_app', { appId: grant.grantId }, { key: await newSession(opened.world, person) })
    await expect(identify(opened.platform)).rejects.toMatchObject(refused('unauthenticated'))
    await expect.poll(() => identify(opened.other).catch((error: { code: string }) => error.code)).toBe('unauthenticated')
    await expect.poll(() => holding.roles().catch((error: { code: string }) => error.code)).toBe('unauthenticated')
    holding.close()
    await expect(rolesOfAbsent(opened.platform.services, actor)).rejects.toMatchObject(refused('unauthenticated'))
    await opened.close()
  })
})

describe('connected applications', () => {
  it('are their person’s to see and to end, in all tenants, and nobody else’s', async () => {
    const { person, grant } = await letIn(['DataView', 'DataEdit'])
    const other = await api.world.newTenant()
    const second = await newGrant(
      api.world,
      { tenantUserId: await joinTenant(api.world, person.userId, other) },
      ['DataView'],
      api.resource,
    )
    const session = await newSession(api.world, person)
    const list = await api.world.call('list_connected_apps', {}, { key: session })
    expect(list).toMatchObject([
      { appId: second.grantId, tenantId: other.tenantId, roles: ['DataView'], clientHost: 'host.example.com', lastUsedDate: null },
      { appId: grant.grantId, tenantId: tenant.tenantId, roles: ['DataView', 'DataEdit'], redirectHost: 'host.example.com' },
    ])
    const stranger = await newSession(api.world, await newPerson(api.world, tenant))
    await expect(api.world.call('revoke_connected_app', { appId: grant.grantId }, { key: stranger })).rejects.toMatchObject(
      refused('not_found'),
    )
    await expect(api.world.call('list_connected_apps', {}, { key: tenant.key })).rejects.toMatchObject(refused('forbidden'))
    await api.world.call('revoke_connected_app', { appId: grant.grantId }, { key: session })
    expect((await send(api.resource, grant.token, 'tools/list')).status).toBe(401)
    const rows = await api.world.sql`
      select operation, tenant_user_id, facts from platform.audit_event where tenant_id = ${tenant.tenantId} and operation = 'revoke_connected_app'`
    expect(rows).toMatchObject([{ tenantUserId: person.tenantUserId, facts: { appId: grant.grantId, name: 'A host' } }])
    const left = await api.world.call('list_connected_apps', {}, { key: session })
    expect(left.map(({ appId }: { appId: number }) => appId)).toEqual([second.grantId])
  })
})
