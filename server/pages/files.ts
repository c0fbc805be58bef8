/** The files that the pages load: style and script as they stand in server/web, under an address that changes with any of them and may be kept for ever. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const folder = new URL('../web/', import.meta.url)
const types: Readonly<Record<string, string>> = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

export interface PageFile {
  readonly bytes: Buffer
  /** By gzip, for whoever accepts it. */
  readonly compressed: Buffer
  readonly type: string
}

/** By their names; what is of another kind is not for browsers. */
export const pageFiles: ReadonlyMap<string, PageFile> = new Map(
  readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const type = types[name.split('.').at(-1) ?? '']
      if (type === undefined) return []
      const bytes = readFileSync(new URL(name, folder))
      return [[name, { bytes, compressed: gzipSync(bytes), type }]]
    }),
)

const digest = createHash('sha256')
for (const [name, { bytes }] of pageFiles) digest.update(`${name}\n`).update(bytes)
/** Of all of them: a script finds its neighbours beside it. */
export const edition = digest.digest('hex').slice(0, 12)

/** The file as it travels to whoever accepts this: named by its content, so it may be kept for ever. */
export function sentFile(
  { bytes, compressed, type }: PageFile,
  acceptEncoding: string,
): { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer } {
  const isCompressed = /\bgzip\b/.test(acceptEncoding)
  const headers = { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' }
  return isCompressed ? { headers: { ...headers, 'content-encoding': 'gzip' }, body: compressed } : { headers, body: bytes }
}

export function addressOf(name: string): string {
  if (!pageFiles.has(name)) throw new Error(`There is no file ${name} in server/web`)
  return `/web/${edition}/${name}`
}
