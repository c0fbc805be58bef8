/** Pages of the corpus taken apart: headings, anchors, and the plain words of a section. */
import MarkdownIt from 'markdown-it'

export interface Section {
  /** As GitHub makes it of the heading. */
  readonly anchor: string
  readonly title: string
  /** 1 for the page's own title. */
  readonly level: number
  /** Its own Markdown, heading included, without its subsections. */
  readonly own: string
  /** The same with its subsections. */
  readonly whole: string
  /** The lines of its own below the heading, without its blocks of code. */
  readonly prose: readonly string[]
}

export interface Page {
  /** Relative to the corpus: `guides/records.md`. */
  readonly path: string
  readonly title: string
  /** The first paragraph as plain text. */
  readonly summary: string
  readonly markdown: string
  /** In the order of the page; the first is the page's title. */
  readonly sections: readonly Section[]
}

interface Heading {
  readonly line: number
  readonly level: number
  readonly title: string
}

/** Headings below this level are of no section of their own. */
const deepest = 4

const blocks = new MarkdownIt('zero').enable(['heading', 'fence', 'code', 'blockquote', 'list', 'table'])

type Blocks = ReturnType<typeof blocks.parse>

function headingsOf(tokens: Blocks): Heading[] {
  return tokens.flatMap((token, index) => {
    const level = Number(token.tag.slice(1))
    // A heading inside a quotation or a list is no place of the page.
    if (token.type !== 'heading_open' || token.level > 0 || level > deepest || !token.map) return []
    return [{ line: token.map[0], level, title: plainText(tokens[index + 1]?.content ?? '') }]
  })
}

/** The lines of the blocks of code, which name many things and explain none. */
function codeLinesOf(tokens: Blocks): ReadonlySet<number> {
  const lines = new Set<number>()
  for (const { type, map } of tokens) if (type === 'fence' && map) for (let line = map[0]; line < map[1]; line++) lines.add(line)
  return lines
}

/** The anchor of a heading that no earlier heading of the page has. */
function anchorOf(title: string, taken: Set<string>): string {
  const base = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
  let anchor = base
  for (let again = 1; taken.has(anchor); again += 1) anchor = `${base}-${again}`
  taken.add(anchor)
  return anchor
}

/** Markdown without its marks: links by their words, tables as lines, code by its text. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/^\s*(```|~~~).*$/gm, '')
    .replace(/^\s*\|?[\s|:-]+\|[\s|:-]*$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*>\s?/gm, '')
    .replace(/\\\|/g, '\u0000')
    .replace(/^\s*\|(.*)\|\s*$/gm, (_line, cells: string) =>
      cells
        .split('|')
        .map((cell) => cell.trim())
        .filter(Boolean)
        .join(': '),
    )
    .replaceAll('\u0000', '|')
    .replace(/[`*]/g, '')
    .replace(/^#{1,6}\s+/gm, '')
    .replace(/[ \t]+/g, ' ')
    .trim()
}

/** Takes a page apart. Throws on one that does not begin with its title: nobody could find it. */
export function readPage(path: string, markdown: string): Page {
  const lines = markdown.split('\n')
  const tokens = blocks.parse(markdown, {})
  const headings = headingsOf(tokens)
  const code = codeLinesOf(tokens)
  const [first] = headings
  if (first?.level !== 1 || first.line !== 0) throw new Error(`${path} does not begin with a line "# Title"`)
  const taken = new Set<string>()
  const sections = headings.map((heading, index): Section => {
    const next = headings[index + 1]?.line ?? lines.length
    const end = headings.slice(index + 1).find(({ level }) => level <= heading.level)?.line ?? lines.length
    return {
      anchor: anchorOf(heading.title, taken),
      title: heading.title,
      level: heading.level,
      own: lines.slice(heading.line, next).join('\n').trim(),
      whole: lines.slice(heading.line, end).join('\n').trim(),
      prose: lines.slice(heading.line + 1, next).filter((_, index) => !code.has(heading.line + 1 + index)),
    }
  })
  const lead = lines.slice(1, headings[1]?.line ?? lines.length).join('\n')
  const summary = plainText(lead.trim().split(/\n\s*\n/)[0] ?? '').replaceAll('\n', ' ')
  return { path, title: first.title, summary, markdown, sections }
}
