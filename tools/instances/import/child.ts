/**
 * The child process that reads one file: it parses what a stranger made, matches its columns, and hands the rows on in chunks. It knows no secret, and
 * can be killed at any time.
 */
import { writeSync } from 'node:fs'

import { liveInBackground } from '#platform/child-process.ts'
import { AppError } from '#platform/errors.ts'

import { readRows } from './file.ts'
import { planChunks } from './planning.ts'
import type { ChildRequest, ReadingEnd } from './reading.ts'
import { sentRows } from './sent-rows.rules.ts'
import { readSheetsOf } from './sheets.ts'

if (process.send === undefined) throw new Error('This file is started by reading.ts.')
liveInBackground()

const output = 1
const pauseMs = 5
const pause = new Int32Array(new SharedArrayBuffer(4))

/** Waits until the reader has taken it, and keeps the parsers waiting too: they push their rows, and would fill the memory with them. */
function write(line: string): void {
  const bytes = Buffer.from(`${line}\n`)
  let written = 0
  while (written < bytes.length) {
    try {
      written += writeSync(output, bytes, written)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
      Atomics.wait(pause, 0, 0, pauseMs)
    }
  }
}

function endOf(error: unknown): ReadingEnd {
  if (error instanceof AppError)
    return { end: 'refused', code: error.code, message: error.message, ...(error.issues ? { issues: error.issues } : {}) }
  // A text, a list or a table beyond what the engine holds.
  if (error instanceof RangeError && /^(Invalid|Array|Map|Set|Buffer|Cannot create)/.test(error.message)) return { end: 'memory' }
  return { end: 'broken', said: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

process.once('message', (request: ChildRequest) => {
  const read = async (): Promise<ReadingEnd> => {
    const file = process.stdin as AsyncIterable<Buffer>
    if ('sheets' in request) {
      for await (const part of readSheetsOf(file, request)) write(JSON.stringify(sentRows(part)))
      return { end: 'done' }
    }
    const { entity, mapping, skip, ...wish } = request
    const notes: string[] = []
    const rows = readRows(file, wish, (text) => void notes.push(text))
    for await (const line of planChunks(rows, { format: wish.format, entity, mapping, skip, notes })) write(line)
    return { end: 'done' }
  }
  void read()
    .catch(endOf)
    .then((end) => {
      write(JSON.stringify(end))
      process.exit(0)
    })
})
