/** The bundle of the workflows: made once for each state of their sources, then taken from the per-user cache, which saves seconds a start. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

import { bundleWorkflowCode } from '@temporalio/worker'

import type { Logger } from '#platform/log.ts'

const root = resolve(import.meta.dirname, '../..')

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts')).map((entry) => join(entry.parentPath, entry.name))
}

/** Of everything that can change the bundle: the workflows, the shapes and the logic that they share, and the SDK. */
async function sourceHash(): Promise<string> {
  const folders = ['workflows', 'platform/shapes', 'platform/flow']
  const files = (await Promise.all(folders.map((folder) => filesUnder(join(root, folder))))).flat().sort()
  if (files.length === 0) throw new Error('There are no workflows to bundle')
  const hash = createHash('sha256')
  const manifest: unknown = createRequire(import.meta.url)('@temporalio/workflow/package.json')
  hash.update(JSON.stringify(typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : manifest))
  for (const file of files) hash.update(file.slice(root.length)).update(await readFile(file))
  return hash.digest('hex')
}

/** The path of the bundle. Two processes that make it at once write the same bytes, and the second rename changes nothing. */
export async function workflowBundle(cacheDir: string, log: Logger): Promise<string> {
  const folder = join(cacheDir, 'workflow-bundles')
  const path = join(folder, `${await sourceHash()}.js`)
  const known = await readFile(path).catch(() => undefined)
  if (known) return path
  log.info('bundling the workflows, which takes some seconds')
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows/index.ts'),
    logger: {
      log: () => {},
      trace: () => {},
      debug: () => {},
      info: () => {},
      warn: (message) => log.warn(message),
      error: (message) => log.error(message),
    },
  })
  await mkdir(folder, { recursive: true })
  const temporary = `${path}.${randomUUID()}`
  await writeFile(temporary, code)
  await rename(temporary, path)
  return path
}
