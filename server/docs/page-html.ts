/** A page of the corpus as HTML: the Markdown that our pages are written in, and no more. What is not understood stays as text. */
import { dirname, join } from 'node:path/posix'

export interface CorpusPage {
  /** Relative to the corpus: `guides/records.md`. */
  readonly path: string
  readonly title: string
  readonly markdown: string
  /** The headings in their order, the page's title first. */
  readonly sections: readonly { readonly anchor: string; readonly title: string; readonly level: number }[]
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Where a link of a page leads on the server; undefined where nothing is served for it. */
function addressOf(from: string, target: string): string | undefined {
  if (/^https?:\/\//.test(target)) return target
  const [file = '', anchor] = target.split('#')
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (file === '') return hash
  const path = join(dirname(from), file)
  return path.endsWith('.md') && !path.startsWith('..') ? `/docs/${path.slice(0, -'.md'.length)}${hash}` : undefined
}

/** Words with their code, links and emphasis. */
function inline(text: string, from: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => {
      if (part.startsWith('`') && part.length > 1) return `<code>${escape(part.slice(1, -1))}</code>`
      return escape(part).replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    })
    .join('')
    .replace(/\[([^[\]]*)\]\(([^()\s]+)\)/g, (_link, words: string, target: string) => {
      const address = addressOf(from, target)
      return address === undefined ? words : `<a href="${address}">${words}</a>`
    })
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function tableHtml(lines: readonly string[], from: string): string {
  const [head = '', , ...rows] = lines
  const row = (line: string, tag: 'th' | 'td') =>
    `<tr>${cellsOf(line)
      .map((cell) => `<${tag}>${inline(cell, from)}</${tag}>`)
      .join('')}</tr>`
  return `<div class="table" tabindex="0"><table><thead>${row(head, 'th')}</thead><tbody>${rows.map((line) => row(line, 'td')).join('')}</tbody></table></div>`
}

function listHtml(lines: readonly string[], from: string): string {
  const tag = /^\d/.test(lines[0] ?? '') ? 'ol' : 'ul'
  const items: string[] = []
  for (const line of lines) {
    const item = /^(?:[-*]|\d+\.) +(.*)$/.exec(line)?.[1]
    if (item !== undefined) items.push(item)
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  return `<${tag}>${items.map((item) => `<li>${inline(item, from)}</li>`).join('')}</${tag}>`
}

function codeHtml(info: string, code: string): string {
  const tool = /^json ([a-z_]+)$/.exec(info)?.[1]
  const caption = tool === undefined ? '' : `<figcaption><code>${tool}</code></figcaption>`
  return `<figure>${caption}<pre tabindex="0"><code>${escape(code)}</code></pre></figure>`
}

/** The page's body, its title included, without a frame around it. */
export function pageHtml(page: CorpusPage): string {
  const lines = page.markdown.split('\n')
  const anchors = page.sections.map(({ anchor }) => anchor)
  const blocks: string[] = []
  const takeWhile = (from: number, fits: (line: string) => boolean) => {
    let end = from
    while (end < lines.length && fits(lines[end] ?? '')) end++
    return end
  }
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? ''
    const [, hashes, title] = /^(#{1,4}) +(.+?) *#*$/.exec(line) ?? []
    const [, fence, info = ''] = /^(```+)(.*)$/.exec(line) ?? []
    if (line.trim() === '') at++
    else if (hashes !== undefined && title !== undefined) {
      const level = hashes.length
      blocks.push(`<h${level} id="${escape(anchors.shift() ?? '')}">${inline(title, page.path)}</h${level}>`)
      at++
    } else if (fence !== undefined) {
      const end = takeWhile(at + 1, (next) => !next.startsWith(fence))
      blocks.push(codeHtml(info.trim(), lines.slice(at + 1, end).join('\n')))
      at = end + 1
    } else if (line.startsWith('|')) {
      const end = takeWhile(at, (next) => next.startsWith('|'))
      blocks.push(tableHtml(lines.slice(at, end), page.path))
      at = end
    } else if (/^(?:[-*]|\d+\.) /.test(line)) {
      const end = takeWhile(at, (next) => next.trim() !== '')
      blocks.push(listHtml(lines.slice(at, end), page.path))
      at = end
    } else {
      const end = takeWhile(at + 1, (next) => next.trim() !== '' && !/^(?:#{1,4} |```|\||[-*] |\d+\. )/.test(next))
      blocks.push(`<p>${inline(lines.slice(at, end).join(' '), page.path)}</p>`)
      at = end
    }
  }
  return blocks.join('\n')
}
