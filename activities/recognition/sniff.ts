/** What a file is, by its bytes. The name and the stated type only help to tell kinds of text apart and to name what cannot be read. */
import { open } from 'node:fs/promises'
import { extname } from 'node:path'

import { fileTypeFromFile } from 'file-type'

/** `image`: sharp decodes it. `heif`: HEIC or AVIF, which of them only the decoder tells. `other`: cannot be read; `noun` says what it is. */
export type FileKind =
  | { readonly kind: 'image'; readonly mimeType: string }
  | { readonly kind: 'heif'; readonly mimeType: string }
  | { readonly kind: 'svg' }
  | { readonly kind: 'pdf' }
  | { readonly kind: 'text'; readonly mimeType: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'other'; readonly mimeType: string; readonly noun: string }

const decodable = new Set(['image/jpeg', 'image/png', 'image/apng', 'image/webp', 'image/gif', 'image/tiff'])
const heif = new Set(['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence', 'image/avif'])

/** The first entry that the type starts with names it. */
const nouns: readonly (readonly [prefix: string, noun: string])[] = [
  ['video/', 'a video'],
  ['audio/', 'a sound recording'],
  ['application/ogg', 'a recording'],
  ['font/', 'a font'],
  ['model/', 'a 3D model'],
  ['image/', 'a picture in a format that is not supported'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml', 'a spreadsheet'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'a spreadsheet'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml', 'a word-processor document'],
  ['application/vnd.oasis.opendocument.text', 'a word-processor document'],
  ['application/vnd.openxmlformats-officedocument.presentationml', 'a presentation'],
  ['application/vnd.oasis.opendocument.presentation', 'a presentation'],
  ['application/x-cfb', 'an old Office document'],
  ['application/rtf', 'a word-processor document'],
  ['application/epub+zip', 'an electronic book'],
  ['application/zip', 'an archive'],
  ['application/gzip', 'an archive'],
  ['application/x-', 'a file of a kind without pictures or text to recognise'],
]

const textByExtension: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.tsv': 'text/tab-separated-values',
  '.json': 'application/json',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xml': 'application/xml',
  '.md': 'text/markdown',
}

const headBytes = 16 * 1024
const svgRoot = /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*|<!DOCTYPE[^>[]*(?:\[[^\]]*\])?[^>]*>\s*)*<(?:[\w-]+:)?svg[\s/>]/i
const htmlRoot = /^\uFEFF?\s*(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body)[\s>]/i

/** Reads the first bytes of the file. Throws what the file system throws. */
export async function sniffFile(
  filePath: string,
  hints: { readonly fileName?: string | undefined; readonly mimeType?: string | undefined } = {},
): Promise<FileKind> {
  const head = await readHead(filePath)
  if (head.length === 0) return { kind: 'empty' }
  // The file was opened a moment ago: what is thrown now is about a header that contradicts itself.
  const found = (await fileTypeFromFile(filePath).catch(() => undefined))?.mime
  // An SVG is recognised by its root element alone: with an XML declaration it passes for any other XML.
  if (found === undefined || found === 'application/xml') {
    const text = decodeText(head)
    if (text !== undefined) return kindOfText(text, hints.fileName)
  }
  if (found === undefined)
    return { kind: 'other', mimeType: hints.mimeType ?? 'application/octet-stream', noun: 'a file of an unknown kind' }
  if (decodable.has(found)) return { kind: 'image', mimeType: found }
  if (heif.has(found)) return { kind: 'heif', mimeType: found }
  if (found === 'application/pdf') return { kind: 'pdf' }
  const noun = nouns.find(([prefix]) => found.startsWith(prefix))?.[1] ?? 'a file of a kind without pictures or text to recognise'
  return { kind: 'other', mimeType: found, noun }
}

function kindOfText(text: string, fileName: string | undefined): FileKind {
  if (svgRoot.test(text)) return { kind: 'svg' }
  if (htmlRoot.test(text)) return { kind: 'text', mimeType: 'text/html' }
  return { kind: 'text', mimeType: textByExtension[extname(fileName ?? '').toLowerCase()] ?? 'text/plain' }
}

async function readHead(filePath: string): Promise<Buffer> {
  const file = await open(filePath)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The text, or undefined for what is not UTF-8 (or UTF-16 with its mark). `stream` forgives a character that the head cuts in two. */
function decodeText(head: Buffer): string | undefined {
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  if (!isUtf16 && head.includes(0)) return undefined
  try {
    const encoding = isUtf16 ? (head[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8'
    return new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true })
  } catch {
    return undefined
  }
}
