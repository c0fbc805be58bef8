/** What a file is, by its first bytes; its name and the uploader's word only tell kinds of text apart. */
import { fileTypeFromBuffer } from 'file-type'

import { extensionOfName, isSameKind } from './assets.rules.ts'

/** How many bytes of the beginning are looked at: enough for the directory of most Office documents. */
export const headBytes = 64 * 1024

export interface ContentType {
  readonly mimeType: string
  /** Without a dot. */
  readonly extension: string
}

const textTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json',
  geojson: 'application/geo+json',
  md: 'text/markdown',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  ics: 'text/calendar',
  vcf: 'text/vcard',
  txt: 'text/plain',
  log: 'text/plain',
}

// Containers whose beginning does not always tell what is in them: there the name has the last word.
const containers = new Set(['application/zip', 'application/x-cfb', 'application/gzip', 'application/xml', 'application/octet-stream'])

// These say in their first bytes what they are, so a file that is merely called so is not one.
const provable = new Set(
  'jpg jpeg jpe jfif png apng gif webp avif heic heif bmp tif tiff pdf mp4 mov avi mkv webm mp3 wav ogg flac'.split(' '),
)

// Formats that may be text from their first byte to their last. The others that begin with letters ("BM" is a picture) hold bytes that no text has.
const writtenAsText = new Set(['application/pdf', 'application/postscript', 'application/eps', 'application/rtf'])

const svgRoot = /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*|<!DOCTYPE[^>[]*(?:\[[^\]]*\])?[^>]*>\s*)*<(?:[\w-]+:)?svg[\s/>]/i
const htmlTag = /<(?:!doctype\s+html|html|head|body|script|iframe|title|table|div|meta|a\s|p>|h1|br)/i

/** The type of a file that begins with `head`. */
export async function detectContentType(head: Buffer, name: string, declared?: string): Promise<ContentType> {
  const said = extensionOfName(name)
  const nameExtension = provable.has(said) ? '' : said
  const sniffed = await fileTypeFromBuffer(head).catch(() => undefined)
  const text = decodeText(head)
  // A column may be called BMail.
  const isMisread =
    sniffed && text !== undefined && said in textTypes && sniffed.mime !== 'application/xml' && !writtenAsText.has(sniffed.mime)
  const found = isMisread ? undefined : sniffed
  // An SVG with an XML declaration passes for any other XML.
  if (found && found.mime !== 'application/xml') {
    const isCalledSo = said !== '' && isSameKind(said, found.ext)
    const keepsName = nameExtension !== '' && containers.has(found.mime)
    return { mimeType: found.mime, extension: isCalledSo || keepsName ? said : found.ext }
  }
  if (text === undefined) return { mimeType: 'application/octet-stream', extension: nameExtension }
  return typeOfText(text, nameExtension, found !== undefined, declared)
}

function typeOfText(text: string, nameExtension: string, isXml: boolean, declared: string | undefined): ContentType {
  if (svgRoot.test(text)) return { mimeType: 'image/svg+xml', extension: 'svg' }
  const byName = textTypes[nameExtension]
  // As a browser would guess: markup near the beginning makes a page, whatever the file is called.
  if (/^\uFEFF?\s*</.test(text) && htmlTag.test(text.slice(0, 1024)) && !isXml)
    return { mimeType: 'text/html', extension: nameExtension === 'htm' ? 'htm' : 'html' }
  if (isXml) return { mimeType: 'application/xml', extension: nameExtension || 'xml' }
  if (byName !== undefined) return { mimeType: byName, extension: nameExtension }
  const said = declared?.split(';', 1)[0]?.trim().toLowerCase()
  const bySaid = Object.entries(textTypes).find(([, type]) => type === said)
  if (bySaid && nameExtension === '') return { mimeType: bySaid[1], extension: bySaid[0] }
  return { mimeType: 'text/plain', extension: nameExtension || 'txt' }
}

/** The text, or undefined for what is not UTF-8 (or UTF-16 with its mark). An empty file is text. `stream` forgives a character cut in two. */
function decodeText(head: Buffer): string | undefined {
  const mark = head.length >= 2 ? head.readUInt16BE(0) : 0
  const encoding = mark === 0xff_fe ? 'utf-16le' : mark === 0xfe_ff ? 'utf-16be' : 'utf-8'
  if (encoding === 'utf-8' && head.includes(0)) return undefined
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(head, { stream: true })
  } catch {
    return undefined
  }
}
