/** What a value must not do to the text around it, for each kind of text. */
import type { Format } from './rendering.ts'

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** Everything that begins markup somewhere in a line, and what does so at its beginning alone: lists, headings, rules, indented code. */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/[\\`*_{}[\]()<>|~!&]/g, String.raw`\$&`)
    .replaceAll(/^[^\S\n]+/gm, ' ')
    .replaceAll(/^( ?)([-+=#:])/gm, String.raw`$1\$2`)
    .replaceAll(/^( ?\d{1,9})\./gm, String.raw`$1\.`)
}

export function escapeUrl(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Whether an address leads to a page, a mailbox or a phone, and runs nothing. A path of this host counts, another host's by two slashes does not. */
export function isSafeAddress(text: string): boolean {
  if (/^\/(?![/\\])/.test(text)) return !/[\s\p{Cc}]/u.test(text)
  return /^(?:https?:\/\/[^\s\p{Cc}]+|mailto:[^\s\p{Cc}]+|tel:[+\d().-]+)$/iu.test(text)
}

/** A whole address, with what would end it inside other texts encoded. */
export function encodeAddress(url: string): string {
  return url
    .toWellFormed()
    .replaceAll(/[\s"'<>\\^`{|}()[\]]/g, (one) =>
      encodeURIComponent(one) === one ? `%${one.charCodeAt(0).toString(16).toUpperCase()}` : encodeURIComponent(one),
    )
}

/** Whether what comes next in the text stands where an address stands: its beginning, or behind that. */
function addressPlace(before: string, format: Format): 'begin' | 'inside' | undefined {
  if (format === 'url') return before === '' ? 'begin' : 'inside'
  const line = before.slice(-2_000)
  if (format === 'markdown') return /\]\(<?$/.test(line) ? 'begin' : /\]\([^()\s]+$/.test(line) ? 'inside' : undefined
  if (format !== 'html') return undefined
  return /\b(?:href|src|action)\s*=\s*["']$/i.test(line)
    ? 'begin'
    : /\b(?:href|src|action)\s*=\s*["'][^"'<>]+$/i.test(line)
      ? 'inside'
      : undefined
}

/** A value's text as part of a text that so far reads `before`. */
export function escapeFor(format: Format, text: string, before: string): string {
  const place = addressPlace(before, format)
  if (place !== undefined) {
    const url = place === 'begin' && isSafeAddress(text) ? encodeAddress(text) : escapeUrl(text)
    return format === 'html' ? escapeHtml(url) : url
  }
  switch (format) {
    case 'html':
      return escapeHtml(text)
    case 'markdown':
      return escapeMarkdown(text)
    case 'url':
      return escapeUrl(text)
    case 'text':
      return text
  }
}

export function linkFor(format: Format, url: string, label: string): string {
  const address = encodeAddress(url)
  switch (format) {
    case 'html':
      return `<a href="${escapeHtml(address)}">${escapeHtml(label)}</a>`
    case 'markdown':
      return `[${escapeMarkdown(label)}](${address})`
    case 'url':
      return address
    case 'text':
      return label === url ? url : `${label} (${url})`
  }
}
