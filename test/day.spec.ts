import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { openStack, type Stack } from './day/stack.ts'
import { playDay } from './day/steps.ts'

let stack: Stack

beforeAll(async () => {
  stack = await openStack({ OUTBOUND_ALLOW: '127.0.0.0/8' })
  // Where Temporal has to be built from source first, that takes its minutes once for each user.
  await stack.ready()
})

afterAll(() => stack.stop(), 60_000)

it('runs the day over the real transports, and again', { timeout: 600_000 }, async () => {
  const lines: string[] = []
  const options = { url: stack.url, key: stack.key, print: (line: { call: string }) => void lines.push(line.call) }
  const first = await playDay(options)
  expect(first.airports).toBeGreaterThan(3_000)
  expect(first.tools).toBeGreaterThan(100)
  expect(first.text.toUpperCase()).toContain('HARBOUR')
  expect(first.labels.length).toBeGreaterThan(0)
  expect(first.reply).toBe('Open, the lock is new')
  expect(first.flow).toMatchObject({
    answer: 'free',
    report: 'Docks so far: 1, in 1 kinds of answer.',
    told: ['workflow.completed'],
    done: ['read', 'askCrew', 'write', 'count', 'report'],
  })
  expect(first.flow.waitingDiagram).toMatch(/askCrew.*waiting/)
  const again = await playDay(options)
  expect(again).toMatchObject({ airports: first.airports, reply: first.reply })
  expect(again.flow.report).toBe('Docks so far: 2, in 1 kinds of answer.')
  expect(lines.length).toBeGreaterThan(70)
})

const root = resolve(import.meta.dirname, '..')

/** The README's one block in a language that holds a text, with this stack's address in place of the printed one. */
async function readmeBlock(language: string, text: string): Promise<string> {
  const readme = await readFile(resolve(root, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((match) => match[1] ?? '')
  const [block, ...more] = blocks.filter((one) => one.includes(text))
  if (block === undefined || more.length > 0) throw new Error(`The README has ${more.length + (block ? 1 : 0)} blocks with ${text}`)
  return block.replaceAll('http://localhost:4000', stack.url).replaceAll('$(cat .data/bootstrap-key)', stack.key)
}

/** Feeds a text to a program in the repository's root; answers what it printed. Rejects when it fails. */
function feed(command: string, args: readonly string[], text: string): Promise<string> {
  return new Promise((done, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (printed += part))
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? done(printed) : reject(new Error(`${command} ended with ${code}:\n${printed}`))))
    child.stdin.end(text)
  })
}

it('runs the README’s walk with curl as it is printed', async () => {
  const printed = await feed('sh', ['-e'], await readmeBlock('sh', 'post() {'))
  for (const expected of [
    '"tenantSubDomain":"demo"',
    '"hits":[',
    '"state":"succeeded"',
    '"text":"Open, the lock is new"',
    '"state":"ended"',
  ])
    expect(printed).toContain(expected)
  const page = printed.split('\n').find((line) => line.startsWith('[{"eiRecordId"'))
  expect(JSON.parse(page ?? '[]')).toHaveLength(3)
  expect(printed).not.toContain('urn:fieldloop:error')
})

it('runs the README’s stock MCP client as it is printed', async () => {
  const printed = await feed(
    process.execPath,
    ['--input-type=module', '-', stack.key],
    await readmeBlock('js', 'StreamableHTTPClientTransport'),
  )
  expect(printed).toMatch(/^\d{3} tools$/m)
  for (const expected of ["tenantSubDomain: 'demo'", "path: 'guides/", "internalName: 'Airport'"]) expect(printed).toContain(expected)
})
