/**
 * Mails out of text and a few blocks of ours: paragraphs, `# headings`, `- lists` and `[button: label](address)`. Whatever else stands there is text: no
 * markup of anybody's comes through, and nothing is fetched by whoever reads it. Values are put in once, and never looked through again.
 */
import type { Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { nearest, quoted } from '#platform/suggest.ts'

import type { MailText, MailValues, TemplateType } from './mails.schema.ts'

const always = ['tenant', 'recipient'] as const
const about = ['title', 'text', 'link'] as const

/** What a mail of this type may name. */
export function variablesOf(type: TemplateType): readonly string[] {
  if (type === 'secondFactor') return [...always, 'text']
  return type === 'welcome' || type === 'invitation' || type === 'passwordReset' ? [...always, 'link'] : [...always, ...about]
}

const variable = /\[\[\s*([^\][]{1,100}?)\s*\]\]/g
const button = /^\[button:\s*([^\][\n]{1,100})\]\((\S{1,2000})\)$/
const mustHaveLink: readonly TemplateType[] = ['invitation', 'passwordReset']

/** The words with a variable behind them, where they do not name it. */
export function saying(text: MailText, name: string): MailText {
  const isNamed = [...text.body.matchAll(variable)].some(([, found]) => found === name)
  return isNamed ? text : { ...text, body: `${text.body}\n\n[[${name}]]` }
}

/** What is wrong with a template, or with a mail that is of no type. */
export function findTemplateIssues(type: TemplateType | undefined, { subject, body }: MailText): Issue[] {
  const known = type === undefined ? always : variablesOf(type)
  const what = type ?? 'this mail'
  const issues: Issue[] = []
  for (const [path, text] of [
    ['$.subject', subject],
    ['$.body', body],
  ] as const) {
    for (const [, name = ''] of text.matchAll(variable)) {
      if (known.includes(name)) continue
      issues.push(
        finding(path, `${quoted(name)} is no variable of ${what}. There are ${known.join(', ')}.`, { suggestion: nearest(name, known) }),
      )
    }
  }
  if (/!\[[^\]]*\]\(|<img\b/i.test(body))
    issues.push(finding('$.body', 'A mail has no images: nothing is fetched by whoever reads it. Leave them out.'))
  if (subject.includes('[[link]]')) issues.push(finding('$.subject', 'A link stands in the body alone.'))
  if (type !== undefined && mustHaveLink.includes(type) && !/\[\[\s*link\s*\]\]/.test(body))
    issues.push(finding('$.body', `A mail of the type ${type} needs [[link]].`))
  for (const line of body.split('\n')) {
    const [, , address] = button.exec(line.trim()) ?? []
    if (address !== undefined && !/^\[\[\s*link\s*\]\]$/.test(address) && !/^https?:\/\/[^\s"<>[\]]+$/.test(address))
      issues.push(finding('$.body', 'A button leads to [[link]] or to an address of http or https.'))
  }
  return issues.slice(0, 20)
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
// A subject is one line of a header.
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()

function filled(text: string, values: MailValues, show: (value: string) => string): string {
  let done = ''
  let at = 0
  for (const match of text.matchAll(variable)) {
    done += show(text.slice(at, match.index)) + show((Object.hasOwn(values, match[1] ?? '') && values[match[1] ?? '']) || '')
    at = match.index + match[0].length
  }
  return done + show(text.slice(at))
}

const lines = (html: string) => html.replaceAll('\n', '<br>')

function blockHtml(block: string, values: MailValues, accent: string): string {
  const [, label, address] = button.exec(block) ?? []
  if (label !== undefined && address !== undefined) {
    const href = filled(address, values, escaped)
    const style = `display:inline-block;padding:12px 20px;border-radius:8px;background:${accent};color:#ffffff;text-decoration:none`
    return /^https?:/.test(href) ? `<p><a href="${href}" style="${style}">${filled(label, values, escaped)}</a></p>` : ''
  }
  if (block.startsWith('# ')) return `<h1 style="font-size:20px">${filled(block.slice(2), values, escaped)}</h1>`
  const items = block.split('\n')
  if (items.every((item) => item.startsWith('- ')))
    return `<ul>${items.map((item) => `<li>${filled(item.slice(2), values, escaped)}</li>`).join('')}</ul>`
  return `<p>${lines(filled(block, values, escaped))}</p>`
}

function blockText(block: string, values: MailValues): string {
  const [, label, address] = button.exec(block) ?? []
  const as = (text: string) => filled(text, values, (value) => value)
  // As in HTML: without an address there is nothing to press.
  if (label !== undefined && address !== undefined) return /^https?:/.test(as(address)) ? `${as(label)}:\n${as(address)}` : ''
  return as(block.startsWith('# ') ? block.slice(2) : block)
}

export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** `accent`: a colour that white can be read on. */
export function renderMail(template: MailText, values: MailValues, accent = '#17624a'): RenderedMail {
  const blocks = template.body
    .replaceAll('\r\n', '\n')
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter(Boolean)
  const inner = blocks.map((block) => blockHtml(block, values, accent)).join('\n')
  return {
    subject: oneLine(filled(template.subject, values, (value) => value)).slice(0, 200),
    text: blocks
      .map((block) => blockText(block, values))
      .filter(Boolean)
      .join('\n\n'),
    html: `<!doctype html>\n<html><body style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;color:#1b2420;max-width:600px">\n${inner}\n</body></html>`,
  }
}
