/** No text, filter, expression or value holds the event loop: 50 ms of the processor for reading, checking and resolving each, or a refusal. */
import { describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'
import { checkTokens } from '#platform/tokens/check.ts'
import { parseExpression } from '#platform/tokens/expression.ts'
import { resolveJson } from '#platform/tokens/resolve-json.ts'
import { resolveText, resolving } from '#platform/tokens/resolve.ts'
import { parseTemplate } from '#platform/tokens/template.ts'

import { berlin } from './support/token-scope.ts'
import { leastMs, spentMs, turnLimitMs } from './support/turns.ts'

const long = 'x'.repeat(250_000)
const many = Array.from({ length: 100_000 }, (_, n) => n)
const nested = (depth: number): unknown => Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 'x')
const rows = Array.from({ length: 10_000 }, (_, n) => ({ Name: `row "${n}"`, When: '2026-03-01T09:30:00Z', Inner: many.slice(0, 10) }))
const roots = { long, many, rows, text: 'text', quotes: '"\\'.repeat(30_000), deep: nested(5_000), at: '2026-03-01T09:30:00Z', n: 5 }

const turnOf = (work: () => unknown) => leastMs(() => spentMs(work))

function codeOf(work: () => unknown): string {
  try {
    work()
    return 'done'
  } catch (error) {
    return error instanceof AppError ? error.code : String(error)
  }
}

const repeated = (piece: string, length = 65_000) => piece.repeat(Math.floor(length / piece.length))
const currencies = Array.from({ length: 26 ** 2 }, (_, n) => `X${String.fromCharCode(65 + Math.floor(n / 26), 65 + (n % 26))}`)

const texts: readonly (readonly [string, string])[] = [
  ['200,000 tokens', '[[n]]'.repeat(200_000)],
  ['as many tokens as a text holds', repeated('[[n]]')],
  ['openings without an end', repeated('[[')],
  ['brackets', repeated('[')],
  ['openings with a path', repeated('[[a.b.c|')],
  ['openings with a quote', repeated('[[a|default:"')],
  ['openings with a quote and a backslash', repeated('[[a|default:"\\')],
  ['backslashes', repeated('\\')],
  ['backslashes before brackets', repeated('\\\\\\[[')],
  ['spaces in a token', `[[${' '.repeat(60_000)}a]]`],
  ['spaces behind every opening', repeated(`[[a${' '.repeat(500)}`)],
  ['unknown filters', repeated('[[a|curency:EUR]]')],
  ['JSON of JSON of JSON', '[[quotes|json|json|json|json|json|json]]'],
  ['JSON of all rows, again and again', repeated('[[rows|json]]', 13_000)],
  ['what nests deeper than JSON', repeated('[[deep|json]]', 13_000)],
  ['long values', repeated('[[long]]', 8_000)],
  ['long values in capitals', repeated('[[long|upper|lower|upper|lower|upper|trim]]')],
  ['long values, cut', repeated('[[long|truncate:10000]]', 23_000)],
  ['joined lists', repeated('[[many|join:"xxxxxxxxxxxxxxxxxxxx"]]', 20_000)],
  ['lists of lists', repeated('[[rows[*].Inner[*]|json]]', 20_000)],
  ['plucked and counted', repeated('[[rows|pluck:Name|join|truncate:5]]', 30_000)],
  ['times of all rows', repeated('[[rows|pluck:When|datetime:full]]', 30_000)],
  ['one formatter for every currency', currencies.map((code) => `[[n|currency:${code}]]`).join('')],
  [
    'times in the words of many zones',
    Intl.supportedValuesOf('timeZone')
      .slice(0, 400)
      .map((zone) => `[[at|datetime:full,"${zone}"]]`)
      .join(''),
  ],
  ['maps with many pairs', repeated(`[[many|map:${Array.from({ length: 90 }, (_, n) => n).join(',')}]]`, 30_000)],
]

describe('the language of tokens under hostile input', () => {
  it.each(texts)('reads, checks and resolves %s in less than 50 ms each, or refuses it', async (_, source) => {
    expect(await turnOf(() => parseTemplate(source))).toBeLessThan(turnLimitMs)
    expect(await turnOf(() => checkTokens({ source }, { n: { kind: 'scalar' } }))).toBeLessThan(turnLimitMs)
    const template = parseTemplate(source)
    for (const format of ['text', 'markdown', 'html', 'url'] as const) {
      const resolve = () => resolveText(template, resolving(roots, berlin), format)
      expect(await turnOf(() => codeOf(resolve))).toBeLessThan(turnLimitMs)
      expect(['done', 'too_large']).toContain(codeOf(resolve))
    }
  })

  it('resolves a large value of JSON, or refuses it, in less than 50 ms', async () => {
    const configs = [
      many.map(() => '[[n]]'),
      nested(5_000),
      Object.fromEntries(many.slice(0, 10_000).map((n) => [`k${n}`, '[[long]]'])),
      many.map(() => ({ $expr: ['+', '[[n]]', 1] })),
    ]
    const codes: string[] = []
    for (const config of configs) {
      const resolve = () => resolveJson(config, resolving(roots, berlin))
      expect(await turnOf(() => codeOf(resolve))).toBeLessThan(turnLimitMs)
      expect(await turnOf(() => checkTokens(config, {}))).toBeLessThan(turnLimitMs)
      codes.push(codeOf(resolve))
    }
    expect(codes).toEqual(['too_large', 'done', 'too_large', 'too_large'])
  })

  it('reads and evaluates an expression of any size, or refuses it, in less than 50 ms', async () => {
    const wide = ['concat', ...Array.from({ length: 49 }, () => '[[long]]')]
    const expressions = [
      nested(5_000),
      ['concat', ...many],
      ['and', ...many.map(() => ['not', true])],
      ['has', many, 5],
      ['length', '[[rows|json|json|json]]'],
      wide,
      ['=', '[[rows]]', '[[rows]]'],
      ['concat', '[[deep]]'],
    ]
    const codes: string[] = []
    for (const expression of expressions) {
      expect(await turnOf(() => parseExpression(expression))).toBeLessThan(turnLimitMs)
      const resolve = () => resolveJson({ $expr: expression }, resolving(roots, berlin))
      expect(await turnOf(() => codeOf(resolve))).toBeLessThan(turnLimitMs)
      codes.push(codeOf(resolve))
    }
    expect(codes.filter((code) => code !== 'done' && code !== 'too_large')).toEqual([])
    expect(codes).toContain('too_large')
  })

  it('tells at most so many mistakes of one definition, and that there are more to look at than it looks at', () => {
    expect(parseTemplate(repeated('[[ ]]')).faults.length).toBeLessThanOrEqual(50)
    const findings = checkTokens(
      many.map(() => '[[n]]'),
      { n: { kind: 'scalar' } },
    )
    expect(findings.map(({ message }) => message)).toEqual([
      'At most 5000 tokens and 50000 values are checked at once. Split the definition.',
    ])
  })
})
