/** The examples of the guide on tokens give what it says. */
import { describe, expect, it } from 'vitest'

import { evaluate } from '#platform/tokens/evaluate.ts'
import { operators, parseExpression } from '#platform/tokens/expression.ts'
import { resolveText, resolving } from '#platform/tokens/resolve.ts'
import { filterNames } from '#platform/tokens/signatures.ts'
import { parseTemplate } from '#platform/tokens/template.ts'
import { corpus } from '#tools/docs/service.ts'

import { berlin, scope } from './support/token-scope.ts'

const markdown = corpus.page('guides/tokens.md')?.markdown ?? ''
const examples = [...markdown.matchAll(/^```text\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  block
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' → ') as [string, string]),
)
// Intl sets some spaces so that a line does not break there; the page shows plain ones.
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

describe('the guide on tokens', () => {
  it('shows every filter and every kind of operator at work', () => {
    const shown = examples.map(([source]) => source).join('\n')
    expect(filterNames.filter((name) => !new RegExp(`\\|${name}\\b`).test(shown))).toEqual([])
    expect(operators.filter((name) => !markdown.includes(name))).toEqual([])
    expect(examples.length).toBeGreaterThan(40)
  })

  it.each(examples.filter(([source]) => !source.startsWith('["')))('%s gives %s', (source, result) => {
    expect(parseTemplate(source).faults).toEqual([])
    expect(plain(resolveText(parseTemplate(source), resolving(scope, berlin)))).toBe(result)
  })

  it.each(examples.filter(([source]) => source.startsWith('["')))('%s is %s', (source, result) => {
    const { expression, issues } = parseExpression(JSON.parse(source))
    expect(issues).toEqual([])
    expect(expression && evaluate(expression, resolving(scope, berlin))).toEqual(JSON.parse(result))
  })
})
