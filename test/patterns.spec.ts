/** Tenants' patterns: held against texts without holding up anybody, wherever that takes long. */
import { describe, expect, it } from 'vitest'

import { createMatcher, findPatternFault, longestTextFor, preparePatterns, whenMatched } from '#platform/patterns.ts'

import { leastMs, longestTurn, spentMs, turnLimitMs } from './support/turns.ts'

const slow = '^(?:[a-z]{0,400})*\\d$'

describe('a matcher', () => {
  it('answers short texts at once, and holds nothing back', () => {
    const code = '^[A-Z]{2}-\\d+$'
    // Compiled outside of the matcher, whose share of the turn a busy machine would use up with it.
    expect(findPatternFault(code)).toBeUndefined()
    const patterns = createMatcher()
    expect([patterns.matches(code, 'AB-1'), patterns.matches(code, 'ab-1')]).toEqual([true, false])
    expect(patterns.takePending()).toBe(false)
  })

  it('holds back what takes long until it is settled, and has it matched beside the event loop', async () => {
    const text = 'a'.repeat(6_000)
    const settle = async () => {
      const patterns = createMatcher()
      expect([patterns.matches(slow, text), patterns.matches(slow, `${text}1`)]).toEqual([undefined, undefined])
      expect([patterns.takePending(), patterns.takePending()]).toEqual([true, false])
      // It takes some tenths of a second in the thread.
      const { ms } = await longestTurn(() => patterns.settle())
      expect([patterns.matches(slow, text), patterns.matches(slow, `${text}1`)]).toEqual([false, true])
      return ms
    }
    expect(await leastMs(settle)).toBeLessThan(turnLimitMs)
  })

  it('ends for a call that asks for too much, and says so of the rest', async () => {
    const texts = Array.from({ length: 120 }, (_, index) => `${'a'.repeat(10_000)}${index}x`)
    const verdicts = await whenMatched((patterns) => texts.map((text) => patterns.matches(slow, text)))
    expect(verdicts[0]).toBe(false)
    expect(verdicts.at(-1)).toBe('tooMuch')
  })

  it('holds no text against a pattern that is too long for it', () => {
    expect(findPatternFault(slow)).toBeUndefined()
    expect(createMatcher().matches(slow, 'a'.repeat(longestTextFor(slow) + 1))).toBe('tooLong')
  })

  it('leaves the rest of many texts to the thread once the turn has had its share, and answers all of them', async () => {
    const texts = Array.from({ length: 2_000 }, (_, index) => `${'ab'.repeat(100)}${index % 2 === 0 ? '1' : ''}`)
    let passes = 0
    const verdicts = await whenMatched((patterns) => {
      passes++
      return texts.map((text) => patterns.matches('^(?:[a-z]{0,60})*\\d$', text))
    })
    expect(passes).toBeGreaterThan(1)
    expect(verdicts.every((verdict, index) => verdict === (index % 2 === 0))).toBe(true)
  })

  it('serves several callers in turn', async () => {
    const ask = (text: string) => whenMatched((patterns) => patterns.matches(slow, text))
    const verdicts = await Promise.all([ask(`${'b'.repeat(5_000)}1`), ask('b'.repeat(5_001)), ask(`${'c'.repeat(5_000)}2`)])
    expect(verdicts).toEqual([true, false, true])
  })
})

describe('a pattern', () => {
  it.each([
    ['^[A-Z0-9-]+$', undefined],
    ['^.{1,255}$', undefined],
    ['^(?:[a-z]{0,1000})*\\d$', 'tooLarge'],
    ['(?=a)', 'foreign'],
    ['(a', 'broken'],
  ])('%s is looked through for faults: %s', (pattern, fault) => {
    expect(findPatternFault(pattern)).toBe(fault)
  })

  it('is compiled beside the event loop where that takes long, or where there are many', async () => {
    const dear = Array.from({ length: 40 }, (_, index) => `(?i)${'[\\pL]'.repeat(80)}${index}`)
    expect((await longestTurn(() => preparePatterns(dear))).ms).toBeLessThan(4 * turnLimitMs)
    // They were compiled, and are not once more.
    expect(spentMs(() => expect(dear.map(findPatternFault)).toEqual(dear.map(() => undefined)))).toBeLessThan(2 * turnLimitMs)
    expect(await whenMatched((patterns) => patterns.matches(dear[7] ?? '', `${'ä'.repeat(80)}7`))).toBe(true)
  })
})
