/** JSON from outside: what is refused, and that no text takes longer than its length. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '#platform/errors.ts'
import { z } from 'zod'

import { isLongerAsJson, jsonPieces, quotedText } from '#platform/json-text.ts'
import { losesValue, parseJson, readJson } from '#platform/json.ts'
import { parseInTurns } from '#platform/parse.ts'
import { nearest } from '#platform/suggest.ts'

import './support/seed.ts'
import { longestTurn, spentMs } from './support/turns.ts'

/** Of the processor's time. What grows with more than the length takes minutes; a slow machine takes some hundred milliseconds. */
const within = (ms: number, work: () => unknown) => expect(spentMs(work)).toBeLessThan(ms)

describe('numbers', () => {
  it.each([
    ['0', false],
    ['-0', false],
    ['0.1', false],
    ['1.10', false],
    ['100000000000000000000', false],
    ['123456789012345', false],
    ['9007199254740992', false],
    ['1e21', false],
    ['1.5e-7', false],
    ['12345e-3', false],
    ['0e999', false],
    ['0.000', false],
    ['1.0000000000000000000000', false],
    ['4.9406564584124654e-324', true],
    ['9007199254740993', true],
    ['0.1234567890123456789', true],
    ['1e400', true],
    ['1e-400', true],
    ['123456789.123456789', true],
  ])('%s loses its value: %s', (literal, expected) => {
    expect(losesValue(literal)).toBe(expected)
    const parse = () => parseJson(`{"a":[${literal}]}`)
    if (expected) expect(parse).toThrowError(expect.objectContaining({ code: 'invalid_input' }))
    else expect(parse()).toEqual({ a: [Number(literal)] })
  })

  it('are refused with their place, also behind many that are fine', () => {
    expect(() => parseJson('{"a": [1e1, 1.5, 9007199254740993], "b": {"c": 1e999}}')).toThrowError(
      expect.objectContaining({ issues: [expect.objectContaining({ path: '$.a[2]' }), expect.objectContaining({ path: '$.b.c' })] }),
    )
  })

  it('have a path through names and lists of every kind', () => {
    const issuesOf = (text: string) => {
      try {
        return parseJson(text)
      } catch (error) {
        return error instanceof AppError ? error.issues?.map(({ path, message }) => [path, message.split(' ')[2]]) : error
      }
    }
    const n = '9007199254740993'
    expect(issuesOf(`[[],{"a":[{},"x,]}\\"",{"b \\"c\\"":[[1,${n}]]}],"d":{}},-${n}]`)).toEqual([
      ['$[1].a[2].b "c"[0][1]', n],
      ['$[2]', `-${n}`],
    ])
    expect(issuesOf(n)).toEqual([['$', n]])
  })

  it('inside of texts are no numbers', () => {
    expect(parseJson('{"a": "9007199254740993", "b\\"9007199254740993": 1, "c": "\\\\"}')).toEqual({
      a: '9007199254740993',
      'b"9007199254740993': 1,
      c: '\\',
    })
  })
})

describe('a text made to be slow', () => {
  it.each([
    ['zeros between two digits', () => `[1.${'0'.repeat(1_000_000)}5e3]`],
    ['leading zeros of a fraction', () => `[0.${'0'.repeat(1_000_000)}1]`],
    ['one long number', () => `[${'1'.repeat(4_000_000)}]`],
    ['many numbers with exponents', () => `[${'1e1,'.repeat(500_000)}1]`],
    ['deep nesting', () => '['.repeat(4_000_000)],
    ['quotes and backslashes', () => `["${'\\\\'.repeat(1_000_000)}"]`],
    ['lone surrogates', () => `[${'"\\ud800",'.repeat(300_000)}1]`],
  ])('is parsed or refused at once: %s', (_, text) => {
    const made = text()
    within(2_000, () => {
      try {
        return parseJson(made)
      } catch (error) {
        return error
      }
    })
  })

  it.each([
    ['unknown fields', Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 1]))],
    ['unknown fields further down', { to: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 1])) }],
    ['wrong elements', { list: Array.from({ length: 200_000 }, () => 'x') }],
    ['one endless name', { ['k'.repeat(2_000_000)]: 1 }],
  ])('is refused at once by its schema, with fifty findings at most: %s', async (_, input) => {
    const schema = z.object({ to: z.strictObject({ name: z.string().optional() }).optional(), list: z.array(z.int()).optional() })
    const { result: parsed, ms } = await longestTurn(() => parseInTurns(schema, input))
    expect(ms).toBeLessThan(2_000)
    expect(parsed).toMatchObject({ isOk: false })
    const { issues } = parsed as { issues: readonly unknown[] }
    expect(issues.length).toBeGreaterThan(0)
    expect(issues.length).toBeLessThanOrEqual(50)
  })

  it('costs a bounded time, however many names it has and they could mean, and the next one gets its suggestion', async () => {
    const known = Array.from({ length: 2_000 }, (_, n) => `name${n}x`)
    within(3_000, () => {
      for (let n = 0; n < 100_000; n++) nearest(`nome${n}y`, known)
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(nearest('nane7x', known)).toBe('name7x')
  })

  it('is near to no name', () => {
    const names = ['eiRecordId', 'x'.repeat(60)]
    within(1_000, () => expect(nearest('x'.repeat(2_000_000), names)).toBeUndefined())
    expect(nearest('eiRecordID', names)).toBe('eiRecordId')
  })
})

describe('a text that is read in pieces', () => {
  // So small that every list and object comes apart.
  const read = (text: string) => readJson(Buffer.from(text), 8)
  const outcome = (parse: () => unknown) => {
    try {
      return { value: parse() }
    } catch {
      return 'refused'
    }
  }
  const inPieces = async (text: string) => {
    const parsed = await read(text).catch(() => undefined)
    return parsed && !parsed.refusal ? { value: parsed.value } : 'refused'
  }

  it('is what it is when it is parsed at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1), async (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(await inPieces(text)).toEqual(outcome(() => parseJson(text)))
      }),
      { numRuns: 500 },
    )
  })

  it('ends its strings where they end, however long they are and whatever is escaped in them', async () => {
    for (const length of [4_094, 4_095, 4_096, 4_097, 9_000]) {
      for (const tail of ['', '\\"', '\\\\', '\\\\\\"']) {
        const text = `["${'x'.repeat(length)}${tail}", "${'y'.repeat(length)}${tail}${'z'.repeat(length)}", [1, 2]]`
        expect(await inPieces(text)).toEqual({ value: JSON.parse(text) })
      }
    }
  })

  it('is refused wherever it is broken', async () => {
    const whole = '{"ab": [1, {"c": [[], {}, "x,]}\\""], "d": -1.5e3}, [true, null]], "e": {"f": {"g": [1,2,3]}}}'
    let refused = 0
    for (let at = 0; at < whole.length; at++) {
      for (const broken of [
        whole.slice(0, at) + whole.slice(at + 1),
        ...['{', '}', '[', ']', ',', ':', '"', '1', ' '].map((sign) => whole.slice(0, at) + sign + whole.slice(at)),
      ]) {
        const expected = outcome(() => JSON.parse(broken))
        if (expected === 'refused') refused++
        expect([broken, await inPieces(broken)]).toEqual([broken, expected])
      }
    }
    expect(refused).toBeGreaterThan(300)
  })

  it('tells of what cannot be kept with its place, whichever piece that is in', async () => {
    const { refusal } = await read(
      '{"a": [1, 2, {"b": "ok"}, {"b": "\\ud800"}, 9007199254740993], "c": {"d": "\\u0000", "__proto__": {"e": 1}}}',
    )
    expect(refusal).toMatchObject({ code: 'invalid_input' })
    expect(refusal?.issues?.map((issue) => issue.path).toSorted()).toEqual(['$.a[3].b', '$.a[4]', '$.c', '$.c.d'])
  })

  it('changes no object by a field that is called __proto__', async () => {
    const { value } = await read('{"list": [1, 2, 3, 4, 5], "__proto__": {"isAdmin": true}, "more": [1, 2, 3, 4, 5]}')
    expect(value).toEqual({ list: [1, 2, 3, 4, 5], more: [1, 2, 3, 4, 5] })
    expect((value as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  })

  it.each([
    ['more fields than any object has', `{${Array.from({ length: 10_001 }, (_, index) => `"f${index}":1`).join(',')}}`, 'invalid_input'],
    ['more values than a call needs', `[${'{},'.repeat(1_100_000)}{}]`, 'too_large'],
    ['a number of very many digits', `[1${'0'.repeat(10_000)}1]`, 'invalid_input'],
    ['nesting past its limit', `${'['.repeat(65)}${']'.repeat(65)}`, 'invalid_json'],
  ])('is refused for %s', async (_what, text, code) => {
    await expect(readJson(Buffer.from(text))).rejects.toThrow(expect.objectContaining({ code }))
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ code }))
  })

  it('gives others their turn', async () => {
    const text = Buffer.from(`[${'{"a":[1,2,3]},'.repeat(380_000)}0]`)
    let turns = 0
    let isRead = false
    const count = () => {
      turns++
      if (!isRead) setImmediate(count)
    }
    setImmediate(count)
    await readJson(text)
    isRead = true
    expect(turns).toBeGreaterThan(6)
  })
})

describe('JSON written in turns', () => {
  const record = {
    id: 1,
    text: 'Gate "4" \n\u2028\ud800',
    none: undefined,
    nothing: null,
    at: new Date(0),
    list: [undefined, Number.NaN],
    inner: { a: {} },
  }

  it('is what JSON.stringify makes of it, however large', async () => {
    const many = Array.from({ length: 5_000 }, (_, id) => ({ ...record, id, call: () => id }))
    const values: unknown[] = [
      many,
      { entities: many, left: undefined, ['__proto__x']: [], nested: { many } },
      Array.from({ length: 300 }, (_, row) => Array.from({ length: 300 }, () => row)),
      record,
      'text',
      5,
      null,
      [],
    ]
    for (const value of values) expect((await jsonPieces(value)).join('') === JSON.stringify(value)).toBe(true)
    expect(await jsonPieces(undefined)).toEqual(['null'])
  })

  it('is known to be too long without being written', () => {
    for (const value of [{ a: ['b', 1, null, { 'c"': '\n' }] }, [], {}, 'text', 5, null]) {
      const { length } = JSON.stringify(value)
      expect([isLongerAsJson(value, length), isLongerAsJson(value, length - 1)]).toEqual([false, true])
    }
    const unwritable = { toJSON: () => expect.unreachable() }
    const large = [['x'.repeat(1_001)], { ['n'.repeat(1_001)]: 1 }, Array.from({ length: 1_001 }, () => 1)]
    for (const one of large) expect(isLongerAsJson([one, unwritable], 1_000)).toBe(true)
  })

  it('gives others their turn meanwhile', async () => {
    let turns = 0
    const count = setInterval(() => turns++, 1)
    await jsonPieces(Array.from({ length: 200_000 }, (_, id) => ({ ...record, id })))
    clearInterval(count)
    expect(turns).toBeGreaterThan(3)
  })

  it('quotes a text of any size as JSON does, whole characters at a time', async () => {
    for (const text of ['', 'a"b', `${'x'.repeat(1024 * 1024 - 1)}😀`, '😀"\n'.repeat(900_000), `${'y'.repeat(1024 * 1024)}\ud83d`])
      expect((await quotedText(text)) === JSON.stringify(text)).toBe(true)
  })
})
