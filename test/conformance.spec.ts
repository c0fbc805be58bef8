/** The public MCP conformance suite against the endpoint, with the suite's fixtures beside the tools. */
import { spawn } from 'node:child_process'
import { readdir, readFile, mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as forward, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { conformanceFixtures } from './support/conformance-fixtures.ts'
import { type McpServer, portOf, startMcpServer } from './support/mcp-server.ts'

const suite = fileURLToPath(new URL('../node_modules/@modelcontextprotocol/conformance/', import.meta.url))
const baseline = fileURLToPath(new URL('./support/conformance-baseline.yml', import.meta.url))

let server: McpServer
let proxy: Server
let results: string

/** The suite can send no header of ours, so a proxy adds the key; Host and Origin pass through it, for the endpoint to judge. */
function startProxy(port: number): Server {
  return createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: 'Bearer builder' }
    const inner = forward({ host: '127.0.0.1', port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    outgoing.on('close', () => inner.destroy())
    inner.on('error', () => outgoing.destroy())
    incoming.pipe(inner)
  })
}

beforeAll(async () => {
  server = await startMcpServer({ protocolFixtures: conformanceFixtures })
  proxy = startProxy(server.port)
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  results = await mkdtemp(join(tmpdir(), 'fieldloop-conformance-'))
})

afterAll(async () => {
  proxy.closeAllConnections()
  await new Promise((resolve) => proxy.close(resolve))
  await server.stop()
  await rm(results, { recursive: true, force: true })
})

interface Run {
  readonly code: number | null
  readonly output: string
  /** Names of the scenarios that ran, and the number of checks that each passed. */
  readonly passed: ReadonlyMap<string, number>
}

async function runSuite(revision: string, ...more: string[]): Promise<Run> {
  const output = join(results, revision)
  const child = spawn(
    process.execPath,
    [
      join(suite, 'dist/index.js'),
      'server',
      '--url',
      `http://localhost:${portOf(proxy)}/mcp`,
      '--requirements',
      revision,
      '-o',
      output,
      ...more,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  const code = await new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject))
  const passed = new Map<string, number>()
  for (const entry of await readdir(output)) {
    const name = /^server-(.+)-\d{4}-\d\d-\d\dT.*$/.exec(entry)?.[1] ?? entry
    const checks: { status: string }[] = JSON.parse(await readFile(join(output, entry, 'checks.json'), 'utf8'))
    passed.set(name, checks.filter((check) => check.status === 'SUCCESS').length)
  }
  return { code, output: Buffer.concat(chunks).toString('utf8'), passed }
}

/** The scenarios that a revision requires of a server, as the suite's own file lists them. */
async function requiredScenarios(revision: string): Promise<string[]> {
  const file = await readFile(join(suite, `requirements/${revision}.yaml`), 'utf8')
  const section = /^server:\n((?: {2}- .+\n)+)/m.exec(file)?.[1] ?? ''
  return [...section.matchAll(/- (.+)/g)].map((match) => match[1] ?? '')
}

describe('the public conformance suite', () => {
  it('passes every scenario that revision 2026-07-28 requires', { timeout: 180_000 }, async () => {
    const required = await requiredScenarios('2026-07-28')
    expect(required).toHaveLength(37)
    const { code, output, passed } = await runSuite('2026-07-28')
    expect(code, output).toBe(0)
    expect(
      required.filter((name) => !passed.get(name)),
      output,
    ).toEqual([])
  })

  it('passes every scenario that revision 2025-11-25 requires, but for the five that need a session', { timeout: 180_000 }, async () => {
    const expected = [...(await readFile(baseline, 'utf8')).matchAll(/^ {2}- (.+)$/gm)].map((match) => match[1] ?? '')
    expect(expected).toHaveLength(5)
    const required = await requiredScenarios('2025-11-25')
    expect(required).toHaveLength(30)
    const { code, output, passed } = await runSuite('2025-11-25', '--expected-failures', baseline)
    expect(code, output).toBe(0)
    expect(
      required.filter((name) => !passed.get(name) && !expected.includes(name)),
      output,
    ).toEqual([])
  })
})
