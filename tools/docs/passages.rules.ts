/** What a search looks at: the corpus cut into passages of a size that a sentence model reads whole. */
import { type Page, plainText, type Section, withoutCode } from './markdown.rules.ts'

export interface Passage {
  readonly page: Page
  readonly section: Section
  /** Plain words, without code blocks. */
  readonly text: string
  /** What stands above it: the page's title and the section's. */
  readonly heading: string
  /** Whether its meaning is looked at beside its words. */
  readonly hasMeaning: boolean
}

// A model reads 256 tokens, about 190 words of such text, but a short passage says more plainly what it is about.
const passageWords = 90

function wordCount(text: string): number {
  return text.split(/\s+/).length
}

/** Lines gathered into pieces of at most about `passageWords`; a longer line stands alone. */
function gather(lines: readonly string[]): string[] {
  const pieces: string[] = []
  let held: string[] = []
  let words = 0
  for (const line of lines) {
    const more = wordCount(line)
    if (held.length > 0 && words + more > passageWords) {
      pieces.push(held.join('\n'))
      held = []
      words = 0
    }
    held.push(line)
    words += more
  }
  if (held.length > 0) pieces.push(held.join('\n'))
  return pieces
}

// The tables of fields in the tools' reference: hundreds of lines alike, near to every question and the answer to few.
const isFieldTable = (page: Page, line: string) => page.path.startsWith('reference/tools/') && line.startsWith('|')

function passagesOf(page: Page, section: Section): Passage[] {
  const heading = section.level === 1 ? page.title : `${page.title}: ${section.title}`
  const lines = withoutCode(section.own).split('\n').slice(1)
  const pieces = (wanted: readonly string[]) =>
    gather(
      plainText(wanted.join('\n'))
        .split('\n')
        .filter((line) => line.trim() !== ''),
    )
  const prose = pieces(lines.filter((line) => !isFieldTable(page, line)))
  const fields = pieces(lines.filter((line) => isFieldTable(page, line)))
  return [
    // A heading without words of its own still says what its subsections are about.
    ...(prose.length > 0 ? prose : ['']).map((text) => ({ page, section, text, heading, hasMeaning: true })),
    ...fields.map((text) => ({ page, section, text, heading, hasMeaning: false })),
  ]
}

/** Every passage of the corpus, in its order. */
export function cutIntoPassages(pages: readonly Page[]): Passage[] {
  return pages.flatMap((page) => page.sections.flatMap((section) => passagesOf(page, section)))
}

/** What the sentence model reads of a passage. */
export function embeddedText({ heading, text }: Passage): string {
  return `${heading.replaceAll('_', ' ')}. ${text}`
}

const excerptLength = 240

/** The part of a passage that has most of the words, at most 240 characters, cut between words. */
export function excerptOf(passage: Passage, words: readonly string[]): string {
  const text = passage.text.replace(/\s+/g, ' ').trim()
  if (text.length <= excerptLength) return text
  const lower = text.toLowerCase()
  const starts = [0, ...[...text.matchAll(/[.:;] /g)].map((match) => match.index + 2)]
  const hits = (start: number) => words.filter((word) => lower.slice(start, start + excerptLength).includes(word)).length
  const best = starts.reduce((chosen, start) => (hits(start) > hits(chosen) ? start : chosen), 0)
  const part = text.slice(best, best + excerptLength)
  const whole = best + excerptLength >= text.length ? part : part.slice(0, Math.max(part.lastIndexOf(' '), excerptLength / 2))
  return `${best > 0 ? '… ' : ''}${whole.trim()}${best + excerptLength >= text.length ? '' : ' …'}`
}
