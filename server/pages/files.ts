/** The files that the pages load: style and script as they stand in server/web, under an address that changes with any of them and may be kept for ever. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../web/', import.meta.url)
const types: Readonly<Record<string, string>> = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

export interface PageFile {
  readonly bytes: Buffer
  readonly type: string
}

/** By their names; what is of another kind is not for browsers. */
export const pageFiles: ReadonlyMap<string, PageFile> = new Map(
  readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const type = types[name.split('.').at(-1) ?? '']
      return type === undefined ? [] : [[name, { bytes: readFileSync(new URL(name, folder)), type }]]
    }),
)

const digest = createHash('sha256')
for (const [name, { bytes }] of pageFiles) digest.update(`${name}\n`).update(bytes)
/** Of all of them: a script finds its neighbours beside it. */
export const edition = digest.digest('hex').slice(0, 12)

export function addressOf(name: string): string {
  if (!pageFiles.has(name)) throw new Error(`There is no file ${name} in server/web`)
  return `/web/${edition}/${name}`
}
