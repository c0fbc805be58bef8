/**
 * The application for browsers, built by Vite from server/web/portal at the first start and kept per user under a digest of all that it is made of: a change of it
 * is built at the next start, and nothing built is committed.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

import type { Config } from '#platform/config.ts'

import { roomModule } from './room-modules.rules.ts'

const run = promisify(execFile)
const compress = promisify(gzip)

const root = resolve(import.meta.dirname, '../..')
// The pages of the server as well: the application shares rules with them.
const sources = ['server/web', 'server/pages', 'package-lock.json']
const buildTimeoutMs = 300_000
/** Of the builds that lie side by side: checkouts of one user take turns, and each would build again what the other one has removed. */
const keptBuilds = 5
/** A build that was begun or opened within this time may still be read by whoever did. */
const inUseMs = 3_600_000

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export interface WebFile {
  readonly type: string
  readonly bytes: Buffer
  /** By gzip, for whoever accepts it. */
  readonly compressed: Buffer
}

export interface WebApplication {
  /** By their paths on the portal, `/app/…`: each is named by its content and may be kept for ever. */
  readonly files: ReadonlyMap<string, WebFile>
  /** The page that stands at every path of the application, for somebody signed in: in their language, in the tenant of their session and its colours. `me` is what
   * get_profile and whoami answer, which spares the page a round trip; what its path needs beside the first script is named in it, which spares another. */
  page(person: { readonly path: string; readonly language: 'en' | 'de'; readonly subDomain: string; readonly me?: unknown }): string
}

/** What Vite tells of a module that is loaded by itself. */
interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
}

/** The addresses of the module's file and of those that it needs. */
function filesOfModule(manifest: Readonly<Record<string, Chunk>>, module: string): string[] {
  const found = new Set<string>()
  const take = (name: string) => {
    const file = manifest[name]?.file
    if (file === undefined || found.has(`/app/${file}`)) return
    found.add(`/app/${file}`)
    for (const imported of manifest[name]?.imports ?? []) take(imported)
  }
  take(module)
  return [...found]
}

function filesOf(path: string): string[] {
  const whole = join(root, path)
  if (existsSync(whole) && extname(path) !== '') return [path]
  return readdirSync(whole, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.d.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort()
}

/** Of what the application is made of, the packages and this machine's Node included. */
function digestOf(): string {
  const digest = createHash('sha256').update(process.version)
  for (const file of sources.flatMap(filesOf)) digest.update(`\n${file}\n`).update(readFileSync(join(root, file)))
  return digest.digest('hex').slice(0, 24)
}

/** Removes what is built and was not opened for long, but for the last few, and what builds have left that never ended. */
export function pruneBuilds(home: string, now = Date.now()): void {
  const found = readdirSync(home, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return []
    const path = join(home, entry.name)
    // Another start may remove it meanwhile.
    const openedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    return openedMs === undefined ? [] : [{ path, openedMs, isWhole: !entry.name.startsWith('.') }]
  })
  const kept = new Set(
    found
      .filter(({ isWhole }) => isWhole)
      .toSorted((a, b) => b.openedMs - a.openedMs)
      .slice(0, keptBuilds)
      .map(({ path }) => path),
  )
  for (const { path, openedMs } of found) if (!kept.has(path) && now - openedMs > inUseMs) rmSync(path, { recursive: true, force: true })
}

/** Says that a build is in use, and makes room beside it. A cache that cannot be written to is no reason not to start. */
function noteUse(home: string, folder: string): void {
  try {
    const now = new Date()
    utimesSync(folder, now, now)
    pruneBuilds(home)
  } catch {
    // It is tried again at the next start.
  }
}

/** The folder of what is built; of two that build at once both are whole, and one is kept. */
async function built(cacheDir: string): Promise<string> {
  const home = join(cacheDir, 'web')
  const folder = join(home, digestOf())
  if (existsSync(folder)) {
    noteUse(home, folder)
    return folder
  }
  mkdirSync(home, { recursive: true })
  const aside = mkdtempSync(join(home, '.new-'))
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const options = ['--config', 'server/web/portal/vite.config.ts', '--outDir', aside, '--emptyOutDir', '--logLevel', 'error']
  try {
    // A process of its own: the bundler's memory goes with it.
    await run(process.execPath, [vite, 'build', ...options], {
      cwd: root,
      timeout: buildTimeoutMs,
      env: { ...process.env, NODE_ENV: 'production' },
    })
    renameSync(aside, folder)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    if (!existsSync(folder)) throw new Error('The application for browsers could not be built.', { cause: error })
  }
  noteUse(home, folder)
  return folder
}

export async function openWeb({ cacheDir }: Pick<Config, 'cacheDir'>): Promise<WebApplication> {
  const folder = await built(cacheDir)
  const index = readFileSync(join(folder, 'index.html'), 'utf8')
  // Vite wrote it.
  const manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Readonly<Record<string, Chunk>>
  const names = readdirSync(join(folder, 'assets')).sort()
  const files = new Map<string, WebFile>()
  for (const name of names) {
    const bytes = readFileSync(join(folder, 'assets', name))
    const type = types[extname(name)]
    if (type !== undefined) files.set(`/app/assets/${name}`, { type, bytes, compressed: await compress(bytes) })
  }
  return {
    files,
    page({ path, language, subDomain, me }) {
      if (!/^[a-z0-9-]*$/i.test(subDomain)) throw new Error('A sub-domain has letters, digits and hyphens alone')
      const early = filesOfModule(manifest, roomModule(path) ?? '').filter((file) => !index.includes(file))
      return (
        index
          .replace('<html lang="en" data-tenant="">', `<html lang="${language}" data-tenant="${subDomain}">`)
          // A function, for what is written may hold a dollar sign; and no text of somebody's ends the element.
          .replace('</head>', (end) =>
            me === undefined
              ? end
              : `<script type="application/json" id="me">${JSON.stringify(me).replaceAll('<', String.raw`\u003c`)}</script>\n${end}`,
          )
          .replace(
            '</head>',
            `<link rel="stylesheet" href="/t/${subDomain}/theme.css">\n${early.map((file) => `<link rel="modulepreload" crossorigin href="${file}">\n`).join('')}</head>`,
          )
      )
    },
  }
}
