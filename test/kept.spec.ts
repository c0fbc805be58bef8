/** What each platform keeps for itself: one value of each kind, made when first asked for, ended with the platform. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { kept } from '#platform/kept.ts'

import { openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'

let opened: PipelineWorld
beforeAll(async () => {
  opened = await openPipelineWorld()
})
afterAll(() => opened?.close())

describe('what a platform keeps', () => {
  it('is made once for each platform, by whoever asks first', () => {
    let made = 0
    const countOf = kept(() => ({ number: ++made }))
    const mine = countOf(opened.platform.services)
    expect(countOf(opened.platform.services)).toBe(mine)
    expect(countOf({ ...opened.platform.services })).toBe(mine)
    expect(countOf(opened.other.services)).toEqual({ number: 2 })
  })

  it('ends with its platform, the last made first, and no other platform’s with it', async () => {
    const ended: string[] = []
    const keeping = (name: string) =>
      kept(
        () => ({ name }),
        (value) => ended.push(value.name),
      )
    const [first, second, unasked] = [keeping('first'), keeping('second'), keeping('unasked')]
    const mine = await opened.open()
    first(mine.services)
    second(mine.services)
    first(opened.other.services)
    expect(unasked).toBeTypeOf('function')
    await mine.end()
    expect(ended).toEqual(['second', 'first'])
  })

  it('is the only home of state of a process', () => {
    const root = resolve(import.meta.dirname, '..')
    const files = ['platform', 'tools'].flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    expect(files.length).toBeGreaterThan(300)
    const strays = files.filter((file) => /new WeakMap<(?:Services|Databases|Wake)\b/.test(readFileSync(file, 'utf8')))
    expect(strays).toEqual([])
  })
})
