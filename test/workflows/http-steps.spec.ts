/** Steps that call outside: what they send, what they refuse, and how they stand a server that does not behave. */
import { setInterval } from 'node:timers'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { flagOf } from '#platform/roles.ts'

import { type FlowWorld, openFlowWorld } from '../support/flow-runs.ts'
import { type Heard, type OddServer, startOddServer } from '../support/odd-server.ts'
import { openTemporal, type TestTemporal } from '../support/temporal.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let temporal: TestTemporal
let flow: FlowWorld
let server: OddServer
/** How often `/flaky` refuses before it answers. */
let refusals = 0
/** Where `/otherwise` leads. */
let elsewhere = ''

const token = 'tok-1234567890'
const large = 'x'.repeat(300 * 1024)

beforeAll(async () => {
  // The guard lets calls to the server through, and to no other address of this machine.
  ;[world, temporal] = await Promise.all([openWorld({ OUTBOUND_ALLOW: '127.0.0.1/32' }), openTemporal()])
  server = await startOddServer(({ path, headers, method, body }: Heard, response) => {
    const json = { 'content-type': 'application/json' }
    switch (path) {
      case '/flaky':
        if (refusals-- > 0) return response.writeHead(503).end()
        return response.writeHead(200, json).end(JSON.stringify({ got: body.toString(), by: headers.authorization, method }))
      case '/inwards':
        return response.writeHead(302, { location: `http://127.0.0.2:${server.port}/echo` }).end()
      case '/otherwise':
        return response.writeHead(302, { location: elsewhere }).end()
      case '/elsewhere':
        return response.writeHead(302, { location: `http://127.0.0.1:${server.port}/echo` }).end()
      case '/byBytes': {
        response.writeHead(200, json)
        const dripping = setInterval(() => response.write(' '), 50)
        response.on('close', () => clearInterval(dripping))
        return
      }
      case '/never':
        return response.writeHead(200, { ...json, 'content-length': '1000' }).write('{')
      case '/silent':
        return
      case '/large':
        return response.writeHead(200, { 'content-type': 'text/plain' }).end(large)
      case '/deep':
        return response.writeHead(200, json).end('['.repeat(100_000) + ']'.repeat(100_000))
      case '/absent':
        return response.writeHead(404, json).end('{"code":"none"}')
      default:
        return response
          .writeHead(200, { ...json, 'set-cookie': 'session=1' })
          .end(JSON.stringify({ size: body.length, type: headers['content-type'] }))
    }
  })
  flow = await openFlowWorld(world, temporal)
  await world.call('save_secret', { internalName: 'erp', value: token, hosts: [`127.0.0.1:${server.port}`], prefix: 'Bearer ' })
  await world.call('save_secret', { internalName: 'other', value: 'tok-other-one', hosts: ['erp.example.com'] })
})
afterAll(async () => {
  await flow?.close()
  await world?.close()
  await temporal?.close()
  await server?.close()
})

const roleFlag = flagOf(['DataView', 'DataEdit', 'FileEdit'])
const calls = (path: string, config: object = {}, more: object = {}) => ({
  internalName: 'call',
  stepType: 'callHttp',
  config: { method: 'GET', url: path.startsWith('/') ? `${server.url}${path}` : path, ...config },
  ...more,
})
async function run(...steps: Parameters<FlowWorld['start']>[0][number][]) {
  const runId = await flow.start(steps, { roleFlag })
  return { runId, ...(await flow.until(runId, 'completed', 'failed')), steps: await flow.steps(runId) }
}
const once = { retry: { attempts: 1 } }

describe('a call outside', () => {
  it('sends its body, its secret and one key however often it is tried, and shows the secret nowhere', async () => {
    refusals = 2
    const from = server.heard.length
    const config = { method: 'POST', body: { order: 7 }, headers: { 'X-Number': 5 }, secretHeaders: { Authorization: 'erp' } }
    const { runId, state, steps } = await run(calls('/flaky', config))
    expect(state).toBe('completed')
    expect(steps).toMatchObject([{ result: { status: 200, body: { got: '{"order":7}', by: '•••', method: 'POST' } } }])
    const tries = server.heard.slice(from)
    expect(tries).toHaveLength(3)
    expect(tries.map(({ headers }) => headers.authorization)).toEqual(Array.from({ length: 3 }, () => `Bearer ${token}`))
    expect(tries[0]?.headers).toMatchObject({ 'x-number': '5', 'content-type': 'application/json' })
    const keys = new Set(tries.map(({ headers }) => headers['idempotency-key']))
    expect(keys.size).toBe(1)
    const rows = await world.sql`
      select input::text, result::text, error::text from platform.workflow_step_run where run_id = ${runId}
      union all select input::text, output::text, error::text from platform.workflow_log where run_id = ${runId}`
    expect(rows.length).toBeGreaterThan(3)
    expect(JSON.stringify(rows)).not.toContain(token)
    const other = await run(calls('/echo', { method: 'POST' }))
    expect(other.steps).toMatchObject([
      { result: { status: 200, headers: expect.not.objectContaining({ 'set-cookie': expect.anything() }) } },
    ])
    expect(keys.has(server.heard.at(-1)?.headers['idempotency-key'])).toBe(false)
    const [used] = await world.call('list_secrets')
    expect(used).toMatchObject({ internalName: 'erp', lastUsedDate: expect.any(String) })
  })

  it('keeps a secret to its hosts, and takes it behind no redirect', async () => {
    const from = server.heard.length
    const secretHeaders = { 'X-Key': 'other' }
    expect(await run(calls('/echo', { secretHeaders }, once))).toMatchObject({
      state: 'failed',
      error: { code: 'unprocessable', message: expect.stringContaining('save_secret') },
    })
    expect(server.heard).toHaveLength(from)
    expect(await run(calls('/elsewhere', { secretHeaders: { 'X-Key': 'erp' } }, once))).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('redirect') },
    })
    expect(server.heard.slice(from).map(({ path }) => path)).toEqual(['/elsewhere'])
    expect(await run(calls('/elsewhere', {}, once))).toMatchObject({ state: 'completed', steps: [{ result: { status: 200 } }] })
    expect(server.heard.slice(from).map(({ path }) => path)).toEqual(['/elsewhere', '/elsewhere', '/echo'])
  })

  it('takes no header of its own to another origin', async () => {
    const other = await startOddServer((_heard, response) => response.writeHead(200).end())
    try {
      elsewhere = `${other.url}/echo`
      const headers = { 'X-Api-Key': token, Accept: 'text/plain' }
      expect(await run(calls('/otherwise', { headers }, once))).toMatchObject({ state: 'completed' })
      expect(server.heard.at(-1)?.headers).toMatchObject({ 'x-api-key': token, 'idempotency-key': expect.any(String) })
      expect(other.heard).toHaveLength(1)
      expect(other.heard[0]?.headers).toMatchObject({ accept: 'text/plain', 'user-agent': 'Fieldloop' })
      expect(other.heard[0]?.headers).not.toHaveProperty('x-api-key')
      expect(other.heard[0]?.headers).not.toHaveProperty('idempotency-key')
    } finally {
      await other.close()
    }
  })

  it('goes to no address that the operator has not opened, by a redirect neither', async () => {
    const from = server.heard.length
    const inside = [`http://127.0.0.2:${server.port}/echo`, `http://[::1]:${server.port}/echo`, 'http://169.254.169.254/', '/inwards']
    for (const url of inside) {
      const { state, error } = await run(calls(url, {}, once))
      expect({ url, state, code: error?.code }).toEqual({ url, state: 'failed', code: 'unprocessable' })
    }
    expect(
      server.heard
        .slice(from)
        .map(({ path }) => path)
        .filter((path) => path !== '/inwards'),
    ).toEqual([])
    expect(await run(calls(`http://ana:secret@127.0.0.1:${server.port}/echo`, {}, once))).toMatchObject({
      error: { code: 'unprocessable' },
    })
    expect(await run(calls('/echo', { headers: { Host: 'elsewhere' } }, once))).toMatchObject({ error: { code: 'unprocessable' } })
    expect(await run(calls('/echo', { headers: { 'X-Two': 'a\r\nb: c' } }, once))).toMatchObject({ error: { code: 'unprocessable' } })
  })

  it('is over in its time, whether the answer comes by the byte, half, or not at all', async () => {
    const all = await Promise.all(['/byBytes', '/never', '/silent'].map((path) => run(calls(path, {}, { ...once, timeoutSeconds: 1 }))))
    expect(all.map(({ state, error }) => [state, error?.code])).toEqual(Array.from({ length: 3 }, () => ['failed', 'timeout']))
    await expect.poll(() => server.open()).toBe(0)
  })

  it('holds no more of an answer than a run may, and keeps a larger one as a file', async () => {
    expect(await run(calls('/large', {}, once))).toMatchObject({ state: 'failed', error: { code: 'too_large' } })
    const { steps } = await run(calls('/large', { saveBodyAs: 'asset' }, once))
    expect(steps).toMatchObject([{ state: 'done', result: { status: 200, assetKey: expect.any(String) } }])
    const [kept] = steps
    const { assetKey } = (kept?.result ?? {}) as { assetKey?: string }
    expect(await world.call('get_asset', { assetKey })).toMatchObject({ fileSize: large.length })
    expect(await run(calls('/deep', {}, once))).toMatchObject({ state: 'failed', error: { code: 'unprocessable' } })
  })

  it('sends a file that the run reaches, and none that is sensitive', async () => {
    const upload = async (isSensitive: boolean) =>
      (
        await world.call(
          'upload_asset',
          { fileName: 'note.txt', contentBase64: Buffer.from('hello').toString('base64'), isSensitive },
          { transport: 'mcp' },
        )
      ).assetKey
    const sends = async (isSensitive: boolean) => run(calls('/echo', { method: 'PUT', bodyAsset: await upload(isSensitive) }, once))
    expect(await sends(false)).toMatchObject({ steps: [{ result: { body: { size: 5, type: expect.stringContaining('text/plain') } } }] })
    const from = server.heard.length
    expect(await sends(true)).toMatchObject({ state: 'failed', error: { code: 'unprocessable' } })
    expect(server.heard).toHaveLength(from)
  })

  it('goes well when its condition says so, and leaves what it was answered where it does not', async () => {
    const successWhen = [{ property: '$response.body.code', op: 'eq', value: 'none' }]
    expect(await run(calls('/absent', { successWhen }, once))).toMatchObject({ state: 'completed', steps: [{ result: { status: 404 } }] })
    const kept = { internalName: 'kept', stepType: 'set', config: { values: { status: '[[$steps.call.status]]' } } }
    expect(await run(calls('/absent', {}, { ...once, onError: 'continue' }), kept)).toMatchObject({
      state: 'completed',
      variables: { status: 404 },
    })
  })
})
