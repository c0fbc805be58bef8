import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, normalize, resolve } from 'node:path'

import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'

import { settings } from '#platform/config.ts'
import { errorCatalogue } from '#platform/errors.ts'
import { parseInput } from '#platform/issues.ts'
import { buildRegistry } from '#platform/registry.ts'
import { pageHtml, servedTexts } from '#server/docs/index.ts'
import { drawnDiagrams } from '#server/docs/draw-diagrams.ts'
import { referenceFiles } from '#server/docs/reference.ts'
import { compareReference } from '#server/docs/write.ts'
import { clientConfigurations } from '#server/http/client-configurations.ts'
import { domains } from '#tools/index.ts'
import { corpus, type Page, readPage } from '#tools/docs/service.ts'

const root = resolve(import.meta.dirname, '..')
const registry = buildRegistry(domains)
const listed = registry.operations.filter((operation) => operation.isUnlisted !== true)
const files = referenceFiles(registry)
const served = servedTexts(registry, { pages: corpus.pages(), publicUrl: 'https://ops.example.com' })
const textOf = (path: string) => files.get(path) ?? ''
const servedAt = (path: string) => served.get(path)?.text ?? ''

const written = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs-corpus/README.md']
/** Every page that people read, by its path from the root; generated ones as they would be written now. */
const pages: readonly Page[] = [
  ...written.map((path) => readPage(path, readFileSync(join(root, path), 'utf8'))),
  ...corpus
    .pages()
    .filter(({ path }) => !path.startsWith('reference/'))
    .map((page) => ({ ...page, path: `docs-corpus/${page.path}` })),
  ...[...files].filter(([path]) => path.endsWith('.md')).map(([path, text]) => readPage(`docs-corpus/${path}`, text)),
]
const byHand = pages.filter(({ path }) => !path.startsWith('docs-corpus/reference/'))
const guides = byHand.filter(({ path }) => path.startsWith('docs-corpus/guides/'))

describe('the generated documents', () => {
  it('are the same bytes each time, and stale ones are named', async () => {
    expect(referenceFiles(registry)).toEqual(files)
    const folder = await mkdtemp(join(tmpdir(), 'fieldloop-reference-'))
    const drawings = [...drawnDiagrams(corpus.pages()).keys()]
    expect(drawings.length).toBeGreaterThan(0)
    try {
      const { stale } = compareReference(registry, folder)
      expect(stale.toSorted()).toEqual([...files.keys(), ...drawings].toSorted())
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('are refused when there is nothing to document', () => {
    expect(() => compareReference(buildRegistry([]), root)).toThrow('no operation')
  })

  it('are a valid OpenAPI 3.1 document with every operation once', async () => {
    const text = servedAt('/openapi.json')
    const { valid, errors } = await new Validator().validate(JSON.parse(text))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    const document = JSON.parse(text)
    expect(document.openapi).toBe('3.1.0')
    expect(document.servers).toEqual([{ url: 'https://ops.example.com' }])
    const named = Object.values<Record<string, { 'x-operations': string[] }>>(document.paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => operation['x-operations']),
    )
    expect(named.toSorted()).toEqual(listed.map((operation) => operation.name).toSorted())
  })

  it('show two operations on one path as one that names both', () => {
    const shared = JSON.parse(servedAt('/openapi.json')).paths['/api/v1/entities/{entity}/instances/{record}'].post
    expect(shared.operationId).toBe('upsert_instance_or_get_instance')
    expect(shared.requestBody.required).toBe(false)
    expect(shared.requestBody.content['application/json'].schema.anyOf).toHaveLength(2)
  })

  it('describe how bytes go in and out', () => {
    const { paths } = JSON.parse(servedAt('/openapi.json'))
    const form = paths['/api/v1/assets'].post.requestBody.content['multipart/form-data'].schema
    expect(form.required).toContain('file')
    expect(Object.keys(form.properties)).not.toContain('contentBase64')
    const download = paths['/api/v1/assets/{assetKey}/download'].get
    expect(Object.keys(download.responses['200'].content)).toEqual(['*/*'])
    expect(Object.keys(download.responses).slice(0, 3)).toEqual(['200', '206', '304'])
    expect(download.security).toEqual([{ bearer: [] }, { signedUrl: [], signedUrlExpiry: [], signedUrlUser: [] }])
    expect(paths['/api/v1/messaging/webhooks/{channelKey}'].post.security).toEqual([])
  })

  it('declare for each operation the errors that it may answer, by status', () => {
    const document = JSON.parse(servedAt('/openapi.json'))
    const { responses } = document.paths['/api/v1/entities/{entity}/instances'].post
    const codes = (status: string) => {
      const name = String(responses[status].$ref).split('/').at(-1) ?? ''
      return document.components.responses[name].content['application/problem+json'].schema.allOf[1].properties.code.enum
    }
    expect(codes('404')).toEqual(['not_found'])
    expect(codes('409')).toEqual(['conflict', 'already_exists', 'idempotency_conflict', 'idempotency_in_progress'])
    expect(codes('415')).toEqual(['unsupported_type'])
  })

  it('show in the query what the contract puts there, beside the body that may hold it too', () => {
    const asOf = JSON.parse(servedAt('/openapi.json')).paths['/api/v1/entities/{entity}/instances/{record}/as-of'].post
    expect(asOf.parameters).toContainEqual(expect.objectContaining({ name: 'utc', in: 'query', required: false }))
    expect(asOf.requestBody.required).toBe(false)
    expect(asOf.requestBody.content['application/json'].schema.properties).toHaveProperty('utc')
  })

  it('are a Postman collection of format 2.1 with every operation in the folder of its domain', () => {
    const collection = JSON.parse(servedAt('/postman.json'))
    expect(collection.info).toMatchObject({
      name: 'Fieldloop',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    })
    expect(collection.variable.map((one: { key: string }) => one.key)).toEqual(['baseUrl', 'apiKey', 'userName', 'password'])
    const folders = new Map<string, string[]>(
      collection.item.map((folder: { name: string; item: { name: string }[] }) => [folder.name, folder.item.map(({ name }) => name)]),
    )
    const titles = new Map(registry.domains.map(({ name, title }) => [name, title]))
    const absent = listed.filter(({ domain, name }) => !folders.get(titles.get(domain) ?? '')?.includes(name))
    expect(absent.map(({ name }) => name)).toEqual([])
    const items = collection.item.flatMap((folder: { item: unknown[] }) => folder.item)
    const broken = items.filter(
      (item: { request?: { method?: string; url?: { raw?: string; path?: string[] } }; response?: unknown[] }) =>
        !item.request?.method ||
        !item.request.url?.raw?.startsWith('{{baseUrl}}/') ||
        !Array.isArray(item.request.url.path) ||
        !Array.isArray(item.response),
    )
    expect(broken).toEqual([])
  })

  it('hold the fields of every input and answer as tables', () => {
    const { operations } = JSON.parse(servedAt('/response-shapes.json'))
    expect(Object.keys(operations)).toEqual(listed.map((operation) => operation.name))
    expect(operations.save_instance.answer.fields.map((row: { field: string }) => row.field)).toEqual(
      expect.arrayContaining(['eiRecordId', 'data', 'rowHash', 'outcome', 'jobIds']),
    )
    expect(operations.send_message.input.map((row: { field: string }) => row.field)).toContain('card.choices[].key')
    expect(operations.list_instances.answer).toMatchObject({ kind: 'list', isPaged: true })
    expect(operations.upload_asset.input.map((row: { field: string }) => row.field)).not.toContain('contentBase64')
  })

  it('name every tool and every page in llms.txt', () => {
    const text = servedAt('/llms.txt')
    const tools = listed.filter((operation) => operation.isTool)
    expect(tools.filter(({ name }) => !new RegExp(`[ ,]${name}(,|\\n)`).test(text))).toEqual([])
    expect(corpus.pages().filter(({ path }) => !text.includes(`(/docs/${path})`))).toEqual([])
  })

  it('name every role, error code and setting', () => {
    expect(Object.keys(errorCatalogue).filter((code) => !textOf('reference/errors.md').includes(`\n## ${code}\n`))).toEqual([])
    expect(
      settings().filter(({ name, description }) => description === '' || !textOf('reference/settings.md').includes(`| \`${name}\` |`)),
    ).toEqual([])
    expect(listed.filter(({ name }) => !textOf('reference/roles.md').includes(`| \`${name}\` |`))).toEqual([])
  })
})

describe('the written pages', () => {
  it('are all there', () => {
    expect(guides.length).toBeGreaterThanOrEqual(14)
    expect(byHand.filter(({ path }) => path.startsWith('docs-corpus/decisions/')).length).toBeGreaterThanOrEqual(7)
  })

  it('link only to what exists, down to the anchor', () => {
    const known = new Map(pages.map((page) => [page.path, page]))
    const links = pages.flatMap((page) =>
      [...page.markdown.replace(/```[^]*?```|`[^`\n]*`/g, '').matchAll(/\]\((?!https?:|mailto:|docs:)([^)\s]+)\)/g)].map((match) => ({
        page,
        target: match[1] ?? '',
      })),
    )
    expect(links.length).toBeGreaterThan(100)
    const dead = links.filter(({ page, target }) => {
      const [file = '', anchor] = target.split('#')
      const path = file === '' ? page.path : normalize(join(dirname(page.path), file))
      const found = known.get(path)
      if (found) return anchor !== undefined && !found.sections.some((section) => section.anchor === anchor)
      return anchor !== undefined || !isThere(path)
    })
    expect(dead.map(({ page, target }) => `${page.path} → ${target}`)).toEqual([])
  })

  it('are shown in a browser whole: nothing is left as Markdown, and every link leads to a page and place that is served', async () => {
    const shown = await Promise.all(corpus.pages().map(async (page) => ({ path: page.path, html: await pageHtml(page) })))
    expect(shown.length).toBeGreaterThan(30)
    const ids = new Map(shown.map(({ path, html }) => [path, new Set([...html.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]))]))
    const wrong = shown.flatMap(({ path, html }) => {
      const words = html.replace(/<(code|pre)[\s\S]*?<\/\1>/g, '')
      const links = [...html.matchAll(/ href="([^"]*)"/g)].map((match) => match[1] ?? '')
      const dead = links.filter((link) => {
        const [address = '', anchor] = link.split('#')
        const target = address === '' ? path : `${address.replace('/docs/', '')}.md`
        if (address === '/llms.txt' || address === '/docs') return false
        return !/^https?:/.test(link) && (!ids.has(target) || (anchor !== undefined && !ids.get(target)?.has(anchor)))
      })
      const left = /```|^#+ |\*\*|\]\((?:[a-z.]+\/)*[a-z-]+\.md/m.exec(words)?.[0]
      return [...dead.map((link) => `${path} → ${link}`), ...(left === undefined ? [] : [`${path}: ${left}`])]
    })
    expect(wrong).toEqual([])
    const linked = shown.flatMap(({ html }) => [...html.matchAll(/ href="/g)])
    expect(linked.length).toBeGreaterThan(100)
  })

  it('are shown with anchors, colours, tables that scroll by themselves, drawn diagrams and the address of the installation', async () => {
    const pageOf = (path: string) => corpus.page(path) ?? readPage(path, '# There is no such page')
    const start = await pageHtml(pageOf('guides/getting-started.md'), 'https://ops.example.com')
    expect(start).toContain('https://ops.example.com/readyz')
    expect(start).not.toContain('localhost:4000')
    expect(start).toMatch(/<h2 id="([a-z-]+)"><a class="anchor" href="#\1">/)
    const tools = await pageHtml(pageOf('reference/tools/instances.md'))
    expect(tools).toContain('<span class="hljs-attr">')
    const tables = tools.match(/<table>/g) ?? []
    expect(tables.length).toBeGreaterThan(20)
    expect(tools.match(/<div class="table" tabindex="0"[^>]*><table>/g)).toHaveLength(tables.length)
    const drawn = corpus.pages().filter(({ markdown }) => markdown.includes('```mermaid'))
    expect(drawn.length).toBeGreaterThan(0)
    for (const page of drawn) {
      const html = await pageHtml(page)
      expect(html).toContain('<svg ')
      expect(html).not.toMatch(/flowchart|<style|style="|https?:\/\/(?!www\.w3\.org)[a-z.]*google/)
    }
    const scripted = readPage('guides/x.md', '# X\n\n<script>alert(1)</script> [x](javascript:alert(1))\n')
    expect(await pageHtml(scripted)).toContain('alert(1)')
    expect(await pageHtml(scripted)).not.toMatch(/<script|href="javascript/)
  })

  it('show the client configurations that the page at the root shows', () => {
    const guide = guides.find(({ path }) => path.endsWith('/connect-an-agent.md'))?.markdown ?? ''
    const plain = (code: string): string => {
      try {
        return JSON.stringify(JSON.parse(code))
      } catch {
        return code.trim()
      }
    }
    const blocks = new Set([...guide.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map((match) => plain(match[1] ?? '')))
    const configurations = clientConfigurations('http://localhost:4000/mcp').filter(({ title }) => title !== 'Any other host')
    expect(configurations.length).toBeGreaterThan(5)
    expect(configurations.filter(({ code }) => !blocks.has(plain(code))).map(({ title }) => title)).toEqual([])
  })

  // Names that look like a tool's and are none: the catalog surface's own tools, metrics, words of the database, programs and a folder.
  const otherNames = new Set([
    'search_tools',
    'describe_tool',
    'call_read_tool',
    'call_write_tool',
    'fieldloop_calls_total',
    'fieldloop_call_duration_seconds',
    'fieldloop_outbox_oldest_seconds',
    'fieldloop_outbox_given_up',
    'fieldloop_record_indexes',
    'fieldloop_record_index_changes_total',
    // Of PostgreSQL.
    'pg_trgm',
    'to_tsvector',
    'pg_dump',
    'fieldloop_event_tries_total',
    'fieldloop_event_delivery_seconds',
    'fieldloop_event_oldest_due_seconds',
    'pg_restore',
    'pg_basebackup',
    'node_modules',
    // Of OAuth.
    'insufficient_scope',
    'temporarily_unavailable',
    // Of OpenID Connect.
    'email_verified',
  ])

  it('name only tools that are registered and stand in the table of operations', () => {
    const table = readFileSync(join(root, 'test/contract/operations.tsv'), 'utf8')
    const inTable = new Set(table.split('\n').map((line) => line.split('\t')[0]))
    const codes = new Set(Object.keys(errorCatalogue))
    const named = byHand.flatMap((page) =>
      [...page.markdown.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map((match) => ({ path: page.path, name: match[1] ?? '' })),
    )
    const tools = named.filter(({ name }) => !codes.has(name) && !otherNames.has(name))
    expect(tools.length).toBeGreaterThan(100)
    const isCalled = (name: string) =>
      registry.byName.get(name)?.isTool === true || ['Public', 'Person'].includes(registry.byName.get(name)?.roles ?? '')
    expect(tools.filter(({ name }) => !isCalled(name) || !inTable.has(name))).toEqual([])
  })

  it('show calls that the tools take', () => {
    const calls = byHand.flatMap((page) =>
      [...page.markdown.matchAll(/^```json ([a-z_]+)\n([\s\S]*?)^```$/gm)].map((match) => ({
        path: page.path,
        name: match[1] ?? '',
        text: match[2] ?? '',
      })),
    )
    expect(calls.length).toBeGreaterThan(30)
    const wrong = calls.flatMap(({ path, name, text }) => {
      const operation = registry.byName.get(name)
      if (!operation) return [`${path}: there is no ${name}`]
      const parsed = parseInput(operation.input, JSON.parse(text))
      return parsed.isOk ? [] : [`${path}: ${name}: ${JSON.stringify(parsed.issues)}`]
    })
    expect(wrong).toEqual([])
  })

  it('name only settings that exist', () => {
    // Of the scripts that measure, which read them beside the settings.
    const ofScripts = ['BENCH_PASSWORD', 'FLOOD_ATTEMPTS']
    const known = new Set([...settings().map(({ name }) => name), ...ofScripts, 'PATH', 'AUTH_HEADER', 'YOUR_KEY', 'REJECT_DUPLICATE'])
    const named = byHand.flatMap((page) =>
      [...page.markdown.matchAll(/`([A-Z]+(?:_[A-Z]+)*)(?:=[^`]*)?`/g)].map((match) => ({ path: page.path, name: match[1] ?? '' })),
    )
    expect(named.filter(({ name }) => known.has(name)).length).toBeGreaterThan(20)
    expect(named.filter(({ name }) => name.includes('_') && !known.has(name))).toEqual([])
  })

  it('give the limits that a setting changes with the setting’s default', () => {
    const limits = guides.find(({ path }) => path.endsWith('/limits.md'))?.markdown ?? ''
    const units: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }
    const printed = [...limits.matchAll(/(\d[\d,]*) ?(KiB|MiB|GiB)?[^|`(]*\(`([A-Z_]+)`\)/g)].map(
      ([, digits = '', unit = '', name = '']) => ({
        name,
        value: String(Number(digits.replaceAll(',', '')) * (units[unit] ?? 1)),
      }),
    )
    expect(printed.length).toBeGreaterThan(5)
    const defaults = new Map(settings().map(({ name, fallback }) => [name, fallback]))
    expect(printed.filter(({ name, value }) => defaults.get(name) !== value)).toEqual([])
  })

  it('call only routes that exist in the README’s walk', () => {
    const readme = byHand.find(({ path }) => path === 'README.md')?.markdown ?? ''
    const called = [...readme.matchAll(/\bpost "?([a-z][\w/$-]*)"?/gi)].map((match) => `/api/v1/${match[1]}`)
    expect(called.length).toBeGreaterThan(8)
    const patterns = registry.operations
      .filter(({ method }) => method === 'POST')
      .map(({ path }) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`))
    expect(called.filter((path) => !patterns.some((pattern) => pattern.test(path)))).toEqual([])
  })
})

function isThere(path: string): boolean {
  try {
    readFileSync(join(root, path))
    return true
  } catch (error) {
    // A folder is there too.
    return error instanceof Error && 'code' in error && error.code === 'EISDIR'
  }
}
