/** Vectors of a list of texts, computed once for each text and kept in the per-user cache. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

import { dimensions, type Embedder, type Embeddings } from '../embeddings/embedder.ts'

const batchSize = 8
const keyBytes = 20
const keptFiles = 4
const recordBytes = keyBytes + dimensions * Float32Array.BYTES_PER_ELEMENT

const keyOf = (text: string | Buffer) => createHash('sha256').update(text).digest().subarray(0, keyBytes)

export interface VectorsOptions {
  readonly texts: readonly string[]
  /** Of the list, in the name of its file. */
  readonly name: string
  readonly cacheDir: string
  readonly embedder: Embedder
}

/**
 * The vectors of all texts: from the cache where a text was computed before, else computed a few at a time and kept. A changed text costs that text
 * alone. Rejects where the model cannot be had.
 */
export async function vectorsOf({ texts, name, cacheDir, embedder }: VectorsOptions): Promise<Embeddings> {
  // Whose vectors they are is known once the model has been asked.
  const { model } = await embedder.embed([''])
  const keys = texts.map(keyOf)
  const folder = join(cacheDir, 'embeddings', model)
  const path = join(folder, `${name}-${keyOf(Buffer.concat(keys)).toString('hex')}.vectors`)
  const vectors = new Float32Array(texts.length * dimensions)
  let missing = [...keys.keys()]
  for (const file of [path, ...(await filesOf(folder, name))]) {
    if (missing.length === 0) break
    missing = fill(vectors, keys, missing, await readFile(file).catch(() => Buffer.alloc(0)))
    if (file === path && missing.length === 0) return { model, vectors }
  }
  for (let start = 0; start < missing.length; start += batchSize) {
    const places = missing.slice(start, start + batchSize)
    const made = await embedder.embed(places.map((place) => texts[place] ?? ''))
    if (made.model !== model) throw new Error('The sentence model changed while the texts were read.')
    for (const [index, place] of places.entries())
      vectors.set(made.vectors.subarray(index * dimensions, (index + 1) * dimensions), place * dimensions)
  }
  await keep(path, keys, vectors)
  const old = (await filesOf(folder, name)).slice(keptFiles)
  await Promise.all(old.map((file) => rm(file, { force: true })))
  return { model, vectors }
}

/** What was kept for lists of this name, the newest first. */
async function filesOf(folder: string, name: string): Promise<string[]> {
  const files = (await readdir(folder).catch(() => [])).filter((file) => file.startsWith(`${name}-`) && file.endsWith('.vectors'))
  const aged = await Promise.all(
    files.map(async (file) => ({ path: join(folder, file), at: (await stat(join(folder, file)).catch(() => undefined))?.mtimeMs ?? 0 })),
  )
  return aged.toSorted((a, b) => b.at - a.at).map(({ path }) => path)
}

/** Puts in what the kept records know of the missing, and answers the places of those that they do not. */
function fill(vectors: Float32Array, keys: readonly Buffer[], missing: readonly number[], kept: Buffer): number[] {
  const records = new Map<string, number>()
  const whole = kept.length % recordBytes === 0 ? kept.length : 0
  for (let at = 0; at < whole; at += recordBytes) records.set(kept.toString('latin1', at, at + keyBytes), at)
  return missing.filter((place) => {
    const at = records.get(keys[place]?.toString('latin1') ?? '')
    if (at === undefined) return true
    const start = kept.byteOffset + at + keyBytes
    vectors.set(new Float32Array(kept.buffer.slice(start, start + recordBytes - keyBytes)), place * dimensions)
    return false
  })
}

async function keep(path: string, keys: readonly Buffer[], vectors: Float32Array): Promise<void> {
  const records: Buffer[] = []
  for (const [place, key] of keys.entries()) {
    records.push(key, Buffer.from(vectors.buffer, place * dimensions * 4, dimensions * 4))
    if (place % 1_000 === 999) await setImmediate()
  }
  await mkdir(dirname(path), { recursive: true })
  // Written aside first: another process must never read half a file.
  const aside = join(dirname(path), `.${randomUUID()}`)
  await writeFile(aside, Buffer.concat(records))
  await rename(aside, path)
}
