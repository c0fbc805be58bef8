/** Decisions about files that need nothing but what was said of them. */
import type { Issue } from '#platform/errors.ts'
import { nearest, quoted } from '#platform/suggest.ts'

const subFolderTokens = ['{PrimaryEntity}', '{PrimaryExternalKey}']

/**
 * A name as it is kept and shown: without the folders that some browsers send, without characters that are not seen, at most 200
 * characters with the extension spared. It never becomes a path.
 */
export function shownFileName(given: string): string {
  const last = given.split(/[\\/]/).findLast((part) => part.trim() !== '') ?? ''
  const plain = last
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .normalize('NFC')
    .trim()
  if (plain === '' || plain === '.' || plain === '..') return 'file'
  const characters = Array.from(plain)
  if (characters.length <= 200) return plain
  const extension = extensionOfName(plain)
  const tail = extension === '' ? '' : `.${extension}`
  return characters.slice(0, 200 - tail.length).join('') + tail
}

/** The extension of a name in lower case, without its dot; empty where there is none that is one. */
export function extensionOfName(name: string): string {
  return /[^.]\.([a-z0-9]{1,12})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
}

/** What is wrong with a sub-folder. It is kept as text for the tokens in it, so only what is harmless in any store's path passes. */
export function findSubFolderIssues(subFolder: string): Issue[] {
  const path = '$.storageSubFolder'
  const issues: Issue[] = []
  for (const [token] of subFolder.matchAll(/\{[^}/]*\}?/g)) {
    if (subFolderTokens.includes(token)) continue
    const suggestion = nearest(token, subFolderTokens)
    issues.push({
      path,
      severity: 'error',
      message: `${quoted(token)} is no token. Allowed: ${subFolderTokens.join(', ')}.`,
      ...(suggestion === undefined ? {} : { suggestion }),
    })
  }
  const literal = subFolderTokens.reduce((text, token) => text.replaceAll(token, 'x'), subFolder)
  for (const segment of literal.split('/')) {
    if (/^[\p{L}\p{N} ._()-]+$/u.test(segment) && !/^\.+$/.test(segment) && segment === segment.trim()) continue
    if (/[{}]/.test(segment)) continue
    issues.push({
      path,
      severity: 'error',
      message: `${quoted(segment)} cannot be a folder. Use letters, digits, spaces and ._()- between single slashes, without one at either end.`,
    })
  }
  return issues
}

/** What the property of an upload asks of the file. */
export interface FileRules {
  readonly isSensitive: boolean
  /** Extensions without a dot; empty: every kind. */
  readonly allowedFileTypes: readonly string[]
}

const sameKind: readonly (readonly string[])[] = [
  ['jpg', 'jpeg', 'jpe', 'jfif'],
  ['tif', 'tiff'],
  ['htm', 'html'],
  ['heic', 'heif'],
  ['mpg', 'mpeg'],
  ['yml', 'yaml'],
]

/** Whether two extensions name one kind of file. */
export function isSameKind(one: string, other: string): boolean {
  return one === other || sameKind.some((kind) => kind.includes(one) && kind.includes(other))
}

/** Whether a file of this extension may be kept in a property with these allowed types. */
export function isAllowedType(extension: string, allowedFileTypes: readonly string[]): boolean {
  return (
    allowedFileTypes.length === 0 || allowedFileTypes.some((allowed) => isSameKind(extension, allowed.toLowerCase().replace(/^\./, '')))
  )
}

// Only what a browser shows without running anything of it.
const shownInPlace = new Set([
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'application/pdf',
  'text/plain',
])

/** Whether a browser may show the bytes in place. Pages, drawings with scripts and everything unknown are offered as files. */
export function isShownInPlace(mimeType: string): boolean {
  return shownInPlace.has(mimeType)
}
