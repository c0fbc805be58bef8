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
    expect(text).toMatch(/^fieldloop_outbox_waiting\{lane="people"\} 3$/m)
    expect(text).toMatch(/^fieldloop_outbox_waiting\{lane="bulk"\} 0$/m)
    expect(text).toMatch(/^fieldloop_outbox_oldest_seconds\{lane="people"\} 4\.5$/m)
    expect(text).toMatch(/^fieldloop_outbox_given_up 1$/m)
    expect(text).toMatch(/^fieldloop_event_subscriptions_due 2$/m)
    expect(text).toMatch(/^fieldloop_event_oldest_due_seconds 61\.5$/m)
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
    sections: ['top', 'first', 'second'].map((anchor, index) => ({ anchor, title: `The ${anchor}`, level: index === 0 ? 1 : 2 })),
    html: () => Promise.resolve(`<h1 id="top">${title}</h1>`),
  })
  const pages = [page('guides/start.md', 'Start'), page('reference/tools/test.md', 'Test: the tools'), page('decisions/why.md', 'Why')]
  const asked: string[] = []
  let held: Promise<void> = Promise.resolve()
  const search = async (query: string) => {
    asked.push(query)
    await held
    const hits =
      query === 'nothing' ? [] : [{ path: 'guides/start.md', title: 'Start', anchor: 'first', section: 'The <first>', excerpt: 'A & B' }]
    return { hits, hint: 'Not sure.' }
  }
  let documented: TestServer
  beforeAll(async () => {
    documented = await startHttpServer({ docs: { texts: new Map(), site: { pages, search } } })
  })
  afterAll(() => documented.close())
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(documented.url + path, { headers, redirect: 'manual' })
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
      expect(text).toContain((await pages[position]?.html()) ?? 'no such page')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect([...text.matchAll(/(?:src|href)="([^"]*)"/g)].filter((match) => !/^(?:data:|\/|#)/.test(match[1] ?? ''))).toEqual([])
      expect(text).not.toMatch(/<script| style="| on[a-z]+="/)
      expect(await read(`${link}.md`)).toMatchObject({
        status: 200,
        type: 'text/markdown; charset=utf-8',
        text: pages[position]?.markdown,
      })
    }
  })

  it('leads from each page to the one before and the one behind it, and to its sections', async () => {
    const { text } = await read('/docs/reference/tools/test')
    expect(text).toContain('rel="prev" href="/docs/guides/start"')
    expect(text).toContain('rel="next" href="/docs/decisions/why"')
    expect(text).toContain('href="/docs/reference/tools/test" aria-current="page">Test<')
    expect(text).toContain('<li><a href="#second">The second</a></li>')
    expect((await read('/docs/guides/start')).text).not.toContain('rel="prev"')
    expect((await read('/docs/decisions/why')).text).not.toContain('rel="next"')
  })

  it('searches by a form, without a script, in what was typed', async () => {
    const form = await read('/docs')
    expect(form.text).toContain('<form class="search" action="/docs/search" role="search"><input type="search" name="q"')
    expect(form.headers.get('content-security-policy')).toContain("form-action 'self'")
    const { status, text } = await read('/docs/search?q=%3Cb%3E+%22gate%22')
    expect([status, asked.at(-1)]).toEqual([200, '<b> "gate"'])
    expect(text).toContain('value="&#60;b&#62; &#34;gate&#34;"')
    expect(text).toContain('<a href="/docs/guides/start#first">The &#60;first&#62;</a>')
    expect(text).toContain('A &#38; B')
    expect(text).toContain('Not sure.')
    expect((await read('/docs/search?q=nothing')).text).toContain('Nothing was found')
    const before = asked.length
    expect((await read('/docs/search?q=%20')).text).toContain('Ask in your own words')
    expect(asked).toHaveLength(before)
    await read(`/docs/search?q=${'x'.repeat(5_000)}`)
    expect(asked.at(-1)).toHaveLength(500)
  })

  it('lets only so many search at once', async () => {
    let release = () => {}
    held = new Promise((resolve) => (release = resolve))
    const before = asked.length
    const refused: [number, string | null][] = []
    const many = Array.from({ length: 12 }, async () => {
      const { status, headers } = await read('/docs/search?q=many')
      if (status !== 200) refused.push([status, headers.get('retry-after')])
      return status
    })
    // The others are still held when these are answered.
    await expect.poll(() => refused).toEqual(Array.from({ length: 4 }, () => [429, '1']))
    expect(asked.length - before).toBe(8)
    release()
    expect((await Promise.all(many)).filter((status) => status === 200)).toHaveLength(8)
  })

  it('is linked from the page at the root', async () => {
    const { text } = await read('/')
    for (const link of ['/docs', '/docs/guides/start']) expect(text).toContain(`href="${link}"`)
  })

  it('shows a person a page where there is none, and a program the problem with the nearest name', async () => {
    const { status, text } = await read('/docs/guides/strat')
    expect(status).toBe(404)
    expect(JSON.parse(text).detail).toContain('/docs/guides/start')
    for (const path of ['/docs/guides/strat', '/nowhere']) {
      const shown = await read(path, browser)
      expect([shown.status, shown.type, shown.headers.get('vary')]).toEqual([404, 'text/html; charset=utf-8', 'accept'])
      expect(shown.text).toContain('role="search"')
    }
    expect((await read('/docs/guides/strat', browser)).text).toContain('/docs/guides/start')
    const posted = await fetch(`${documented.url}/nowhere`, { method: 'POST', headers: browser })
    expect(posted.headers.get('content-type')).toContain('application/problem+json')
  })

  it('takes a person from a slash too many, or from a folder, to what was meant', async () => {
    const target = async (path: string) => {
      const { status, headers } = await read(path, browser)
      return [status, headers.get('location')]
    }
    expect(await target('/docs/')).toEqual([308, '/docs'])
    expect(await target('/docs/guides/start/')).toEqual([308, '/docs/guides/start'])
    expect(await target('/docs/guides')).toEqual([302, '/docs'])
    expect(await target('/docs/reference/tools/')).toEqual([302, '/docs'])
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
    expect(configurations.length).toBe(6)
    for (const configuration of configurations) expect(JSON.stringify(configuration)).toContain('https://ops.example.test/mcp')
    // Without a key, where the host can ask its person, and with one.
    const added = blocks.filter((block) => block.includes('claude mcp add --transport http fieldloop https://ops.example.test/mcp'))
    expect(added.map((block) => block.includes('YOUR_KEY'))).toEqual([false, true])
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
