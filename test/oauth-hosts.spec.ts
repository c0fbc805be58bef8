/** Stock hosts on the whole way, and the public conformance suite for authorization servers. */
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { RoleName } from '#platform/roles.ts'

import { type AppHost, startAppHost } from './support/app-host.ts'
import { registerClient, type Tokens } from './support/authorization.ts'
import { type HostWorld, letIn, openHostWorld } from './support/host-visit.ts'
import { newPerson, type TestPerson } from './support/persons.ts'
import { newVisitor, type Visitor } from './support/portal.ts'
import { freePort } from './support/ports.ts'
import type { TestTenant } from './support/world.ts'

let opened: HostWorld
let site: AppHost
let tenant: TestTenant
beforeAll(async () => {
  site = await startAppHost()
  opened = await openHostWorld()
  tenant = await opened.world.newTenant()
})
afterAll(async () => {
  await opened?.close()
  await site?.close()
})

const redirectUrl = 'http://127.0.0.1:3334/callback'

/** What both generations of the SDK ask of a host: to keep things, and to open a browser. */
function newMemory(clientMetadataUrl: string | undefined) {
  let information: unknown
  let tokens: Tokens | undefined
  let verifier = ''
  let discovered: unknown
  const opens: URL[] = []
  const provider = {
    redirectUrl,
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    clientMetadata: {
      client_name: 'A stock host',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'a state of the host',
    clientInformation: () => information,
    saveClientInformation: (saved: unknown) => void (information = saved),
    tokens: () => tokens,
    saveTokens: (saved: unknown) => void (tokens = saved as Tokens),
    redirectToAuthorization: (url: URL) => void opens.push(url),
    saveCodeVerifier: (saved: string) => void (verifier = saved),
    codeVerifier: () => verifier,
    // As every host that lasts: what the server refuses is thrown away.
    invalidateCredentials(scope: string) {
      if (scope === 'all' || scope === 'tokens') tokens = undefined
    },
    saveDiscoveryState: (saved: unknown) => void (discovered = saved),
    discoveryState: () => discovered,
    // oxlint-disable-next-line typescript/no-explicit-any -- the two generations name the same object by types of their own
  } as any
  return {
    provider,
    opens,
    get tokens(): Tokens {
      if (!tokens) throw new Error('The host has no token')
      return tokens
    },
    get information() {
      return information as { client_id?: string } | undefined
    },
  }
}

interface StockHost {
  connect(): Promise<void>
  finish(back: URL): Promise<void>
  tools(): Promise<string[]>
  call(name: string, input?: Record<string, unknown>): Promise<{ readonly [member: string]: unknown }>
}

const generations: Readonly<Record<string, (memory: ReturnType<typeof newMemory>) => StockHost>> = {
  'SDK v1': ({ provider }) => {
    let transport = new TransportV1(new URL(opened.resource), { authProvider: provider })
    let client = new ClientV1({ name: 'stock', version: '1' })
    return {
      async connect() {
        transport = new TransportV1(new URL(opened.resource), { authProvider: provider })
        client = new ClientV1({ name: 'stock', version: '1' })
        await client.connect(transport)
      },
      finish: (back) => transport.finishAuth(back.searchParams.get('code') ?? ''),
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, input = {}) => client.callTool({ name, arguments: input }),
    }
  },
  'SDK v2': ({ provider }) => {
    let transport = new TransportV2(new URL(opened.resource), { authProvider: provider })
    let client = new ClientV2({ name: 'stock', version: '1' })
    return {
      async connect() {
        transport = new TransportV2(new URL(opened.resource), { authProvider: provider })
        client = new ClientV2({ name: 'stock', version: '1' })
        await client.connect(transport)
      },
      finish: (back) => transport.finishAuth(back.searchParams),
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, input = {}) => client.callTool({ name, arguments: input }),
    }
  },
}

const ways = Object.keys(generations).flatMap((generation) => ['registering', 'by its document'].map((way) => [generation, way] as const))

describe.each(ways)('%s, %s', (generation, way) => {
  async function start(held: readonly RoleName[]) {
    const memory = newMemory(
      way === 'registering' ? undefined : site.publish(`/${generation.replace(' ', '-')}`, { redirect_uris: [redirectUrl] }),
    )
    const host = generations[generation]?.(memory)
    if (!host) throw new Error('There is no such generation')
    const person = await newPerson(opened.world, tenant, held)
    return { memory, host, person, visitor: newVisitor(opened.issuer) }
  }

  /** The host is refused, opens a browser, and comes back with a code. */
  async function connect(
    { memory, host, person, visitor }: { memory: ReturnType<typeof newMemory>; host: StockHost; person: TestPerson; visitor: Visitor },
    fields: Record<string, string>,
  ) {
    await expect(host.connect()).rejects.toThrow()
    const address = memory.opens.at(-1)
    if (!address) throw new Error('The host opened no browser')
    await host.finish(await letIn(opened, address, person, fields, visitor))
    await host.connect()
  }

  it(
    'goes from the challenge to a call, refreshes when its hour is over, and opens a browser again once it is disconnected',
    { timeout: 120_000 },
    async () => {
      const started = await start(['DataView', 'DataEdit', 'FileEdit'])
      const { memory, host, person } = started
      await connect(started, { access: 'work' })
      const asked = memory.opens[0]?.searchParams
      expect([asked?.get('resource'), asked?.get('code_challenge_method')]).toEqual([opened.resource, 'S256'])
      expect(asked?.get('scope')?.split(' ')).toEqual(expect.arrayContaining(['DataView', 'DataEdit', 'FileEdit']))
      expect(memory.information?.client_id).toMatch(way === 'registering' ? /^app_/ : /^https:/)
      expect(await host.tools()).toEqual(expect.arrayContaining(['whoami', 'save_instance']))
      expect((await host.call('whoami'))['structuredContent']).toMatchObject({ tenantUserId: person.tenantUserId, roleFlag: 42 })
      // Its hour is over.
      const before = memory.tokens
      await opened.world.sql`update platform.oauth_token set expires_at = now() where kind = 'access'`
      opened.world.platform.services.wake.poke('credentials')
      expect((await host.call('whoami'))['structuredContent']).toMatchObject({ tenantUserId: person.tenantUserId })
      expect(memory.tokens.access_token).not.toBe(before.access_token)
      expect(memory.tokens.refresh_token).not.toBe(before.refresh_token)
      expect(memory.opens).toHaveLength(1)
      // The person disconnects it.
      await opened.world.sql`delete from platform.oauth_grant where tenant_user_id = ${person.tenantUserId}`
      opened.world.platform.services.wake.poke('credentials')
      await expect(host.call('whoami')).rejects.toThrow()
      expect(memory.opens).toHaveLength(2)
      await host.finish(await letIn(opened, memory.opens[1] ?? '', person, { access: 'read' }, started.visitor))
      await host.connect()
      expect((await host.call('whoami'))['structuredContent']).toMatchObject({ roleFlag: 2 })
    },
  )

  it('asks its person for a role that a call lacks, and has it then beside those that it had', { timeout: 120_000 }, async () => {
    const started = await start(['DataView', 'DataEdit', 'FileEdit'])
    const { memory, host, person, visitor } = started
    await connect(started, { access: 'read' })
    expect((await host.call('whoami'))['structuredContent']).toMatchObject({ roleFlag: 2 })
    await expect(host.call('create_upload_url', { fileName: 'gate.jpg' })).rejects.toThrow()
    // The first generation refreshes where it should ask, and gives up: its person connects it anew.
    if (generation === 'SDK v1') memory.provider.invalidateCredentials('tokens')
    if (generation === 'SDK v1') await expect(host.call('create_upload_url', { fileName: 'gate.jpg' })).rejects.toThrow()
    expect(memory.opens).toHaveLength(2)
    const asked = memory.opens[1]?.searchParams.get('scope')?.split(' ') ?? []
    expect(asked).toEqual(expect.arrayContaining(['DataView', 'FileEdit']))
    await host.finish(await letIn(opened, memory.opens[1] ?? '', person, { access: 'work' }, visitor))
    await host.connect()
    expect((await host.call('create_upload_url', { fileName: 'gate.jpg' }))['structuredContent']).toMatchObject({
      url: expect.stringContaining('/api/v1/uploads/'),
    })
  })
})

describe('a host', () => {
  it('is told by its library that it is not let in yet', async () => {
    const memory = newMemory(undefined)
    await expect(generations['SDK v1']?.(memory).connect()).rejects.toThrow(UnauthorizedError)
  })
})

describe('the public conformance suite', () => {
  const suite = fileURLToPath(new URL('../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url))

  it.each(['registering', 'by its document'])(
    'passes both scenarios for an authorization server without a warning, %s',
    { timeout: 180_000 },
    async (way) => {
      const port = await freePort()
      const callback = `http://127.0.0.1:${port}/callback`
      const clientId =
        way === 'registering'
          ? (await registerClient(opened, { redirect_uris: [callback] })).clientId
          : site.publish('/conformance', { redirect_uris: [callback] })
      const results = await mkdtemp(join(tmpdir(), 'fieldloop-authorization-'))
      const child = spawn(
        process.execPath,
        [
          suite,
          'authorization',
          '--url',
          opened.issuer,
          '--client-id',
          clientId,
          '--resource',
          opened.resource,
          '--port',
          String(port),
          '-o',
          results,
        ],
        { stdio: ['ignore', 'pipe', 'pipe'] },
      )
      let said = ''
      const address = new Promise<string>((resolve) => {
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (chunk: Buffer) => {
            said += chunk.toString('utf8')
            const [found] = /^http\S+\/oauth\/authorize\?\S+(?=\s)/m.exec(said) ?? []
            if (found !== undefined) resolve(found)
          })
      })
      const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject))
      const person = await newPerson(opened.world, tenant, ['DataView'])
      const asked = await Promise.race([address, ended.then(() => undefined)])
      if (asked === undefined) throw new Error(`The suite asked for nothing: ${said}`)
      const back = await letIn(opened, asked, person, { access: 'read' })
      expect((await fetch(back)).status).toBe(200)
      expect(await ended, said).toBe(0)
      const checks: { id: string; status: string }[] = []
      for (const entry of await readdir(results))
        checks.push(...(JSON.parse(await readFile(join(results, entry, 'checks.json'), 'utf8')) as typeof checks))
      expect(checks.map(({ id, status }) => `${id}: ${status}`).toSorted((a, b) => a.localeCompare(b))).toEqual([
        'authorization-code-grant: SUCCESS',
        'authorization-server-metadata-cimd: SUCCESS',
        'authorization-server-metadata: SUCCESS',
      ])
      await rm(results, { recursive: true, force: true })
    },
  )
})
