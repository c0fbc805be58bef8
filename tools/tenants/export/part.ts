/** One archive of an export: filled until it is large enough, or has taken long enough, or nothing is left. */
import type { Archive, ArchivedFile } from '#tools/exports/service.ts'
import type { Services } from '#platform/services.ts'

import { linePath, manifestPath } from './paths.rules.ts'
import { type ExportOf, leftOut, readmeOf } from './readme.rules.ts'
import { type FileSource, isBefore, type LineSource, type SourceNumber, sourcesOf } from './sources.ts'

/** Where the next archive begins. */
export interface PartPlace {
  readonly source: SourceNumber
  /** Within the source; absent: at its beginning. */
  readonly after?: unknown
}

export interface Totals {
  readonly files: number
  readonly rows: number
  readonly sizeBytes: number
}

export interface PartRequest {
  readonly of: ExportOf
  /** From 1. */
  readonly part: number
  /** Absent: at the very beginning. */
  readonly from: PartPlace | undefined
  /** Of the archives before it. */
  readonly before: Totals
  readonly limits: PartLimits
  readonly signal: AbortSignal
  /** How many rows and files there are so far, now and then. */
  tell(done: number, note: string): Promise<void>
}

export interface PartLimits {
  readonly bytes: number
  readonly ms: number
  readonly files: number
}

export interface FilledPart {
  /** Undefined: nothing is left. */
  readonly next: PartPlace | undefined
  readonly totals: Totals
}

interface ManifestFile extends ArchivedFile {
  readonly rows?: number
}

const tellEveryMs = 3_000
/** What is copied at the least, from a store that is slow or busy: a file that may not be done in time begins an archive. */
const bytesPerMs = 10_000

async function* textOf(text: string): AsyncGenerator<string> {
  yield text
}

async function* manifestOf(head: object, files: readonly ManifestFile[]): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"files":[`
  for (const [index, file] of files.entries()) yield `${index === 0 ? '' : ','}\n${JSON.stringify(file)}`
  yield '\n]}\n'
}

/** Fills an archive, and says where the next one begins. */
export async function fillPart(services: Services, archive: Archive, request: PartRequest): Promise<FilledPart> {
  const { of, part, from, before, limits, signal } = request
  const { lines, files } = await sourcesOf(services, of.tenantId)
  const until = performance.now() + limits.ms
  const written: ManifestFile[] = []
  let rows = 0
  let toldAt = performance.now()
  const isFull = () => archive.writtenBytes() >= limits.bytes || performance.now() >= until || written.length >= limits.files
  // Each archive brings something, however little it may take.
  const isOver = () => written.length > 0 && isFull()
  const tellNow = async (name: string, more = 0) => {
    signal.throwIfAborted()
    if (performance.now() - toldAt < tellEveryMs) return
    toldAt = performance.now()
    await request.tell(before.rows + before.files + rows + more + written.length, name)
  }

  /** Where it was stopped; undefined: all of it is in. */
  async function addLines(source: LineSource, after: unknown): Promise<PartPlace | undefined> {
    let page = await source.page(after)
    while (page.lines.length === 0 && page.next !== undefined) page = await source.page(page.next)
    if (page.lines.length === 0) return undefined
    let own = 0
    let stoppedAt: PartPlace | undefined
    async function* content(): AsyncGenerator<string> {
      for (;;) {
        own += page.lines.length
        if (page.lines.length > 0) yield `${page.lines.join('\n')}\n`
        await tellNow(source.name, own)
        if (page.next === undefined) return
        if (isFull()) {
          stoppedAt = { source: source.number, after: page.next }
          return
        }
        page = await source.page(page.next)
      }
    }
    const file = await archive.add(linePath(source, part, after !== undefined), content(), { isPacked: false })
    const isRows = source.extension === 'jsonl'
    if (isRows) rows += own
    written.push(isRows ? { ...file, rows: own } : file)
    return stoppedAt
  }

  async function addFiles(source: FileSource, behind: unknown): Promise<PartPlace | undefined> {
    // A place was left here, and kept as JSON meanwhile.
    for (let after = behind as string | undefined; ;) {
      const listed = await source.list(after)
      if (listed.length === 0) return undefined
      for (const file of listed) {
        const endsAt = performance.now() + file.sizeBytes / bytesPerMs
        if (isOver() || (written.length > 0 && endsAt >= until)) return { source: source.number, after }
        await tellNow(file.path)
        const bytes = await file.open()
        // Whoever deletes a file while it is taken along does not fail the rest.
        if (bytes) written.push(await archive.add(file.path, bytes, { isPacked: true }))
        after = file.next
      }
    }
  }

  async function addAll(): Promise<PartPlace | undefined> {
    for (const source of lines) {
      if (from && isBefore(source.number, from.source)) continue
      const isHere = from !== undefined && !isBefore(from.source, source.number)
      if (isOver()) return { source: source.number }
      const stopped = await addLines(source, isHere ? from.after : undefined)
      if (stopped) return stopped
    }
    const isHere = from !== undefined && !isBefore(from.source, files.number)
    return addFiles(files, isHere ? from.after : undefined)
  }

  if (part === 1) await archive.add('README.md', textOf(readmeOf(of)), { isPacked: false })
  const next = await addAll()
  const totals = {
    files: before.files + written.length,
    rows: before.rows + rows,
    sizeBytes: before.sizeBytes + written.reduce((sum, file) => sum + file.sizeBytes, 0),
  }
  const isLast = next === undefined
  const head = { format: 'fieldloop-tenant-export', version: 1, tenant: of, part, isLast, ...(isLast ? { totals } : {}), leftOut }
  await archive.add(manifestPath(part), manifestOf(head, written), { isPacked: false })
  return { next, totals }
}
