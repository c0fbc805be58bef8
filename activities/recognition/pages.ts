/** What pages bring, as plain JSON: a child hands it on page by page, so that ending it loses no more than the page at hand. */
import type { PageText } from './read-page.ts'
import { limits, type RecognitionResult, type RecognizedText, type RecognizedWord } from './types.ts'
import { failed } from './unreadable.ts'

/** The text of a page or a picture, within what one file may bring. */
export interface KeptText {
  readonly text: string
  readonly words: readonly RecognizedWord[]
  readonly letters: number
  /** The words' confidence, each weighted by its letters. */
  readonly weighted: number
}

/** `leftOut`: it did not open in time or in the memory there is. `notDrawn`: a picture, for which no time was left. */
export interface PdfPage extends KeptText {
  readonly outcome: 'read' | 'broken' | 'leftOut' | 'notDrawn'
  /** Milliseconds of work beyond what a scan with as much text takes. */
  readonly wastedMs: number
}

export const noText: KeptText = { text: '', words: [], letters: 0, weighted: 0 }

/** Work without text after which a PDF is ended: two pages that do not open. */
export const mostWastedMs = (pageSeconds: number): number => 2 * pageSeconds * 1_000
export const wastedOf = (pages: readonly PdfPage[]): number => pages.reduce((sum, { wastedMs }) => sum + wastedMs, 0)

const fewestLetters = 8
const pageMs = 1_000
const letterMs = 3
/** Of the densest sheets: 3,200 letters took 5 to 8 s. */
const longestScanMs = 12_000
const shareForDrawn = 0.75
const leastForSheetMs = 8_000

/** Work on one picture: what a full one is worth, and all that may be wasted. */
export const mostWorkOnPicture = (pageSeconds: number): number => mostWastedMs(pageSeconds) + longestScanMs

/** Work on a page that has to be drawn; zero where no more are drawn, since the rest is kept for what pages carry of their own, which is cheap. */
export function mostWorkOnDrawn(wastedMs: number, pageSeconds: number): number {
  const left = mostWastedMs(pageSeconds) * shareForDrawn - wastedMs
  return left <= 0 ? 0 : Math.max(leastForSheetMs, (left * 2) / 3)
}

/** What of its work a drawn page was worth: a scanned sheet takes one to eight seconds, by its text. Grain is taken for some letters, too. */
export function worthMs(letters: number): number {
  return letters < fewestLetters ? 0 : Math.min(longestScanMs, pageMs + letterMs * letters)
}

/** Cuts the page's text to what earlier pages have left of the file's share. `page` is absent for pictures. */
export function keepText(lines: PageText, before: readonly KeptText[] = [], page?: number): KeptText {
  const most = limits.textCharacters - before.reduce((sum, { text }) => sum + text.length, 0)
  const mostWords = limits.words - before.reduce((sum, { words }) => sum + words.length, 0)
  const words: RecognizedWord[] = []
  let [letters, weighted] = [0, 0]
  for (const word of lines.flat()) {
    letters += word.text.length
    weighted += word.text.length * word.confidence
    if (words.length < mostWords) words.push({ ...word, text: storable(word.text), ...(page === undefined ? {} : { page }) })
  }
  const text = lines.map((line) => line.map((word) => word.text).join(' ')).join('\n')
  return { text: storable(text.slice(0, Math.max(0, most))), words, letters, weighted }
}

export function joinTexts(texts: readonly KeptText[], languages: readonly string[]): Omit<RecognizedText, 'pages'> {
  const letters = texts.reduce((sum, each) => sum + each.letters, 0)
  const weighted = texts.reduce((sum, each) => sum + each.weighted, 0)
  return {
    text: texts
      .map(({ text }) => text)
      .join('\n\n')
      .slice(0, limits.textCharacters),
    words: texts.flatMap(({ words }) => words),
    language: languages.join('+'),
    confidence: letters === 0 ? 0 : Math.round((weighted / letters) * 10) / 10,
  }
}

export interface PdfEnd {
  readonly pages: readonly PdfPage[]
  /** Pages of the file, and how many of them were to be read. */
  readonly all: number
  readonly planned: number
  readonly languages: readonly string[]
  readonly pageSeconds: number
  /** The time of one file is over. */
  readonly isLate: boolean
}

/** The result of the pages that were passed, with what is missing and why. Throws Unreadable where none of them could be opened. */
export function concludePdf(end: PdfEnd): Omit<RecognitionResult, 'durationMs'> {
  const { pages, planned, languages, pageSeconds } = end
  const broken = pages.filter(({ outcome }) => outcome === 'broken').length
  if (broken === planned) throw failed('The PDF is broken: none of its pages can be read.')
  if (pages.every(({ outcome }) => outcome === 'broken' || outcome === 'leftOut'))
    throw failed(
      pages.length === planned
        ? 'None of the pages of the PDF opens in the time that a page may take.'
        : `Reading was stopped: after ${mostWastedMs(pageSeconds) / 1_000} s none of the pages of the PDF had opened.`,
    )
  const reason = whatIsMissing(end)
  return { state: 'done', ...(reason === '' ? {} : { reason }), ocr: { ...joinTexts(pages, languages), pages: pages.length } }
}

function whatIsMissing({ pages, all, planned, pageSeconds, isLate }: PdfEnd): string {
  const those = (outcome: PdfPage['outcome']) => asRanges(pages.flatMap((page, index) => (page.outcome === outcome ? [index + 1] : [])))
  const [broken, leftOut, notDrawn] = [those('broken'), those('leftOut'), those('notDrawn')]
  const only = `Only the first ${pages.length} of ${all} pages were read`
  const wasted = `${mostWastedMs(pageSeconds) / 1_000} s of work brought too little text`
  return [
    pages.length < planned && isLate && `${only} in the time that one file may take.`,
    pages.length < planned && !isLate && `Reading ended after page ${pages.length} of ${all}: ${wasted}.`,
    pages.length === planned && planned < all && `${only}; that is the most for one file.`,
    broken !== '' && `Broken pages were left out: ${broken}.`,
    leftOut !== '' && `Pages that do not open in the time and memory of a page were left out: ${leftOut}.`,
    notDrawn !== '' && `Pages that are pictures were left out, after others without text: ${notDrawn}.`,
  ]
    .filter((sentence) => typeof sentence === 'string')
    .join(' ')
}

/** `1, 3 to 50`. */
export function asRanges(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const number of numbers) {
    const range = ranges.at(-1)
    if (range?.[1] === number - 1) range[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}${last - first === 1 ? ',' : ' to'} ${last}`)).join(', ')
}

/** PDFs carry NULs and halves of surrogate pairs, which no database takes. */
// oxlint-disable-next-line no-control-regex
const storable = (text: string) => text.toWellFormed().replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, '')
