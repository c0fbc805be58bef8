/** `npm run docs`: writes docs-corpus/reference/ from the registry. With `--check` it writes nothing and exits 1 when a file is stale. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

import { buildRegistry, type Registry } from '#platform/registry.ts'
import { corpus, unaskedSections } from '#tools/docs/service.ts'
import { domains } from '#tools/index.ts'

import { drawnDiagrams } from './draw-diagrams.ts'
import { referenceFiles } from './reference.ts'

/** What stands on disk and what should. Paths are relative to the corpus. */
export interface Comparison {
  readonly files: ReadonlyMap<string, string>
  readonly stale: readonly string[]
  readonly surplus: readonly string[]
}

/** Compares the generated files with those below `folder`/reference. Throws when the registry holds no operation: such documents say nothing. */
export function compareReference(registry: Registry, folder: string): Comparison {
  if (registry.operations.length === 0) throw new Error('The registry holds no operation, so there is nothing to document.')
  const files = new Map([...referenceFiles(registry), ...drawnDiagrams(corpus.pages())])
  const present = filesBelow(join(folder, 'reference')).map((path) => relative(folder, path).split(sep).join('/'))
  const textOf = (path: string) => (present.includes(path) ? readFileSync(join(folder, path), 'utf8') : undefined)
  return {
    files,
    stale: [...files].filter(([path, text]) => textOf(path) !== text).map(([path]) => path),
    surplus: present.filter((path) => !files.has(path)),
  }
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

function main(): void {
  const folder = resolve(import.meta.dirname, '../../docs-corpus')
  const registry = buildRegistry(domains)
  const { files, stale, surplus } = compareReference(registry, folder)
  const seen = `${registry.operations.length} operations, ${files.size} files`
  if (process.argv.includes('--check')) {
    for (const path of [...stale, ...surplus]) console.error(`stale: docs-corpus/${path}`)
    const unasked = unaskedSections()
    for (const place of unasked) console.error(`no questions, or no section: docs-corpus/${place}`)
    if (unasked.length > 0) {
      console.error('Say in docs-corpus/asked/ what people ask where a section answers, in one line that begins with its anchor.')
      process.exitCode = 1
    }
    if (stale.length + surplus.length > 0) {
      console.error('The generated documents do not fit the code. Run npm run docs and commit what it writes.')
      process.exitCode = 1
    } else if (unasked.length === 0) console.log(`The generated documents are fresh (${seen}).`)
    return
  }
  for (const path of surplus) rmSync(join(folder, path))
  for (const path of stale) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), files.get(path) ?? '')
  }
  console.log(`${stale.length} written, ${surplus.length} removed (${seen}).`)
}

if (import.meta.main) main()
