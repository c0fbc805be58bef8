import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { fingerprintOf, isKept, keep } from './support/unchanged.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fieldloop-unchanged-'))
  await mkdir(join(root, 'folder/inner'), { recursive: true })
  await writeFile(join(root, 'folder/inner/a.ts'), 'one')
  await writeFile(join(root, 'settings.json'), '{}')
})
afterEach(() => rm(root, { recursive: true, force: true }))

describe('whether a check need not be made again', () => {
  const fingerprint = (...args: string[]) => fingerprintOf(root, ['folder', 'settings.json'], args)

  it('is told by the content and the name of each file, and by the arguments, and not by its time', async () => {
    const before = await fingerprint('--strict')
    await writeFile(join(root, 'folder/inner/a.ts'), 'one')
    expect(await fingerprint('--strict')).toBe(before)
    const seen = new Set([before, await fingerprint('--lax')])
    await writeFile(join(root, 'folder/inner/a.ts'), 'two')
    seen.add(await fingerprint('--strict'))
    await rename(join(root, 'folder/inner/a.ts'), join(root, 'folder/inner/b.ts'))
    seen.add(await fingerprint('--strict'))
    await writeFile(join(root, 'settings.json'), '{ }')
    seen.add(await fingerprint('--strict'))
    await writeFile(join(root, 'folder/new.ts'), '')
    seen.add(await fingerprint('--strict'))
    expect(seen.size).toBe(6)
  })

  it('is no where nothing is kept, and yes for what was kept last', async () => {
    const file = join(root, 'cache/passed')
    expect(await isKept(file, await fingerprint())).toBe(false)
    await keep(file, await fingerprint())
    expect(await isKept(file, await fingerprint())).toBe(true)
    await keep(file, 'another')
    expect(await isKept(file, await fingerprint())).toBe(false)
  })
})
