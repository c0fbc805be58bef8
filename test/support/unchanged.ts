/** Whether anything has changed since a check has passed, by the content of all that its result depends on. */
import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

async function filesOf(root: string, path: string): Promise<string[]> {
  if (!(await stat(join(root, path))).isDirectory()) return [path]
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
}

/** Of these files and folders, and of the arguments. */
export async function fingerprintOf(root: string, paths: readonly string[], args: readonly string[]): Promise<string> {
  const files = (await Promise.all(paths.map((path) => filesOf(root, path)))).flat().sort()
  const lines = await Promise.all(files.map(async (file) => `${file} ${hash('sha256', await readFile(join(root, file)))}`))
  return hash('sha256', [...args, ...lines].join('\n'))
}

export async function isKept(file: string, fingerprint: string): Promise<boolean> {
  return (await readFile(file, 'utf8').catch(() => '')) === fingerprint
}

export async function keep(file: string, fingerprint: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, fingerprint)
}
