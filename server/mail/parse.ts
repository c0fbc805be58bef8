/** A mail as its reader sees it. */
import { decodeHTMLStrict } from 'entities'
import PostalMime, { type Email } from 'postal-mime'

export interface ParsedMail {
  readonly from: string
  readonly subject: string
  readonly text: string
  /** Made up from the bytes where the sender gave none, so that the same mail twice still has the same. */
  readonly messageId: string
  readonly attachments: readonly { readonly fileName: string; readonly mimeType: string; readonly bytes: Uint8Array }[]
  /** Written by a machine: an absence note, a bounce, a list. */
  readonly isAutomatic: boolean
}

const notText: ReadonlySet<string> = new Set(['style', 'script', 'head', 'title'])
const unseen: ReadonlySet<string> = new Set([...notText, 'blockquote'])
const breaking: ReadonlySet<string> = new Set(['br', 'p', 'div', 'tr', 'li', 'ul', 'ol', 'table', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

/**
 * The text of mail that has no text part, without quoted messages, which stand in a blockquote. One pass over the input: what strangers send must
 * not be able to make this slow.
 */
export function textOfHtml(html: string): string {
  const written = visibleText(html, unseen)
  // A program that wraps the whole mail in a quotation, or leaves one open, has still sent what its user wrote.
  return written === '' ? visibleText(html, notText) : written
}

function visibleText(html: string, left: ReadonlySet<string>): string {
  const parts: string[] = []
  let hidden: string | undefined
  let depth = 0
  for (let at = 0; at < html.length;) {
    const open = html.indexOf('<', at)
    const close = open < 0 ? -1 : html.indexOf('>', open)
    if (close < 0) {
      if (hidden === undefined) parts.push(html.slice(at))
      break
    }
    if (hidden === undefined) parts.push(html.slice(at, open))
    const tag = /^<(\/?)([a-z][a-z0-9]{0,15})/i.exec(html.slice(open, open + 20))
    const name = tag?.[2]?.toLowerCase() ?? ''
    const isEnd = tag?.[1] === '/'
    if (hidden === name) depth += isEnd ? -1 : 1
    if (hidden !== undefined && depth === 0) hidden = undefined
    else if (hidden === undefined && !isEnd && left.has(name)) {
      hidden = name
      depth = 1
    }
    if (hidden === undefined && breaking.has(name)) parts.push('\n')
    at = close + 1
  }
  return readable(decodeHTMLStrict(parts.join('')))
    .split('\n')
    .map((line) => line.replaceAll(/[ \t\r]+/g, ' ').trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

/** Without what only sets text: spaces of another width are spaces, and nobody sees a soft hyphen. */
const readable = (text: string) => text.replaceAll(/[\u00a0\u2002\u2003\u2009]/g, ' ').replaceAll('\u00ad', '')

// What lists, absence notes and bounces are marked with, beside Auto-Submitted and Precedence.
const signs: ReadonlySet<string> = new Set(['list-id', 'x-autoreply', 'x-auto-reply', 'x-autorespond', 'x-failed-recipients'])
const automatic = /^(?:bulk|junk|list|auto_reply)$/i

function isAutomatic(mail: Email): boolean {
  // The subject of our unsubscribe link: a program may have written it, but a person has clicked.
  if (/^\s*stop\s*$/i.test(mail.subject ?? '')) return false
  const header = (name: string) => mail.headers.find((one) => one.key === name)?.value.trim()
  const submitted = header('auto-submitted')
  return (
    (submitted !== undefined && !/^no\b/i.test(submitted)) ||
    mail.headers.some((one) => signs.has(one.key)) ||
    /^mailer-daemon@/i.test(mail.from?.address ?? '') ||
    automatic.test(header('precedence') ?? '') ||
    // A report of a delivery, which not every server sends from the null address.
    /^multipart\/report\b/i.test(header('content-type') ?? '')
  )
}

function bytesOf(content: ArrayBuffer | Uint8Array | string): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : content instanceof Uint8Array ? content : new Uint8Array(content)
}

/** Without what no text of ours can hold: a mail server sends a mail again and again, but never another one, because a character of it was refused. */
const clean = (text: string) => text.replaceAll('\u0000', '').toWellFormed()

const mostAttachments = 20
const mostHtml = 2_000_000

/** Throws what the parser throws at something that is no mail. `digest` stands in for a Message-ID that is missing. */
export async function parseMail(mail: Uint8Array, digest: string): Promise<ParsedMail> {
  const parsed = await PostalMime.parse(mail, { maxNestingDepth: 50 })
  const text = parsed.text?.trim() ? parsed.text : textOfHtml((parsed.html ?? '').slice(0, mostHtml))
  return {
    from: clean(parsed.from?.address ?? ''),
    subject: clean(parsed.subject ?? ''),
    text: clean(text.slice(0, mostHtml)),
    messageId: clean(parsed.messageId ?? '').slice(0, 998) || `<${digest}@none>`,
    attachments: parsed.attachments
      // Pictures that only decorate the text are not what somebody sent.
      .filter((one) => one.related !== true)
      .slice(0, mostAttachments)
      .map((one, index) => ({
        fileName: clean(one.filename ?? '') || `attachment-${index + 1}`,
        mimeType: clean(one.mimeType),
        bytes: bytesOf(one.content),
      })),
    isAutomatic: isAutomatic(parsed),
  }
}
