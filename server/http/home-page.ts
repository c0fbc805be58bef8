/** The page at the root: what this is, whether all is well, how to connect an agent, where the documentation is. */
import type { Dependency, DependencyState, Readiness } from '#platform/call.ts'
import type { Registry } from '#platform/registry.ts'

import { clientConfigurations } from './client-configurations.ts'
import { addressOf, byFolder, type DocsPage } from './docs-pages.ts'
import { escape, htmlPage } from './html-page.ts'

export interface HomePageFacts {
  readonly publicUrl: string
  readonly registry: Registry
  readonly readiness: Readiness
  readonly hasMcp: boolean
  /** Of the documentation; none where it is not served. */
  readonly pages: readonly DocsPage[]
}

// The buttons appear only where the script runs. The section about the state is fetched anew, more often while something starts.
const script = `
for (const snippet of document.querySelectorAll('.snippet')) {
  const button = snippet.querySelector('button')
  const code = snippet.querySelector('code')
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent)
      button.textContent = 'Copied'
    } catch {
      getSelection().selectAllChildren(code)
      button.textContent = 'Selected'
    }
    document.getElementById('said').textContent = button.textContent
    setTimeout(() => { button.textContent = 'Copy' }, 2000)
  })
}
const refresh = async () => {
  const state = document.getElementById('state')
  if (!document.hidden) {
    try {
      const text = await (await fetch('/')).text()
      const fresh = new DOMParser().parseFromString(text, 'text/html').getElementById('state')
      // Only a change is worth saying aloud.
      if (fresh.innerHTML !== state.innerHTML) state.innerHTML = fresh.innerHTML
      state.dataset.settled = fresh.dataset.settled
    } catch {
      state.querySelector('.overall').innerHTML = '<span class="dot down" aria-hidden="true"></span>The server does not answer any more.'
      state.dataset.settled = 'no'
    }
  }
  again()
}
const again = () => setTimeout(refresh, document.getElementById('state').dataset.settled === 'no' ? 3000 : 15000)
again()
`

function snippet(label: string, code: string): string {
  return `<div class="snippet"><button type="button" aria-label="Copy: ${escape(label)}" hidden>Copy</button><pre tabindex="0" role="group" aria-label="${escape(label)}"><code>${escape(code)}</code></pre></div>`
}

const stateWords: Record<DependencyState, string> = { up: 'up', local: 'local', starting: 'starting', down: 'down', absent: 'not used' }

/** What people call the parts, and what each is there for. */
const parts: Readonly<Record<string, { readonly name: string; readonly purpose: string }>> = {
  postgres: { name: 'PostgreSQL', purpose: 'Keeps the records, their history and everything that was acknowledged.' },
  temporal: { name: 'Temporal', purpose: 'Carries out imports, recognition and messages to vendors.' },
  mail: { name: 'Mail', purpose: 'Brings invitations and links for new passwords to people.' },
  redis: { name: 'Redis', purpose: 'Counts limits and carries wake-ups across processes.' },
}

/** What could not be had and has a remedy is missing; what nobody asked for is not. */
const isMissing = ({ state, remedy }: Dependency) => state === 'absent' && remedy !== undefined

function overallState({ status, dependencies }: Readiness): { state: DependencyState; sentence: string } {
  const named = (fits: (dependency: Dependency) => boolean) =>
    Object.entries(dependencies).flatMap(([name, dependency]) => (fits(dependency) ? [parts[name]?.name ?? name] : []))
  const [down, missing, starting] = [named(({ state }) => state === 'down'), named(isMissing), named(({ state }) => state === 'starting')]
  const are = (names: readonly string[]) => `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'}`
  if (status === 'down') return { state: 'down', sentence: 'Not serving: the database is away.' }
  if (status === 'starting') return { state: 'starting', sentence: 'Starting. Calls are answered as soon as the database is ready.' }
  if (down.length > 0) return { state: 'down', sentence: `Serving, but ${are(down)} down.` }
  if (missing.length > 0) return { state: 'down', sentence: `Serving, but ${are(missing)} missing.` }
  if (starting.length > 0) return { state: 'starting', sentence: `Serving; ${are(starting)} still starting.` }
  return { state: 'up', sentence: 'All is well.' }
}

function stateLine([name, dependency]: [string, Dependency]): string {
  const { state, detail, remedy } = dependency
  const part = parts[name]
  const notes = [state === 'up' ? part?.purpose : undefined, detail, remedy].filter((note) => note !== undefined).map(escape)
  const word = isMissing(dependency) ? 'missing' : stateWords[state]
  return `<li><strong>${escape(part?.name ?? name)}</strong><span class="${isMissing(dependency) ? 'down' : state}">${word}</span><small>${notes.join(' ')}</small></li>`
}

function stateSection(readiness: Readiness): string {
  const { state, sentence } = overallState(readiness)
  return `<section id="state" aria-label="State" aria-live="polite" data-settled="${state === 'up' ? 'yes' : 'no'}">
<h2 class="overall"><span class="dot ${state}" aria-hidden="true"></span>${escape(sentence)}</h2>
<ul class="states">${Object.entries(readiness.dependencies).map(stateLine).join('')}</ul>
</section>`
}

const firstWords =
  'Use the Fieldloop tools. Call whoami, read the guide “A day of work” with docs_read, then tell me what you could do for me here and what you need to know first.'

function connectSection(facts: HomePageFacts): string {
  const configurations = clientConfigurations(`${facts.publicUrl}/mcp`)
  const has = (name: string) => facts.registry.byName.has(name)
  const more = has('create_api_key') ? ' With it, <code>create_api_key</code> makes keys with fewer roles; give each agent its own.' : ''
  const words = has('whoami') && has('docs_read') ? `<h3>Then say to the agent</h3>${snippet('first words for an agent', firstWords)}` : ''
  return `<section aria-labelledby="connect">
<h2 id="connect">Connect an agent</h2>
<p>The Model Context Protocol endpoint is <code>${escape(facts.publicUrl)}/mcp</code> (Streamable HTTP, API key as bearer token). Put your key where it says <code>YOUR_KEY</code>.</p>
<p>The key of the first start is the one given as <code>BOOTSTRAP_API_KEY</code>; where none was given, it was printed once and lies in <code>bootstrap-key</code> in the data directory (<code>.data/</code> unless <code>DATA_DIR</code> says otherwise).${more}</p>
${configurations.map(({ title, note, code }, index) => `<details${index === 0 ? ' open' : ''}><summary>${escape(title)}</summary><div><p>${escape(note)}</p>${snippet(`configuration for ${title}`, code)}</div></details>`).join('\n')}
${words}
</section>`
}

function callSection({ publicUrl, registry }: HomePageFacts): string {
  const operation =
    registry.byName.get('whoami') ?? registry.operations.find(({ pathParams, method }) => pathParams.length === 0 && method === 'POST')
  if (!operation) return ''
  const code = `curl -X ${operation.method} ${publicUrl}${operation.path} \\\n  -H "Authorization: Bearer YOUR_KEY"`
  return `<section aria-labelledby="call"><h2 id="call">Or call it over HTTP</h2><p>Every tool is also a REST operation with the same input and the same answer.</p>${snippet('a call with curl', code)}</section>`
}

function docsSection({ registry, hasMcp, pages }: HomePageFacts): string {
  const tools = ['docs_index', 'docs_search', 'docs_read'].filter((name) => registry.byName.has(name))
  const reading =
    hasMcp && tools.length > 0
      ? `<dt>${tools.map((name) => `<code>${name}</code>`).join(' ')}</dt><dd>The same pages for agents, as tools</dd>`
      : ''
  const [guides] = byFolder(pages)
  const reads = guides
    ? `<p><a href="/docs">All of it</a>, and the guides:</p><ul class="columns">${guides.pages.map(({ path, title }) => `<li><a href="${addressOf(path)}">${escape(title)}</a></li>`).join('')}</ul>`
    : ''
  return `<section aria-labelledby="docs"><h2 id="docs">Documentation</h2>
${reads}
<dl><dt><a href="/openapi.json">/openapi.json</a></dt><dd>Every operation with its input, answer and errors (OpenAPI 3.1)</dd>
<dt><a href="/llms.txt">/llms.txt</a></dt><dd>What there is to read and to call, as text for language models</dd>${reading}
<dt><a href="/readyz">/readyz</a></dt><dd>The state above as JSON; 503 while the database is away</dd>
<dt><a href="/healthz">/healthz</a></dt><dd>Whether the process lives</dd>
<dt>/metrics</dt><dd>For Prometheus, with the key of a global administrator</dd></dl></section>`
}

function areasSection({ registry, pages }: HomePageFacts): string {
  const areas = registry.domains.map(({ name, title, operations }) => {
    const page = pages.find(({ path }) => path === `reference/tools/${name}.md`)
    const words = page ? `<a href="${addressOf(page.path)}">${escape(title)}</a>` : escape(title)
    return { words, count: operations.filter(({ isUnlisted }) => isUnlisted !== true).length }
  })
  const total = areas.reduce((sum, { count }) => sum + count, 0)
  const lines = areas.map(({ words, count }) => `<li>${words} <span>${count}</span></li>`)
  return `<section aria-labelledby="areas"><h2 id="areas">What it can do</h2><p>${total} operations in ${areas.length} areas; a key sees those that its roles allow.</p><ul class="columns">${lines.join('')}</ul></section>`
}

/** The whole page. */
export function homePage(facts: HomePageFacts): ReturnType<typeof htmlPage> {
  return htmlPage({
    title: 'Fieldloop',
    header: '<h1>Fieldloop</h1>',
    main: [
      '<p class="lead">An operations platform that AI agents run: records with their history, recognition of what stands in photographs and documents, and messaging with people in the field. This is its API.</p>',
      stateSection(facts.readiness),
      facts.hasMcp ? connectSection(facts) : '',
      callSection(facts),
      docsSection(facts),
      areasSection(facts),
    ].join('\n'),
    footer: '<p>Served by this installation; nothing on this page comes from elsewhere.</p>',
    script,
  })
}
