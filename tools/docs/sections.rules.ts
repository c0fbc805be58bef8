/** What a search looks at: the corpus by its sections, each cut into passages of a size that a sentence model reads whole. */
import type { Findable } from '#platform/search/search.ts'

import { type Page, plainText, type Section } from './markdown.rules.ts'

export interface Place {
  readonly page: Page
  readonly section: Section
  /** Plain words, without code blocks. */
  readonly text: string
  /** All of it, code too, to look for names in. */
  readonly lowerCase: string
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

const plainLines = (lines: readonly string[]) =>
  plainText(lines.join('\n'))
    .split('\n')
    .filter((line) => line.trim() !== '')

/** Every section of the pages, in their order. */
export function placesOf(pages: readonly Page[]): Place[] {
  return pages.flatMap((page) =>
    page.sections.map((section) => ({
      page,
      section,
      text: plainLines(section.prose).join('\n'),
      lowerCase: section.own.toLowerCase(),
    })),
  )
}

/** How a place is found; `asked` has the questions that it answers. */
export function findable({ page, section, text }: Place, asked: readonly string[]): Findable {
  const heading = section.level === 1 ? page.title : `${page.title}: ${section.title}`
  const pieces = gather(plainLines(section.prose.filter((line) => !isFieldTable(page, line))))
  // A heading without words of its own still says what its subsections are about.
  const statements = (pieces.length > 0 ? pieces : ['']).map((piece) => `${heading.replaceAll('_', ' ')}. ${piece}`)
  return { heading, text, statements, asked }
}

const excerptLength = 240

/** The part of a text that has most of the words, at most 240 characters, cut between words. */
export function excerptOf(whole: string, words: readonly string[]): string {
  const text = whole.replace(/\s+/g, ' ').trim()
  if (text.length <= excerptLength) return text
  const lower = text.toLowerCase()
  const starts = [0, ...[...text.matchAll(/[.:;] /g)].map((match) => match.index + 2)]
  const hits = (start: number) => words.filter((word) => lower.slice(start, start + excerptLength).includes(word)).length
  const best = starts.reduce((chosen, start) => (hits(start) > hits(chosen) ? start : chosen), 0)
  const part = text.slice(best, best + excerptLength)
  const isLast = best + excerptLength >= text.length
  const cut = isLast ? part : part.slice(0, Math.max(part.lastIndexOf(' '), excerptLength / 2))
  return `${best > 0 ? '… ' : ''}${cut.trim()}${isLast ? '' : ' …'}`
}
