/** Which characters the bytes of a text are, where nothing says so. */
import { TextDecoder } from 'node:util'

import chardet from 'chardet'

/** Those that are tried whatever the letters look like: what spreadsheets save in Western and Central Europe and where Cyrillic is written. */
const usual = ['windows-1252', 'windows-1250', 'windows-1251'] as const

/** Whether a decoder knows the name. */
export function isEncoding(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== ''
  } catch {
    return false
  }
}

/** No text holds these: controls but for tabs and ends of lines, what no character has, and what is private. */
const foreign = /[^\P{C}\t\n\r\f\v\u00ad\u200b-\u200f\u2060\ufeff]/u

/** Whether a text is one, and not other bytes read as characters. */
export function isText(text: string): boolean {
  return !foreign.test(text)
}

const beyondAscii = /[^\0-\u007f]/gu
const letter = /\p{L}|\p{M}/u
// Halves of katakana are what other bytes look like in Shift_JIS.
const unlikely = /[\uff61-\uff9f]/u
const typographic = /[\p{N}€£§°’‘“”„‚–—…«»•™®©´\u00a0\u3000-\u303f\uff00-\uff60]/u

/** How much of what is not ASCII are letters, from 0 to 1; a sign in the middle of a word is none. */
function likeness(text: string): number {
  let [sum, count] = [0, 0]
  for (const { 0: sign, index } of text.matchAll(beyondAscii)) {
    count++
    if (letter.test(sign)) sum += unlikely.test(sign) ? 0.5 : 1
    else if (typographic.test(sign) && (sign === '’' || !(letter.test(text[index - 1] ?? '') && letter.test(text[index + 1] ?? ''))))
      sum += 0.9
  }
  return count === 0 ? 1 : sum / count
}

/** The text of bytes whose last character may be cut; undefined where they are none in this encoding. */
function decoded(bytes: Uint8Array, name: string): string | undefined {
  try {
    const text = new TextDecoder(name, { fatal: true }).decode(bytes, { stream: true })
    return isText(text) ? text : undefined
  } catch {
    return undefined
  }
}

/** UTF-16 without its mark: among the first of each two bytes, or among the second, are many that are 0, and there are lines or columns. */
export function wideEncodingOf(sample: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const zeros = [0, 0]
  sample.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  })
  const [even = 0, odd = 0] = zeros
  const few = sample.length / 12
  const name = odd > few && even <= odd / 10 ? 'utf-16le' : even > few && odd <= even / 10 ? 'utf-16be' : undefined
  return name !== undefined && /[\n\r\t,;|]/.test(decoded(sample, name) ?? '') ? name : undefined
}

/** The likeliest encoding of bytes that are not UTF-8, by what they would say; undefined where they would be a text in none. */
export function encodingOf(sample: Uint8Array): string | undefined {
  const guesses = chardet.analyse(sample)
  const confidence = new Map<string, number>()
  for (const name of usual) confidence.set(name, 0)
  for (const guess of guesses) {
    if (!isEncoding(guess.name)) continue
    const { encoding } = new TextDecoder(guess.name)
    confidence.set(encoding, Math.max(confidence.get(encoding) ?? 0, guess.confidence))
  }
  const likely = [...confidence].flatMap(([name, sure]) => {
    const text = decoded(sample, name)
    return text === undefined ? [] : [{ name, score: likeness(text) + sure / 1_000 }]
  })
  // Of equals the first, which is the usual one.
  return likely.toSorted((a, b) => b.score - a.score)[0]?.name
}
