/** The language of tokens and expressions, without a server: what is read, what it becomes, and what is said of mistakes. */
import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'

import { checkTokens, unknownPaths } from '#platform/tokens/check.ts'
import { parseExpression } from '#platform/tokens/expression.ts'
import { evaluate } from '#platform/tokens/evaluate.ts'
import { type Rendering, renderingOf, timeRoots } from '#platform/tokens/rendering.ts'
import { resolveJson } from '#platform/tokens/resolve-json.ts'
import { resolveText, resolveValue, resolving } from '#platform/tokens/resolve.ts'
import { pathsOf, type Shapes } from '#platform/tokens/shape.ts'
import { filterNames } from '#platform/tokens/signatures.ts'
import { parseTemplate, printTemplate, type Token, withNames } from '#platform/tokens/template.ts'

import './support/seed.ts'
import { berlin, scope } from './support/token-scope.ts'

const text = (
  source: string,
  format: 'text' | 'markdown' | 'html' | 'url' = 'text',
  roots: object = scope,
  rendering: Rendering = berlin,
) => resolveText(parseTemplate(source), resolving({ ...roots }, rendering), format)
const value = (source: string) => resolveValue(source, resolving(scope, berlin))
const calculated = (expression: unknown, roots: object = scope, rendering: Rendering = berlin): unknown => {
  const parsed = parseExpression(expression)
  if (!parsed.expression) throw new Error(JSON.stringify(parsed.issues))
  return evaluate(parsed.expression, resolving({ ...roots }, rendering))
}
const faultsOf = (source: string) => parseTemplate(source).faults.map(({ message }) => message)

describe('a text with tokens', () => {
  it('holds the values in their places, and nothing where there is none', () => {
    expect(text('Order [[WorkOrder.Number]] of [[Site.Name]]: [[WorkOrder.Note]].')).toBe('Order WO-7 of Mill & Sons: .')
    expect(text('[[readings[0].Value]] [[readings[last].Value]] [[readings[first].Value]] [[readings[*].Value]]')).toBe(
      '1.5 4 1.5 1.5, 2.25, 4',
    )
    expect(text('[[ WorkOrder.Number | lower ]]')).toBe('wo-7')
  })

  it('that is one token alone keeps the type of its value', () => {
    expect([
      value('[[WorkOrder.Amount]]'),
      value('[[WorkOrder.Done]]'),
      value('[[WorkOrder.Note]]'),
      value('[[readings[*].Value]]'),
    ]).toEqual([1234.5, true, null, [1.5, 2.25, 4]])
    expect(value('[[WorkOrder.Amount]] ')).toBe('1234.5 ')
  })

  it('takes two brackets as they are behind a backslash, and a backslash behind another', () => {
    expect(text(String.raw`\[[WorkOrder.Number]]`)).toBe('[[WorkOrder.Number]]')
    expect(text(String.raw`\\[[WorkOrder.Number]]`)).toBe(String.raw`\WO-7`)
    expect(text(String.raw`C:\dir \[ [x] [[[WorkOrder.Number]]](/y)`)).toBe(String.raw`C:\dir \[ [x] [WO-7](/y)`)
  })

  it('tells which paths name nothing, each once, but not what is empty or past the end of a list', () => {
    const at = resolving(scope, berlin)
    resolveText(
      parseTemplate('[[WorkOrder.Numbr]] [[nobody]] [[WorkOrder.Numbr]] [[WorkOrder.Note]] [[readings[9].Value]] [[lost|default:1]]'),
      at,
    )
    expect([...at.unresolved]).toEqual(['WorkOrder.Numbr', 'nobody'])
  })

  it('follows own properties alone', () => {
    const inherited = Object.create({ secret: 'no' }) as object
    const roots = { a: {}, list: [1], word: 'text', inherited }
    const paths = [
      'a.constructor',
      'a.__proto__',
      'list.length',
      'word.length',
      'toString',
      'a.constructor.name',
      'inherited.secret',
      '__proto__',
    ]
    const at = resolving(roots, berlin)
    expect(paths.map((path) => resolveValue(`[[${path}]]`, at))).toEqual(paths.map(() => null))
    expect([...at.unresolved]).toEqual(paths)
  })

  it('never reads a value for tokens again, whatever the value is', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('[', ']', '\\', '|', 'a', '.', '$') }), (secret) => {
        const roots = { a: `${secret}[[b]]`, b: 'NEVER', list: [`[[b]]${secret}`] }
        expect(text('<[[a]]>', 'text', roots)).toBe(`<${secret}[[b]]>`)
        expect(text('<[[list|join]]>', 'text', roots)).toBe(`<[[b]]${secret}>`)
        expect(resolveJson({ x: ['[[a]]'] }, resolving(roots, berlin))).toEqual({ x: [`${secret}[[b]]`] })
        expect(calculated(['concat', '[[a]]', ''], roots)).toBe(`${secret}[[b]]`)
      }),
    )
  })

  it('is read into the same parts again when it is printed', () => {
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,5}$/)
    const index = fc.option(fc.oneof(fc.nat(999_999), fc.constantFrom('*' as const, 'first' as const, 'last' as const)), { nil: undefined })
    const segment = fc.record({ name, index }).map(({ name, index }) => (index === undefined ? { name } : { name, index }))
    const any = fc.string({ unit: fc.constantFrom('[', ']', '\\', '"', '\n', 'é', 'x', ',', ':', '|') })
    const filter = fc.oneof(
      fc.record({ name: fc.constantFrom('upper', 'json', 'trim', 'count'), args: fc.constant([]) }),
      fc.record({
        name: fc.constant('default'),
        args: fc.tuple(
          fc.oneof(
            any,
            fc.boolean(),
            fc.integer({ min: -99_999, max: 99_999 }).map((n) => n / 8 + 0),
          ),
        ),
      }),
      fc.record({ name: fc.constant('join'), args: fc.tuple(any, any) }),
    )
    const token = fc.record({ path: fc.array(segment, { minLength: 1, maxLength: 8 }), filters: fc.array(filter, { maxLength: 6 }) })
    const bare = (parts: readonly (string | Token)[]) =>
      parts.map((part) => (typeof part === 'string' ? part : { path: part.path, filters: part.filters }))
    fc.assert(
      fc.property(fc.array(fc.oneof(any.filter(Boolean), token), { maxLength: 6 }), (given) => {
        const parts: (string | object)[] = []
        for (const part of given) {
          const last = parts.at(-1)
          if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part
          else parts.push(part)
        }
        // Places are the parser's own.
        const again = parseTemplate(printTemplate({ parts: parts as (string | Token)[] }))
        expect(again.faults).toEqual([])
        expect(bare(again.parts)).toEqual(parts)
      }),
      { numRuns: 500 },
    )
  })

  it('is read whatever it is, and what cannot be read stays as it stands', () => {
    const noise = fc.string({
      unit: fc.constantFrom('[', ']', '\\', '"', '|', ':', ',', '.', 'a', '1', ' ', '$', '*', 'upper', '[[', ']]'),
    })
    fc.assert(
      fc.property(noise, (source) => {
        const { parts, faults } = parseTemplate(source)
        expect(faults.every(({ from, to }) => from >= 0 && to > from && to <= source.length)).toBe(true)
        expect(parseTemplate(printTemplate({ parts })).faults).toEqual([])
      }),
      { numRuns: 500 },
    )
    expect(text('[[ a b ]] [[')).toBe('[[ a b ]] [[')
  })

  it('says what is wrong with a token, with the nearest filter', () => {
    expect(parseTemplate('[[a|uper]]').faults).toMatchObject([
      { from: 0, to: 10, suggestion: 'upper', message: expect.stringContaining('There is no filter "uper"') },
    ])
    expect(faultsOf('[[a.b.c.d.e.f.g.h.i]]')).toEqual(['A path has at most 8 names.'])
    expect(faultsOf('[[a|trim|trim|trim|trim|trim|trim|trim]]')).toEqual(['A token has at most 6 filters.'])
    expect(faultsOf('[[a|currency]]')).toEqual(['The filter currency takes 1 to 2 arguments, not 0.'])
    expect(faultsOf('[[a|date:"lng"]]')).toEqual([
      'The filter date takes one of short, medium, long, full, iso, not "lng". Did you mean long?',
    ])
    expect(faultsOf('[[a|time:short,"Mars/Base"]]')).toEqual([
      'The filter time takes a time zone such as "Europe/Berlin", not "Mars/Base".',
    ])
    expect(faultsOf('[[a[007]]] [[a[1][2]]]')).toHaveLength(2)
    expect(faultsOf('[[a')).toEqual(['The token does not end: ]] is missing.'])
    expect(faultsOf('x'.repeat(65_537))).toEqual(['A text with tokens has at most 65536 characters.'])
    expect(faultsOf('[[a]]'.repeat(1_001))).toEqual(['A text holds at most 1000 tokens.'])
  })

  it('changes the names of its tokens and nothing else when something is renamed', () => {
    const source = String.raw`\[[Order.No]] [[ Order.No|truncate : 5 ]] [[Order[0].No]] [[other.No]]`
    const renamed = withNames(source, ([root, ...rest]) =>
      root.name === 'Order' ? [{ ...root, name: 'WorkOrder' }, ...rest] : [root, ...rest],
    )
    expect(renamed).toBe(String.raw`\[[Order.No]] [[ WorkOrder.No|truncate : 5 ]] [[WorkOrder[0].No]] [[other.No]]`)
  })
})

describe('a value in a text of another kind', () => {
  const markdown = new MarkdownIt({ html: true, linkify: false })

  it('is words and no markup in HTML', () => {
    expect(text('<b>[[a]]</b>', 'html', { a: `<i>"x" & 'y'</i>` })).toBe('<b>&lt;i&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/i&gt;</b>')
  })

  it('is words and no markup in Markdown, whatever its characters are', () => {
    const noise = fc.string({
      unit: fc.constantFrom(
        '*',
        '_',
        '`',
        '[',
        ']',
        '(',
        ')',
        '<',
        '>',
        '#',
        '-',
        '+',
        '1',
        '.',
        '!',
        '|',
        '~',
        '=',
        '\\',
        '&',
        ';',
        ':',
        '"',
        ' ',
        '\n',
        'a',
        'b',
        '/',
        '    ',
      ),
      maxLength: 40,
    })
    fc.assert(
      fc.property(noise, (a) => {
        const html = markdown.render(text('x [[a]] y', 'markdown', { a }))
        const tags = [...html.matchAll(/<\/?([a-z0-9]+)/g)].map(([, tag]) => tag)
        expect(tags.filter((tag) => tag !== 'p' && tag !== 'br')).toEqual([])
      }),
      { numRuns: 1_000 },
    )
  })

  it('cannot lead a link elsewhere than to a page, a mailbox or a phone', () => {
    const hostile = { a: 'javascript:alert(1)' }
    expect(text('[x]([[a]])', 'markdown', hostile)).toBe('[x](javascript%3Aalert%281%29)')
    expect(text('<a href="[[a]]">', 'html', hostile)).toBe('<a href="javascript%3Aalert%281%29">')
    expect(text('[[a|link]]', 'html', hostile)).toBe('javascript:alert(1)')
    expect(text('[[a|link]] [[a|link:"Page"]]', 'html', { a: 'https://x.test/?a=1&b="2"' })).toBe(
      '<a href="https://x.test/?a=1&amp;b=%222%22">https://x.test/?a=1&amp;b=&quot;2&quot;</a> <a href="https://x.test/?a=1&amp;b=%222%22">Page</a>',
    )
    expect(text('[[a|link:"A]B"]]', 'markdown', { a: 'https://x.test/(y)' })).toBe(String.raw`[A\]B](https://x.test/%28y%29)`)
    expect(
      ['//evil.test', '/ok', 'data:text/html,x', 'vbscript:x', 'tel:+49 1', 'mailto:a@b.test'].map((a) =>
        text('[[a|link]]', 'markdown', { a }).startsWith('['),
      ),
    ).toEqual([false, true, false, false, false, true])
  })

  it('is one part of an address in a URL, unless the URL begins with it', () => {
    expect(text('https://x.test/[[a]]?q=[[b]]', 'url', { a: 'one/../two', b: 'x&y=z' })).toBe('https://x.test/one%2F..%2Ftwo?q=x%26y%3Dz')
    expect(text('[[a]]/orders/[[b]]', 'url', { a: 'https://api.test/v1', b: '7 8' })).toBe('https://api.test/v1/orders/7%208')
    expect(text('/[[a]]', 'url', { a: '\ud800' })).toBe('/%EF%BF%BD')
  })
})

describe('filters', () => {
  it('speak the language and the time zone of the reader', () => {
    const source =
      '[[WorkOrder.Planned|datetime]] | [[WorkOrder.Amount|currency:EUR]] | [[WorkOrder.Due|relative]] | [[WorkOrder.Done|yesno]]'
    const german = renderingOf({ ...berlin, locale: 'de-DE' })
    const lima = renderingOf({ ...berlin, locale: 'es-ES', timeZone: 'America/Lima' })
    expect(text(source, 'text', scope, german)).toBe('01.03.2026, 10:30 | 1.234,50\u00a0€ | übermorgen | Ja')
    expect(text(source, 'text', scope, lima)).toBe('1 mar 2026, 4:30 | 1234,50\u00a0€ | pasado mañana | Sí')
  })

  it('leave a value that they do not fit as it is, and nothing as nothing', () => {
    const unfit = { a: { x: 1 }, t: 'word', n: null, b: true }
    const pick = (filter: string) => ['a', 't', 'n', 'b'].map((root) => resolveValue(`[[${root}|${filter}]]`, resolving(unfit, berlin)))
    for (const filter of ['date', 'datetime', 'relative', 'number', 'percent', 'bytes', 'currency:EUR'])
      expect(pick(filter)).toEqual([{ x: 1 }, 'word', null, true])
    expect(pick('count')).toEqual([1, 1, 0, 1])
    expect(pick('default:0')).toEqual([{ x: 1 }, 'word', 0, true])
  })

  it('work on each element of a list', () => {
    expect(resolveValue('[[a|upper]]', resolving({ a: ['x', null, 'y'] }, berlin))).toEqual(['X', null, 'Y'])
  })

  it('cut a text between what a reader takes for characters', () => {
    expect(text('[[a|truncate:3]]', 'text', { a: '👩‍👩‍👧👍🏽éé' })).toBe('👩‍👩‍👧👍🏽…')
    expect(text('[[a|truncate:3]] [[a|truncate:4]] [[a|truncate:2,""]] [[a|truncate:1,"..."]]', 'text', { a: 'abcd' })).toBe(
      'ab… abcd ab a',
    )
  })

  it('never show more of a masked value than was asked for', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.nat(20), (secret, shown) => {
        const masked = text(`[[a|mask:${shown}]]`, 'text', { a: secret })
        expect(Array.from(masked.replace(/^•+/, '')).length).toBeLessThanOrEqual(shown)
        expect(masked.startsWith('••••••••') || secret === '').toBe(true)
      }),
    )
  })

  it('take any value without an error', () => {
    const calls = filterNames.map(
      (name) =>
        ({ currency: 'currency:EUR', truncate: 'truncate:5', default: 'default:x', map: 'map:a,b', pluck: 'pluck:a' })[name] ?? name,
    )
    expect(calls).toHaveLength(23)
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.array(fc.constantFrom(...calls), { minLength: 1, maxLength: 4 }), (a, filters) => {
        expect(parseTemplate(`[[a|${filters.join('|')}]]`).faults).toEqual([])
        expect(typeof text(`[[a|${filters.join('|')}]] `, 'html', { a })).toBe('string')
      }),
      { numRuns: 500 },
    )
  })
})

describe('an expression', () => {
  it('counts, compares, chooses and joins', () => {
    expect(calculated(['+', '[[WorkOrder.Amount]]', 0.1, 0.2])).toBe(1234.8)
    expect(calculated(['if', ['and', '[[WorkOrder.Done]]', ['>', '[[WorkOrder.Amount]]', 1000]], 'large', 'small'])).toBe('large')
    expect(calculated(['concat', 'WO ', ['upper', '[[WorkOrder.Status]]'], ': [[readings|count]]'])).toBe('WO IN_PROGRESS: 3')
    expect([
      calculated(['-', 5]),
      calculated(['%', 7, 3]),
      calculated(['/', 1, 3]),
      calculated(['round', 2.5]),
      calculated(['round', -1.005, 2]),
    ]).toEqual([-5, 1, 0.333333333333333, 3, -1.01])
    expect(calculated(['has', ['open', 'in_progress'], '[[WorkOrder.Status]]'])).toBe(true)
    expect([
      calculated(['at', '[[WorkOrder.Tags]]', -1]),
      calculated(['length', '[[WorkOrder.Tags]]']),
      calculated(['length', '👍a']),
    ]).toEqual(['roof', 2, 2])
  })

  it('is null where an argument does not fit, and never a number that JSON has no word for', () => {
    const nulls = [
      ['+', 1, '2'],
      ['/', 1, 0],
      ['%', 1, 0],
      ['*', 1e308, 10],
      ['<', 1, 'a'],
      ['-', null],
      ['at', 'abc', 0],
      ['round', 'x'],
      ['upper', 5],
      ['dateAdd', 'soon', 'P1D'],
      ['dateDiff', '2026-01-01', '2026-01-02', 'moons'],
      ['+', '[[nobody]]', 1],
    ]
    expect(nulls.map((one) => calculated(one))).toEqual(nulls.map(() => null))
    expect(Object.is(calculated(['*', 0, -1]), 0)).toBe(true)
  })

  it('counts days and months by the calendar of the zone, and hours by the clock', () => {
    const add = (date: string, duration: string) => calculated(['dateAdd', date, duration])
    // Clocks go forward in Berlin in the night of the 29th of March.
    expect(add('2026-03-28T11:00:00Z', 'P1D')).toBe('2026-03-29T10:00:00.000Z')
    expect(add('2026-03-28T11:00:00Z', 'PT24H')).toBe('2026-03-29T11:00:00.000Z')
    expect(add('2026-03-28T01:30:00Z', 'P1D')).toBe('2026-03-29T01:30:00.000Z')
    expect([
      add('2026-01-31', 'P1M'),
      add('2024-02-29', 'P1Y'),
      add('2026-03-01', '-P1D'),
      add('2026-03-01', 'PT1H'),
      add('9999-12-31', 'P1D'),
    ]).toEqual(['2026-02-28', '2025-02-28', '2026-02-28', null, null])
    const diff = (from: string, to: string, unit: string) => calculated(['dateDiff', from, to, unit])
    expect([
      diff('2026-03-28T11:00:00Z', '2026-03-29T10:00:00Z', 'days'),
      diff('2026-03-28T11:00:00Z', '2026-03-29T10:00:00Z', 'hours'),
    ]).toEqual([1, 23])
    expect([
      diff('2026-01-31', '2026-02-28', 'months'),
      diff('2026-03-01', '2026-02-27', 'days'),
      diff('2020-02-29', '2026-02-28', 'years'),
    ]).toEqual([1, -2, 6])
  })

  it('adds a duration and finds it again between the two, whatever the zone', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia']
    const moment = fc.date({ min: new Date('1980-01-01T00:00:00Z'), max: new Date('2090-01-01T00:00:00Z'), noInvalidDate: true })
    fc.assert(
      fc.property(moment, fc.nat(400), fc.constantFrom(...zones), (date, days, timeZone) => {
        const from = date.toISOString()
        const rendering = { ...berlin, timeZone }
        const to = calculated(['dateAdd', from, `P${days}D`], scope, rendering)
        const found = calculated(['dateDiff', from, to, 'days'], scope, rendering)
        // A day that a zone left out, or an hour that it did, ends later than it says.
        expect([days, days + 1]).toContain(found)
        expect(
          calculated(['dateDiff', from, calculated(['dateAdd', from, `PT${days}H`], scope, rendering), 'hours'], scope, rendering),
        ).toBe(days)
      }),
      { numRuns: 300 },
    )
  })

  it('says of every mistake where it is, with the nearest operator', () => {
    expect(parseExpression(['cnocat', 1]).issues).toMatchObject([{ path: '$[0]', suggestion: 'concat' }])
    expect(
      parseExpression(['if', ['grater', 1, 2], ['+', 1], '[[a|uper]]']).issues.map(({ path, suggestion }) => [path, suggestion]),
    ).toEqual([
      ['$[1][0]', undefined],
      ['$[2]', undefined],
      ['$[3]', 'upper'],
    ])
    expect(parseExpression('1 + 2').issues).toHaveLength(1)
    expect(parseExpression(Array.from({ length: 40 }).reduce<unknown>((inner) => ['not', inner], true)).issues).toMatchObject([
      { message: 'An expression nests at most 16 deep.' },
    ])
    expect(parseExpression(['concat', ...Array.from({ length: 50 }, () => ['concat', 1, 2, 3, 4])]).issues).toMatchObject([
      { message: 'An expression has at most 200 parts.' },
    ])
  })

  it('is total: whatever is read gives a value of JSON', () => {
    const leaf = fc.oneof(
      fc.jsonValue({ maxDepth: 0 }),
      fc.constantFrom('[[a]]', '[[b|json]]', '2026-03-01', '2026-03-01T00:00:00Z', 'P1D', 'days', '[[list]]'),
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 5 }, leaf, tie('call')),
      call: fc
        .tuple(
          fc.constantFrom(
            '+',
            '-',
            '*',
            '/',
            '%',
            '=',
            '!=',
            '<',
            '<=',
            '>',
            '>=',
            'and',
            'or',
            'not',
            'if',
            'concat',
            'length',
            'round',
            'lower',
            'upper',
            'dateAdd',
            'dateDiff',
            'at',
            'has',
          ),
          fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
        )
        .map(([operator, args]) => [operator, ...args]),
    }))
    let read = 0
    fc.assert(
      fc.property(tree, fc.jsonValue(), fc.jsonValue(), (expression, a, b) => {
        const parsed = parseExpression(expression)
        if (!parsed.expression) return
        read++
        const result = evaluate(parsed.expression, resolving({ a, b, list: [a, b] }, berlin))
        expect(result).toEqual(JSON.parse(JSON.stringify(result)))
      }),
      { numRuns: 2_000 },
    )
    expect(read).toBeGreaterThan(100)
  })

  it('stands anywhere in a value of JSON, beside texts with tokens', () => {
    const config = {
      subject: 'For [[Site.Name]]',
      amount: { $expr: ['*', '[[WorkOrder.Amount]]', 2] },
      deep: [{ when: '[[WorkOrder.Due]]' }],
      $expr: 'kept',
      n: 5,
    }
    expect(resolveJson(config, resolving(scope, berlin))).toEqual({
      subject: 'For Mill & Sons',
      amount: 2469,
      deep: [{ when: '2026-03-01' }],
      $expr: 'kept',
      n: 5,
    })
    // What is there and empty is given; what has no such name is not.
    const given = {
      $given: { Name: '[[Site.Name]]', Gone: '[[Site.Gone]]', Deep: '[[Site.Gone.Name]]', Note: '[[Site.Empty]]', Text: 'x [[Site.Gone]]' },
    }
    const site = { Site: { Name: 'Mill', Empty: null } }
    const at = resolving(site, berlin)
    expect(resolveJson({ data: given }, at)).toEqual({ data: { Name: 'Mill', Note: null, Text: 'x ' } })
    expect(resolveJson({ $given: {}, more: 1 }, at)).toEqual({ $given: {}, more: 1 })
    expect(Object.keys(resolveJson(JSON.parse('{"__proto__": "[[Site.Name]]"}'), resolving(scope, berlin)) as object)).toEqual([
      '__proto__',
    ])
  })
})

describe('what is found before anything is resolved', () => {
  const roots: Shapes = {
    WorkOrder: { kind: 'object', fields: { Number: { kind: 'scalar', type: 'text' }, Due: { kind: 'scalar', type: 'date' } } },
    readings: { kind: 'list', of: { kind: 'object', fields: { Value: { kind: 'scalar', type: 'number' } } } },
    $trigger: { kind: 'any' },
  }
  const found = (definition: unknown) =>
    checkTokens(definition, roots).map(({ path, severity, suggestion }) => [path, severity, suggestion])

  it('is each wrong name, with its JSON path and the nearest right one', () => {
    expect(
      found({
        a: ['[[WorkOrdr.Number]]'],
        b: { c: '[[WorkOrder.Numbr|upper]]' },
        d: '[[readings[0].Valu]]',
        e: '[[a|uper]]',
        f: '[[readings|pluck:Valu]]',
      }),
    ).toEqual([
      ['$.a[0]', 'error', 'WorkOrder'],
      ['$.b.c', 'error', 'Number'],
      ['$.d', 'error', 'Value'],
      ['$.e', 'error', 'upper'],
      ['$.f', 'error', 'Value'],
    ])
    expect(found({ x: { $expr: ['+', 1, ['at', '[[readngs]]', 0]] } })).toEqual([['$.x.$expr[2][1]', 'error', 'readings']])
    expect(checkTokens('[[WorkOrdr]]', roots)[0]?.message).toBe(
      '[[WorkOrdr]]: There is no "WorkOrdr". Here begin: WorkOrder, readings, $trigger.',
    )
  })

  it('is a list that is named like one thing, and one thing that is named like a list', () => {
    expect(found(['[[readings.Value]]', '[[WorkOrder.Number[0]]]', '[[WorkOrder.Number.x]]'])).toEqual([
      ['$[0]', 'error', 'readings[first]'],
      ['$[1]', 'error', 'Number'],
      ['$[2]', 'error', undefined],
    ])
  })

  it('is a filter that does not fit, as a warning', () => {
    expect(found(['[[WorkOrder.Number|date]]', '[[WorkOrder.Due|currency:EUR]]', '[[WorkOrder.Due|count]]'])).toEqual([
      ['$[0]', 'warning', undefined],
      ['$[1]', 'warning', undefined],
      ['$[2]', 'warning', undefined],
    ])
  })

  it('is nothing where all is well, or anything may come', () => {
    expect(
      found([
        '[[readings[*].Value|sum|currency:EUR]]',
        '[[readings|pluck:Value|join]]',
        '[[WorkOrder.Due|date:long]]',
        '[[$trigger.body.items[0].sku]]',
        '[[readings[last].Value|number:2]]',
        'plain',
        5,
      ]),
    ).toEqual([])
    expect(unknownPaths(parseTemplate('[[readings[0].Value]] [[nobody.x]] [[nobody.x|upper]]'), roots)).toEqual(['nobody.x'])
  })

  it('offers every path that leads to something', () => {
    expect([...pathsOf(roots, 8)].map(({ path }) => path)).toEqual([
      'WorkOrder',
      'WorkOrder.Number',
      'WorkOrder.Due',
      'readings',
      'readings[first].Value',
      '$trigger',
    ])
  })

  it('knows the time by the zone', () => {
    expect(timeRoots(renderingOf({ ...berlin, nowMs: Date.parse('2026-02-27T23:30:00Z') }))).toEqual({
      $now: '2026-02-27T23:30:00.000Z',
      $today: '2026-02-28',
    })
    expect(renderingOf({ ...berlin, locale: '!!', timeZone: 'Mars/Base' })).toMatchObject({ locale: 'en-US', timeZone: 'UTC' })
  })
})
