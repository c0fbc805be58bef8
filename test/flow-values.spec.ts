/** What conditions of a run ask of the values that it holds, and how much it may hold. */
import { describe, expect, it } from 'vitest'

import { renderingOf } from '#platform/tokens/rendering.ts'
import { resolving } from '#platform/tokens/resolve.ts'
import { bytesOf, maxRunBytes, maxValueBytes, refuseTooMuch } from '#tools/workflows/values/bounds.rules.ts'
import { conditionHolds, readConditions } from '#tools/workflows/values/conditions.ts'

import { refused } from './support/refused.ts'
import { longestTurn, spentMs } from './support/turns.ts'

const roots = {
  $vars: { count: 5, isOpen: true, name: 'Zebra', tags: ['red', 'green'], none: null, due: '2026-03-09T23:00:00.000Z', day: '2026-03-09' },
  $steps: { check: { action: 'approve', rows: [{ Hours: 2 }, { Hours: 7 }] } },
  $trigger: { before: { Status: 'open' }, after: { Status: 'done' } },
}

const at = (own: object = roots) => resolving({ ...own }, renderingOf({ locale: 'en', timeZone: 'UTC', nowMs: 0 }))

/** What the record was asked, beside whether the condition holds. */
async function asked(condition: unknown, answers: boolean[] = []): Promise<{ readonly holds: boolean; readonly filters: unknown[] }> {
  const filters: unknown[] = []
  const holds = await conditionHolds(readConditions(condition), at(), async (filter) => {
    filters.push(filter)
    return answers[filters.length - 1] ?? false
  })
  return { holds, filters }
}

const holds = async (property: string, op: string, value?: unknown) => (await asked({ rules: [{ property, op, value }] })).holds

describe('a condition on values in hand', () => {
  it.each([
    ['$steps.check.action', 'eq', 'approve', true],
    ['$steps.check.action', 'in', ['reject', 'approve'], true],
    ['$vars.count', 'gt', 4, true],
    ['$vars.count', 'eq', '5', true],
    ['$vars.count', 'between', [6, 9], false],
    ['$vars.isOpen', 'eq', 'true', true],
    ['$vars.name', 'gt', 'apple', true],
    ['$vars.name', 'startsWith', 'zeb', true],
    ['$vars.tags', 'eq', 'green', true],
    ['$vars.tags', 'ne', 'green', false],
    ['$vars.due', 'eq', '2026-03-10T00:00:00+01:00', true],
    ['$vars.day', 'lt', '2026-03-10', true],
    ['$vars.none', 'isEmpty', undefined, true],
    ['$vars.none', 'ne', 5, true],
    ['$vars.none', 'gt', 5, false],
    ['$vars.absent.deeper', 'isEmpty', undefined, true],
    ['$steps.check', 'isNotEmpty', undefined, true],
    ['$steps.check.rows|sum:"Hours"', 'eq', 9, true],
    ['$steps.check.rows[last].Hours', 'gte', '[[$vars.count]]', true],
  ])('%s %s %j is %s', async (property, op, value, expected) => {
    expect(await holds(property, op, value)).toBe(expected)
  })

  it('joins its rules and groups, and holds where there are none', async () => {
    const yes = { property: '$vars.count', op: 'eq', value: 5 }
    const no = { property: '$vars.count', op: 'eq', value: 6 }
    const all = await Promise.all(
      [{}, [yes, no], { logic: 'OR', rules: [no, yes] }, { rules: [yes], groups: [{ logic: 'OR', rules: [no] }] }].map(async (one) => {
        return (await asked(one)).holds
      }),
    )
    expect(all).toEqual([true, false, true, false])
  })

  it('asks the record what is said of its properties, in one filter, with the values of tokens, and only where it must', async () => {
    const ofRecord = { property: 'Status', op: 'eq', value: '[[$trigger.after.Status]]' }
    const related = { entity: 'Visit', has: 'some', rules: [] }
    const path = { property: '$vars.count', op: 'gt', value: 9 }
    expect(await asked({ rules: [ofRecord], groups: [related] }, [true])).toEqual({
      holds: true,
      filters: [
        {
          logic: 'AND',
          groups: [{ logic: 'AND', groups: [{ rules: [{ ...ofRecord, value: 'done' }] }, related] }].flatMap(({ groups }) => groups),
        },
      ],
    })
    expect(await asked([path, ofRecord], [true])).toEqual({ holds: false, filters: [] })
    expect(await asked({ logic: 'OR', rules: [path, ofRecord] }, [true])).toMatchObject({ holds: true, filters: [{ logic: 'OR' }] })
  })

  it('refuses what is no condition, with what it could be', () => {
    const refusal = (condition: unknown) => {
      try {
        readConditions(condition)
      } catch (error) {
        return error
      }
      return undefined
    }
    const deep = Array.from({ length: 9 }).reduce<object>((inner) => ({ groups: [inner] }), {})
    const many = Array.from({ length: 201 }, () => ({ property: '$vars.count', op: 'eq', value: 1 }))
    expect([
      refusal('yes'),
      refusal([{ property: '$vars.count', op: 'eqq' }]),
      refusal(deep),
      refusal(many),
      refusal([{ property: '$vars..a', op: 'eq' }]),
    ]).toEqual([
      expect.objectContaining(refused('unprocessable', /\{logic, rules/)),
      expect.objectContaining(refused('unprocessable', /did you mean eq/)),
      expect.objectContaining(refused('unprocessable', /at most 8/)),
      expect.objectContaining(refused('unprocessable', /at most 200/)),
      expect.objectContaining(refused('unprocessable', /no path/)),
    ])
  })

  it('gives up where it would look through more text than one turn may', async () => {
    const text = 'x'.repeat(250_000)
    const rules = Array.from({ length: 200 }, () => ({ property: '$vars.text', op: 'contains', value: 'y' }))
    const nodes = readConditions({ logic: 'OR', rules })
    const { result, ms } = await longestTurn(() =>
      conditionHolds(nodes, at({ $vars: { text } }), async () => true).catch((error: unknown) => error),
    )
    expect(result).toMatchObject(refused('too_large'))
    expect(ms).toBeLessThan(500)
  })
})

describe('what a run holds', () => {
  it('is measured as JSON, each value and all together', () => {
    const measured = (value: unknown) => bytesOf(value, 'The result of read', 'Name fewer properties.')
    for (const value of [null, 'é"', [1, true, null], { a: { b: [] } }]) {
      const exact = Buffer.byteLength(JSON.stringify(value))
      expect(measured(value)).toBeGreaterThanOrEqual(exact)
      expect(measured(value)).toBeLessThanOrEqual(exact + 8)
    }
    expect(measured('x'.repeat(maxValueBytes - 2))).toBe(maxValueBytes)
    expect(() => measured('x'.repeat(maxValueBytes))).toThrow('The result of read is larger than 256 KB. Name fewer properties.')
    expect(() => refuseTooMuch(maxRunBytes)).not.toThrow()
    expect(() => refuseTooMuch(maxRunBytes + 1)).toThrow(/larger than 2 MB together/)
  })

  it('is not walked to its end where one value stands in many places', () => {
    const shared = { text: 'x'.repeat(200_000) }
    const many = Array.from({ length: 100_000 }, () => shared)
    const ms = spentMs(() => expect(() => bytesOf(many, 'It', 'Less.')).toThrow(/larger/))
    expect(ms).toBeLessThan(200)
  })
})
