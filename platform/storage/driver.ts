/** What every store of files can do. Drivers differ behind it; paths are checked in front of it, once. */
import type { Readable } from 'node:stream'

export interface StoredFile {
  readonly path: string
  readonly sizeBytes: number
  /** ISO 8601 UTC. */
  readonly modifiedAt: string
  readonly etag?: string
}

export interface PutResult {
  readonly sizeBytes: number
  /** Lower-case hex. */
  readonly sha256: string
}

export interface StorageCapabilities {
  readonly canRange: boolean
  readonly canRename: boolean
  readonly canSign: boolean
  readonly canWrite: boolean
}

export interface StorageDriver {
  readonly capabilities: StorageCapabilities
  /** Writes the whole stream or nothing: a broken or too long stream leaves no file. Throws AppError `too_large` past `maxBytes`, `unavailable` on a full store. */
  put(path: string, content: Readable, options: { readonly maxBytes: number; readonly signal?: AbortSignal }): Promise<PutResult>
  /** The bytes, from `start` to `end` inclusive where given. Throws AppError `not_found`. */
  get(path: string, range?: { readonly start: number; readonly end: number }): Promise<Readable>
  stat(path: string): Promise<StoredFile | undefined>
  /** The paths of all files in a folder and below it, in no order, read as they are asked for. A folder that is not there has none. */
  walk(folder: string): AsyncIterable<string>
  copy(from: string, to: string): Promise<void>
  move(from: string, to: string): Promise<void>
  /** Absent files are no error. */
  delete(path: string): Promise<void>
  makeFolder(path: string): Promise<void>
  /** A local path for engines that read files; a driver without one copies to a temporary file and `release` removes it. */
  materialise(path: string): Promise<{ readonly filePath: string; release(): Promise<void> }>
  /** Writes, reads and deletes a probe. Throws AppError `unavailable` with what failed. */
  test(): Promise<void>
}

/**
 * The one check of every storage path: relative, of plain segments. Throws on what could leave the root (`..`, absolute, backslash, NUL, control
 * characters), since drivers and libraries were seen to let some of them through.
 */
export function checkStoragePath(path: string): string {
  const segments = path.split('/')
  const isPlain = segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..' && !/[\p{Cc}\\]/u.test(segment))
  if (!isPlain || path.length > 1000) throw new Error('A storage path must be relative and of plain segments')
  return path
}
