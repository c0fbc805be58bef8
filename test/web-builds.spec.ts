/** What is built of the application lies under the cache: the last few stay, and whatever may be in use. */
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { loadConfig } from '#platform/config.ts'
import { openWeb, pruneBuilds } from '#server/boot/web.ts'

const hour = 3_600_000
let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'fieldloop-builds-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function build(name: string, hoursAgo: number): Promise<void> {
  await mkdir(join(home, name, 'assets'), { recursive: true })
  await writeFile(join(home, name, 'index.html'), name)
  const at = new Date(Date.now() - hoursAgo * hour)
  await utimes(join(home, name), at, at)
}

it('removes what was not opened for long, but for the last five, and builds that never ended', async () => {
  for (let hours = 2; hours < 12; hours++) await build(`built${hours}`, hours)
  await build('.new-old', 3)
  await build('.new-now', 0)
  await writeFile(join(home, 'note.txt'), 'of somebody')
  pruneBuilds(home)
  const kept = ['.new-now', 'built2', 'built3', 'built4', 'built5', 'built6', 'note.txt']
  expect((await readdir(home)).toSorted()).toEqual(kept)
  pruneBuilds(home)
  expect(await readdir(home)).toHaveLength(kept.length)
})

it('never removes one that somebody may be reading, however many there are', async () => {
  for (let n = 0; n < 9; n++) await build(`built${n}`, 0)
  pruneBuilds(home)
  expect(await readdir(home)).toHaveLength(9)
})

it('marks the one that a start opens, so that it is none of the oldest', async () => {
  const { cacheDir } = loadConfig()
  expect((await openWeb({ cacheDir })).files.size).toBeGreaterThan(0)
  const builds = await readdir(join(cacheDir, 'web'))
  const opened = await Promise.all(builds.filter((name) => !name.startsWith('.')).map((name) => stat(join(cacheDir, 'web', name))))
  expect(opened.length).toBeGreaterThan(0)
  expect(Math.max(...opened.map(({ mtimeMs }) => mtimeMs))).toBeGreaterThan(Date.now() - hour / 60)
})
