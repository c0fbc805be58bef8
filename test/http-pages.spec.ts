import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { Readiness } from '#platform/call.ts'

import { allUp, startHttpServer, type TestServer } from './support/http-server.ts'

let server: TestServer
let readiness: () => Promise<Readiness> = () => Promise.resolve(allUp)
beforeAll(async () => {
  server = await startHttpServer(
    { readiness: () => readiness(), mcp: (_request, response) => Promise.resolve(void response.end()) },
    { PUBLIC_URL: 'https://ops.example.test/' },
  )
})
afterAll(() => server.close())

const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await fetch(`${server.url}${path}`, { method, headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const states: Record<string, Readiness> = {
  missing: {
    status: 'ready',
    dependencies: { postgres: { state: 'up' }, temporal: { state: 'absent', detail: 'It cannot be built.', remedy: 'Install Go.' } },
  },
  building: {
    status: 'ready',
    dependencies: {
      postgres: { state: 'up' },
      temporal: { state: 'starting', detail: 'Building <the> server', remedy: 'Wait.' },
      redis: { state: 'absent' },
    },
  },
  away: { status: 'down', dependencies: { postgres: { state: 'down', detail: 'No answer.', remedy: 'Start it.' } } },
  migrating: { status: 'starting', dependencies: { postgres: { state: 'starting' } } },
}

describe('health', () => {
  it('says that the process lives, to HEAD too', async () => {
    expect(await get('/healthz')).toMatchObject({ status: 200, text: '{"status":"alive"}' })
    expect(await get('/healthz', {}, 'HEAD')).toMatchObject({ status: 200, text: '' })
  })

  it('is ready while the database is, whatever else still starts, and else answers 503', async () => {
    const answers: [string, number][] = []
    for (const [name, state] of Object.entries({ allUp, ...states })) {
      readiness = () => Promise.resolve(state)
      const { status, text } = await get('/readyz')
      expect(JSON.parse(text)).toEqual(state)
      answers.push([name, status])
    }
    expect(Object.fromEntries(answers)).toEqual({ allUp: 200, missing: 200, building: 200, away: 503, migrating: 503 })
    readiness = () => Promise.reject(new Error('password=hunter2'))
    expect(await get('/readyz')).toMatchObject({ status: 503, text: '{"status":"down","dependencies":{}}' })
    expect((await get('/')).status).toBe(200)
    readiness = () => Promise.resolve(allUp)
  })

  it('shows the metrics to a global administrator alone', async () => {
    expect((await get('/metrics')).status).toBe(401)
    expect((await get('/metrics', { authorization: 'Bearer DataView' })).status).toBe(403)
    await fetch(`${server.url}/api/v1/schema/whoami`, { method: 'POST', headers: { authorization: 'Bearer DataView' } })
    await fetch(`${server.url}/api/v1/fail`, {
      method: 'POST',
      body: '{"code":"conflict"}',
      headers: { 'content-type': 'application/json' },
    })
    const { status, headers, text } = await get('/metrics', { authorization: 'Bearer GlobalAdmin' })
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')])
    expect(text).toMatch(/fieldloop_calls_total\{operation="whoami",transport="rest",code="ok"\} \d/)
    expect(text).toMatch(/fieldloop_calls_total\{operation="fail",transport="rest",code="conflict"\} \d/)
    expect(text).toMatch(/fieldloop_call_duration_seconds_bucket\{le="0.01"/)
    expect(text).toContain('process_cpu_seconds_total')
    expect(text).toMatch(/^fieldloop_outbox_waiting 3$/m)
    expect(text).toMatch(/^fieldloop_outbox_oldest_seconds 4\.5$/m)
    expect(text).toMatch(/^fieldloop_outbox_given_up 1$/m)
  })
})

describe('documents', () => {
  it('serves the OpenAPI document and llms.txt to anybody', async () => {
    const openapi = await get('/openapi.json')
    expect([openapi.text, openapi.headers.get('content-type')]).toEqual(['{"openapi":"3.1.0"}', 'application/json; charset=utf-8'])
    const llms = await get('/llms.txt')
    expect([llms.text, llms.headers.get('content-type')]).toEqual(['# Fieldloop\n', 'text/plain; charset=utf-8'])
  })
})

describe('the documentation in a browser', () => {
  const page = (path: string, title: string) => ({
    path,
    title,
    summary: `About <${title}>.`,
    markdown: `# ${title}\n`,
    html: () => `<h1 id="top">${title}</h1>`,
  })
  const corpus = [page('guides/start.md', 'Start'), page('reference/tools/test.md', 'The tools'), page('decisions/why.md', 'Why')]
  let documented: TestServer
  beforeAll(async () => {
    documented = await startHttpServer({ docs: { texts: new Map(), corpus } })
  })
  afterAll(() => documented.close())
  const read = async (path: string) => {
    const response = await fetch(documented.url + path)
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text(), headers: response.headers }
  }

  it('lists every page, serves each in a frame that asks for nothing from elsewhere, and as Markdown', async () => {
    const index = await read('/docs')
    const links = [...index.text.matchAll(/<dt><a href="([^"]+)">/g)].map((match) => match[1] ?? '')
    expect(links).toEqual(['/docs/guides/start', '/docs/reference/tools/test', '/docs/decisions/why'])
    expect(index.text).toContain('About &#60;Start&#62;.')
    for (const [position, link] of links.entries()) {
      const { status, type, text, headers } = await read(link)
      expect([status, type]).toEqual([200, 'text/html; charset=utf-8'])
      expect(text).toContain(corpus[position]?.html() ?? 'no such page')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect([...text.matchAll(/(?:src|href)="([^"]*)"/g)].filter((match) => !/^(?:data:|\/|#)/.test(match[1] ?? ''))).toEqual([])
      expect(await read(`${link}.md`)).toMatchObject({
        status: 200,
        type: 'text/markdown; charset=utf-8',
        text: corpus[position]?.markdown,
      })
    }
  })

  it('is linked from the page at the root', async () => {
    const { text } = await read('/')
    for (const link of ['/docs', '/docs/guides/start']) expect(text).toContain(`href="${link}"`)
  })

  it('names the nearest page where there is none of that name', async () => {
    const { status, text } = await read('/docs/guides/strat')
    expect(status).toBe(404)
    expect(JSON.parse(text).detail).toContain('/docs/guides/start')
  })

  it('is absent where there is none', async () => {
    expect((await get('/docs')).status).toBe(404)
    expect((await get('/')).text).not.toContain('/docs')
  })
})

describe('the page at the root', () => {
  it('asks for nothing from elsewhere and runs only its own script', async () => {
    const { status, headers, text } = await get('/')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = headers.get('content-security-policy') ?? ''
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? 'none'
    expect(policy).toContain("default-src 'none'")
    expect(text).toContain(`<script nonce="${nonce}">`)
    expect(text).toContain(`<style nonce="${nonce}">`)
    expect((await get('/')).headers.get('content-security-policy')).not.toContain(nonce)
    const loaded = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? '')
    expect(loaded.length).toBeGreaterThan(4)
    expect(loaded.filter((address) => !/^(?:data:|\/|#)/.test(address))).toEqual([])
    expect(text).not.toMatch(/ style="| on[a-z]+="/)
  })

  it('gives client configurations that a host can read, at the public address', async () => {
    const { text } = await get('/')
    const plain = (html: string) => html.replace(/&#(\d+);/g, (_whole, code: string) => String.fromCharCode(Number(code)))
    const blocks = [...text.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code><\/pre>/g)].map((match) => plain(match[1] ?? ''))
    const configurations = blocks.filter((block) => block.startsWith('{')).map((block): unknown => JSON.parse(block))
    expect(configurations.length).toBe(5)
    for (const configuration of configurations) expect(JSON.stringify(configuration)).toContain('https://ops.example.test/mcp')
    expect(blocks.filter((block) => block.includes('claude mcp add --transport http fieldloop https://ops.example.test/mcp'))).toHaveLength(
      1,
    )
    expect(blocks.filter((block) => block.includes('curl -X POST https://ops.example.test/api/v1/schema/whoami'))).toHaveLength(1)
  })

  it('links only to what answers, and keeps the place of the data to itself', async () => {
    const { text } = await get('/')
    const links = [...text.matchAll(/href="(\/[^"]*)"/g)].map((match) => match[1] ?? '')
    expect(links.length).toBeGreaterThan(2)
    for (const link of links) expect([link, (await get(link)).status]).toEqual([link, 200])
    expect(text).not.toContain(process.cwd())
    expect(text).not.toContain('docs_search')
  })

  it('says whether all is well, and what to do where it is not', async () => {
    const sentences: string[] = []
    for (const state of [allUp, states['missing'], states['building'], states['away'], states['migrating']]) {
      readiness = () => Promise.resolve(state ?? allUp)
      const { text } = await get('/')
      sentences.push(/<h2 class="overall">.*?<\/span>(.*?)<\/h2>/.exec(text)?.[1] ?? '')
      expect(text).not.toContain('<the>')
      const remedies = Object.values((state ?? allUp).dependencies).flatMap(({ remedy }) => (remedy === undefined ? [] : [remedy]))
      expect(remedies.filter((remedy) => !text.includes(remedy))).toEqual([])
    }
    readiness = () => Promise.resolve(allUp)
    expect(sentences).toEqual([
      'All is well.',
      'Serving, but Temporal is missing.',
      'Serving; Temporal is still starting.',
      'Not serving: the database is away.',
      'Starting. Calls are answered as soon as the database is ready.',
    ])
  })

  it('does not speak of an agent connection where there is none', async () => {
    const without = await startHttpServer()
    const text = await (await fetch(without.url)).text()
    expect(text).not.toContain('/mcp')
    await without.close()
  })
})
