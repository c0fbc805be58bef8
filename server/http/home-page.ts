/** The page at the root: what this is, whether all is well, how to connect an agent, where the documentation is. */
import { readFileSync } from 'node:fs'

import type { Dependency, DependencyState, Readiness } from '#platform/call.ts'
import type { Registry } from '#platform/registry.ts'

import { clientConfigurations } from './client-configurations.ts'

export interface HomePageFacts {
  /** Of this answer's content security policy. */
  readonly nonce: string
  readonly publicUrl: string
  readonly registry: Registry
  readonly readiness: Readiness
  readonly hasMcp: boolean
}

const style = readFileSync(new URL('./home-page.css', import.meta.url), 'utf8')

// The buttons appear only where the script runs. While something starts, the section about it is fetched anew.
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
  try {
    const text = await (await fetch('/')).text()
    const fresh = new DOMParser().parseFromString(text, 'text/html').getElementById('state')
    const state = document.getElementById('state')
    state.innerHTML = fresh.innerHTML
    state.dataset.settled = fresh.dataset.settled
  } catch {}
  again()
}
const again = () => { if (document.getElementById('state').dataset.settled === 'no') setTimeout(refresh, 3000) }
again()
`

const logo = `<svg viewBox="0 0 48 48" fill="none" stroke="currentColor" stroke-width="4" stroke-linecap="round" aria-hidden="true"><path d="M40 24a16 16 0 1 1-6-12.5"/><path d="M34 4v8h-8"/><path d="M17 25l5 5 9-11"/></svg>`
const icon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" fill="none" stroke="#1f8a66" stroke-width="5" stroke-linecap="round"><path d="M40 24a16 16 0 1 1-6-12.5M34 4v8h-8M17 25l5 5 9-11"/></svg>`)}`

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function snippet(label: string, code: string): string {
  return `<div class="snippet"><button type="button" aria-label="Copy: ${escape(label)}" hidden>Copy</button><pre tabindex="0" role="group" aria-label="${escape(label)}"><code>${escape(code)}</code></pre></div>`
}

const stateWords: Record<DependencyState, string> = { up: 'up', starting: 'starting', down: 'down', absent: 'not used' }

function overallState({ status, dependencies }: Readiness): { state: DependencyState; sentence: string } {
  const named = (state: DependencyState) =>
    Object.entries(dependencies).flatMap(([name, dependency]) => (dependency.state === state ? [name] : []))
  const [down, starting] = [named('down'), named('starting')]
  if (status === 'down') return { state: 'down', sentence: 'Not serving: the database is away.' }
  if (status === 'starting') return { state: 'starting', sentence: 'Starting. Calls are answered as soon as the database is ready.' }
  if (down.length > 0) return { state: 'down', sentence: `Serving, but ${down.join(' and ')} ${down.length > 1 ? 'are' : 'is'} down.` }
  if (starting.length > 0)
    return { state: 'starting', sentence: `Serving; ${starting.join(' and ')} ${starting.length > 1 ? 'are' : 'is'} still starting.` }
  return { state: 'up', sentence: 'All is well.' }
}

function stateLine([name, { state, detail, remedy }]: [string, Dependency]): string {
  const notes = [detail, remedy].filter((note) => note !== undefined).map(escape)
  return `<li><strong>${escape(name)}</strong><span class="${state}">${stateWords[state]}</span><small>${notes.join(' ')}</small></li>`
}

function stateSection(readiness: Readiness): string {
  const { state, sentence } = overallState(readiness)
  const dependencies = Object.entries(readiness.dependencies)
  const isSettled = readiness.status === 'ready' && !dependencies.some(([, dependency]) => dependency.state === 'starting')
  return `<section id="state" aria-label="State" aria-live="polite" data-settled="${isSettled ? 'yes' : 'no'}">
<h2 class="overall"><span class="dot ${state}" aria-hidden="true"></span>${escape(sentence)}</h2>
<ul class="states">${dependencies.map(stateLine).join('')}</ul>
</section>`
}

function connectSection(facts: HomePageFacts): string {
  const configurations = clientConfigurations(`${facts.publicUrl}/mcp`)
  const more = facts.registry.byName.has('create_api_key')
    ? ' With it, <code>create_api_key</code> makes keys with fewer roles; give each agent its own.'
    : ''
  return `<section aria-labelledby="connect">
<h2 id="connect">Connect an agent</h2>
<p>The Model Context Protocol endpoint is <code>${escape(facts.publicUrl)}/mcp</code> (Streamable HTTP, API key as bearer token). Put your key where it says <code>YOUR_KEY</code>.</p>
<p>The key of the first start is the one given as <code>BOOTSTRAP_API_KEY</code>; where none was given, it was printed once and lies in <code>bootstrap-key</code> in the data directory (<code>.data/</code> unless <code>DATA_DIR</code> says otherwise).${more}</p>
${configurations.map(({ title, note, code }, index) => `<details${index === 0 ? ' open' : ''}><summary>${escape(title)}</summary><div><p>${escape(note)}</p>${snippet(`configuration for ${title}`, code)}</div></details>`).join('\n')}
</section>`
}

function callSection({ publicUrl, registry }: HomePageFacts): string {
  const operation =
    registry.byName.get('whoami') ?? registry.operations.find(({ pathParams, method }) => pathParams.length === 0 && method === 'POST')
  if (!operation) return ''
  const code = `curl -X ${operation.method} ${publicUrl}${operation.path} \\\n  -H "Authorization: Bearer YOUR_KEY"`
  return `<section aria-labelledby="call"><h2 id="call">Or call it over HTTP</h2><p>Every tool is also a REST operation with the same input and the same answer.</p>${snippet('a call with curl', code)}</section>`
}

function docsSection({ registry, hasMcp }: HomePageFacts): string {
  const tools = ['docs_index', 'docs_search', 'docs_read'].filter((name) => registry.byName.has(name))
  const reading =
    hasMcp && tools.length > 0
      ? `<dt>${tools.map((name) => `<code>${name}</code>`).join(' ')}</dt><dd>The guides and the reference, for agents, as tools</dd>`
      : ''
  return `<section aria-labelledby="docs"><h2 id="docs">Documentation</h2>
<dl><dt><a href="/openapi.json">/openapi.json</a></dt><dd>Every operation with its input, answer and errors (OpenAPI 3.1)</dd>
<dt><a href="/llms.txt">/llms.txt</a></dt><dd>The same in short, as text for language models</dd>${reading}
<dt><a href="/readyz">/readyz</a></dt><dd>The state above as JSON; 503 while the database is away</dd>
<dt><a href="/healthz">/healthz</a></dt><dd>Whether the process lives</dd>
<dt>/metrics</dt><dd>For Prometheus, with the key of a global administrator</dd></dl></section>`
}

function areasSection({ registry }: HomePageFacts): string {
  const areas = registry.domains.map(({ title, operations }) => ({
    title,
    count: operations.filter(({ isUnlisted }) => isUnlisted !== true).length,
  }))
  const total = areas.reduce((sum, { count }) => sum + count, 0)
  const lines = areas.map(({ title, count }) => `<li>${escape(title)} <span>${count}</span></li>`)
  return `<section aria-labelledby="areas"><h2 id="areas">What it can do</h2><p>${total} operations in ${areas.length} areas; a key sees those that its roles allow.</p><ul class="areas">${lines.join('')}</ul></section>`
}

/** The whole page as HTML. It asks for nothing from elsewhere and works without its script. */
export function homePage(facts: HomePageFacts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Fieldloop</title>
<link rel="icon" href="${icon}">
<style nonce="${facts.nonce}">${style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<div class="wrap">
<header><div class="brand">${logo}<h1>Fieldloop</h1></div>
<p class="lead">An operations platform that AI agents run: records with their history, recognition of what stands in photographs and documents, and messaging with people in the field. This is its API.</p></header>
<main id="main">
${stateSection(facts.readiness)}
${facts.hasMcp ? connectSection(facts) : ''}
${callSection(facts)}
${docsSection(facts)}
${areasSection(facts)}
</main>
<footer><p id="said" role="status"></p><p>Served by this installation; nothing on this page comes from elsewhere.</p></footer>
</div>
<script nonce="${facts.nonce}">${script}</script>
</body>
</html>
`
}
