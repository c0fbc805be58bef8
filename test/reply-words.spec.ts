/** Replies in words: what they mean where choices were offered, and where nobody can say. */
import { describe, expect, it } from 'vitest'

import { understood } from '#tools/messaging/reply-words.rules.ts'

const yesOrNo = [
  { key: 'yes', label: 'Yes' },
  { key: 'no', label: 'No' },
]
const gates = [
  { key: 'open', label: 'Open' },
  { key: 'closed', label: 'Closed' },
  { key: 'closedForGood', label: 'Closed for good' },
]

describe('a reply', () => {
  it.each([
    ['2', 'no'],
    ['yes', 'yes'],
    ['YES!', 'yes'],
    ['Yes, closed it', 'yes'],
    ['yeah', 'yes'],
    ['ok will do', 'yes'],
    ['No.', 'no'],
    ['nope, tomorrow', 'no'],
    ['2 please', 'no'],
    ['number two', 'no'],
    ['#1', 'yes'],
  ])('%s means what its choice says', (text, key) => {
    expect(understood(text, yesOrNo, 'en-US')).toBe(key)
  })

  it.each([
    ['Ja, erledigt', 'de-DE', 'yes'],
    ['Nein', 'de-DE', 'no'],
    ['zwei', 'de-DE', 'no'],
    ['Sí, cerrado', 'es-ES', 'yes'],
    ['oui merci', 'fr-FR', 'yes'],
    ['Não, amanhã', 'pt-BR', 'no'],
    ['tak', 'pl-PL', 'yes'],
    ['ні', 'uk-UA', 'no'],
    ['はい', 'ja-JP', 'yes'],
    ['是的', 'zh-CN', 'yes'],
    ['نعم', 'ar-SA', 'yes'],
    ['Yes', 'de-DE', 'yes'],
    ['ja', null, 'yes'],
  ])('%s is understood in %s', (text, language, key) => {
    expect(understood(text, yesOrNo, language)).toBe(key)
  })

  it('goes by labels and keys, the longest of those with which it begins', () => {
    expect(understood('Closed since noon', gates)).toBe('closed')
    expect(understood('closed for good, sadly', gates)).toBe('closedForGood')
    expect(understood('open', gates)).toBe('open')
    expect(understood('ClosedForGood', gates)).toBe('closedForGood')
  })

  it.each([
    'No problem',
    'yes but not today',
    'closed, not open',
    'maybe',
    '',
    '7',
    '2 of them are broken, I think',
    'tak',
    `yes ${'x'.repeat(300)}`,
  ])('%s is nothing to go by', (text) => {
    expect(understood(text, yesOrNo, 'da-DK')).toBeUndefined()
  })

  it('means yes only where one choice does', () => {
    expect(understood('yes', gates)).toBeUndefined()
    expect(understood('yes', [...yesOrNo, { key: 'ja', label: 'Oui' }])).toBe('yes')
    expect(understood('sure', [...yesOrNo, { key: 'oui', label: 'Oui' }])).toBeUndefined()
  })

  it('is looked at in time that grows with its length alone', () => {
    expect(understood(`${' '.repeat(100_000)}x${','.repeat(100_000)}`, yesOrNo)).toBeUndefined()
  })
})
