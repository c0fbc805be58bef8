/** Decisions about files that need nothing but what was said of them. */
import type { Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
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
    issues.push(finding(path, `${quoted(token)} is no token. Allowed: ${subFolderTokens.join(', ')}.`, { suggestion }))
  }
  if (Buffer.byteLength(subFolder) > 300) issues.push(finding(path, 'A sub-folder has at most 300 bytes in UTF-8.'))
  const literal = subFolderTokens.reduce((text, token) => text.replaceAll(token, 'x'), subFolder)
  for (const segment of literal.split('/')) {
    if (/[{}]/.test(segment)) continue
    if (/^[\p{L}\p{N}\p{M} ._()-]+$/u.test(segment) && !isUnsafeFolder(segment)) continue
    issues.push(
      finding(
        path,
        `${quoted(segment)} cannot be a folder. Use letters, digits, spaces and ._()- between single slashes, without one at either end, at most 100 characters each; not beginning with a dot or a space, not ending with one, and none of the names that Windows keeps for devices (CON, NUL, COM1).`,
      ),
    )
  }
  return issues
}

/** Names that some store hides, cuts or takes for something else: hidden folders, ends that Windows drops, its devices. */
function isUnsafeFolder(segment: string): boolean {
  return /^[. ]|[. ]$/.test(segment) || segment.length > 100 || /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(segment)
}

// What runs when somebody opens it, whatever is in it.
const programs = new Set('exe com scr pif bat cmd msi msp cpl hta vbs vbe js jse wsf wsh ps1 lnk reg jar app dll sys'.split(' '))

/**
 * What is wrong with a name that makes a program of what its bytes say is something else (`photo.png.exe`), or hides one. Undefined where nothing is:
 * of other kinds the bytes decide, whatever the name says.
 */
export function findDisguise(fileName: string, type: { readonly mimeType: string; readonly extension: string }): string | undefined {
  const said = extensionOfName(fileName)
  const isCalledProgram = programs.has(said)
  if (said === '' || isSameKind(said, type.extension) || isCalledProgram === programs.has(type.extension)) return undefined
  const remedy = type.extension === '' ? 'Give it the extension of what it is.' : `Give it the extension of what it is, .${type.extension}.`
  return `The file is called .${said}${isCalledProgram ? ', which is a program' : ''}, and by its bytes it is ${type.mimeType}. ${remedy}`
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
