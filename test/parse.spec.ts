/** Large inputs are held against their schema part by part, and come out as they do at once. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { parseInput } from '#platform/issues.ts'
import { parseInTurns } from '#platform/parse.ts'
import { buildRegistry } from '#platform/registry.ts'
import { keptParams } from '#tools/reports/reports.schema.ts'
import { catalogImport } from '#tools/schema/catalog.schema.ts'
import { domains } from '#tools/index.ts'

const { operations } = buildRegistry(domains)

describe('an input that is parsed in parts', () => {
  it('comes out as it does at once, whatever operation it is for', async () => {
    let compared = 0
    for (const operation of operations) {
      for (const example of operation.examples) {
        const input: unknown = example.input
        expect([operation.name, await parseInTurns(operation.input, input, 0)]).toEqual([
          operation.name,
          parseInput(operation.input, input),
        ])
        compared++
      }
    }
    expect(compared).toBeGreaterThan(100)
  })

  it('is refused as it is at once, whichever field is wrong', async () => {
    let refused = 0
    for (const operation of operations) {
      for (const { input } of operation.examples) {
        for (const field of Object.keys(input as object)) {
          for (const wrong of [{}, [[]], 'x'.repeat(100_000), -1, undefined]) {
            const broken = { ...(input as object), [field]: wrong }
            const at = [operation.name, field, wrong]
            const whole = parseInput(operation.input, broken)
            expect([...at, await parseInTurns(operation.input, broken, 0)]).toEqual([...at, whole])
            if (!whole.isOk) refused++
          }
        }
      }
    }
    expect(refused).toBeGreaterThan(500)
  })

  it('keeps unknown fields out, deep in it too', async () => {
    const schema = z.object({ list: z.array(z.strictObject({ name: z.string(), more: z.object({ a: z.int() }).optional() })).max(5) })
    const input = {
      list: [
        { name: 'a', more: { a: 1, dropped: 2 } },
        { nam: 'b', name: 'b' },
      ],
      other: 1,
    }
    const parsed = await parseInTurns(schema, input, 0)
    expect(parsed).toEqual(parseInput(schema, input))
    expect(parsed).toMatchObject({ isOk: false, issues: [{ path: '$.other' }, { path: '$.list[1].nam', suggestion: 'name' }] })
    const sound = { list: [{ name: 'a', more: { a: 1, dropped: 2 } }] }
    expect(await parseInTurns(schema, sound, 0)).toEqual({ isOk: true, value: { list: [{ name: 'a', more: { a: 1 } }] } })
  })

  it('is held against the rules of a record, which are told it whole', async () => {
    const few = z.record(z.string().max(3), z.int()).refine((by) => Object.keys(by).length < 3, 'At most two')
    const schema = z.object({ by: few })
    for (const by of [{ a: 1 }, { a: 1, b: 2, c: 3 }, { a: 1, b: 'x', c: 3 }, { a: 1, long: 2, c: 3 }])
      expect(await parseInTurns(schema, { by }, 0)).toEqual(parseInput(schema, { by }))
    expect(await parseInTurns(schema, { by: { a: 1, b: 2, c: 3 } }, 0)).toMatchObject({
      isOk: false,
      issues: [{ path: '$.by', message: 'At most two.' }],
    })
  })

  it('gives way while many names of a record are read, where the record has rules too', async () => {
    const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`name${n}`, n]))
    let turns = 0
    const watch = setInterval(() => void turns++, 1)
    const parsed = await parseInTurns(z.object({ by: keptParams }), { by: names }).finally(() => clearInterval(watch))
    expect(parsed).toMatchObject({ isOk: false, issues: [{ path: '$.by', message: 'At most 10000 characters as JSON.' }] })
    expect(turns).toBeGreaterThan(5)
  })

  it('is read by the values of a record, under names that may be wrong', async () => {
    const schema = z.object({ by: z.record(z.string().max(3), z.strictObject({ n: z.int() })) })
    for (const by of [{ a: { n: 1 }, b: { n: 2 } }, { a: { n: 'x' }, long: { n: 'y' }, b: { n: 3, m: 4 } }, [], { a: 1 }]) {
      expect(await parseInTurns(schema, { by }, 0)).toEqual(parseInput(schema, { by }))
    }
    const named = JSON.parse('{"by":{"__proto__":{"n":1},"a":{"n":1}}}')
    expect(await parseInTurns(schema, named, 0)).toEqual({ isOk: true, value: { by: { a: { n: 1 } } } })
  })

  it('is not looked through where a list is longer than it may be', async () => {
    let looks = 0
    const counted = z.string().refine(() => ++looks > 0)
    const schema = z.object({ list: z.array(z.object({ inner: z.array(counted).max(3) })).max(10) })
    const long = { list: Array.from({ length: 100_000 }, () => ({ inner: ['a'] })) }
    expect(await parseInTurns(schema, long)).toEqual({
      isOk: false,
      issues: [{ path: '$.list', severity: 'error', message: 'At most 10 elements, got 100000.' }],
    })
    const inner = { list: [{ inner: ['a'] }, { inner: Array.from({ length: 50_000 }, () => 'a') }] }
    expect(await parseInTurns(schema, inner)).toMatchObject({ issues: [{ path: '$.list[1].inner' }] })
    expect(looks).toBe(0)
  })

  it('ends at its limit of findings', async () => {
    const properties = Array.from({ length: 2_000 }, () => ({ internalName: 5, displays: [{ name: 6 }] }))
    const parsed = await parseInTurns(catalogImport, { properties })
    expect(parsed).toMatchObject({ isOk: false, issues: { length: 50 } })
  })
})
