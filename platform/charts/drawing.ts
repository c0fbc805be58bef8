/**
 * Draws charts in a process of its own: laying one out takes tenths of a second, which would hold up every other caller. The process starts with the first
 * chart, serves one after the other with a turn for each tenant, and ends when nothing is drawn for a while.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { childEnvironment } from '#platform/child-process.ts'
import { AppError } from '#platform/errors.ts'
import { createShares } from '#platform/shares.ts'

import type { DrawingAnswer, DrawingTask } from './child.ts'

const startMs = 30_000
const drawMs = 15_000
const idleMs = 60_000
const heapMiB = 256
/** What a process keeps of earlier charts goes with it. */
const chartsOfOne = 500

const turns = createShares({ capacity: 1, reserve: 0, waitMs: 20_000, waitingOfCaller: 20, waitingInAll: 200, what: 'drawing process' })

interface Drawer {
  readonly child: ChildProcess
  drawn: number
}

let drawer: Drawer | undefined
let idle: NodeJS.Timeout | undefined

const away = (cause: string) =>
  new AppError('unavailable', 'Charts cannot be drawn at the moment. Try again shortly.', {
    retryAfterSeconds: 10,
    cause: new Error(cause),
  })

export interface DrawingFor {
  /** Whose turn it takes: the tenant's. */
  readonly caller: string
  /** Of the user that runs the product: it keeps what is known of fonts. */
  readonly cacheDir: string
  readonly signal?: AbortSignal
}

/** The bytes of a chart. Throws AppError `unavailable`, `rate_limited` (the tenant itself has too many waiting), `timeout` (it takes too long to draw). */
export async function drawChart(task: DrawingTask, { caller, cacheDir, signal }: DrawingFor): Promise<Uint8Array> {
  const turn = await turns.take(caller, 1, signal)
  clearTimeout(idle)
  try {
    drawer ??= await startDrawer(cacheDir)
    const { child } = drawer
    drawer.drawn++
    child.send(task)
    const answer = await nextMessage(child, drawMs)
    if (answer === 'late') {
      const sentence = `Drawing the chart took longer than ${drawMs / 1000} seconds. Ask for fewer points or series, or a smaller picture.`
      throw new AppError('timeout', sentence, { retryAfterSeconds: 60 })
    }
    if (answer === 'died') throw away('The drawing process ended')
    // The child wrote it.
    const { bytes, said } = answer as Partial<{ bytes: Uint8Array; said: string }> & DrawingAnswer
    if (bytes === undefined) throw new Error(`A chart could not be drawn: ${said ?? ''}`)
    return bytes
  } catch (error) {
    endDrawer()
    throw error
  } finally {
    if (drawer && drawer.drawn >= chartsOfOne) endDrawer()
    idle = setTimeout(endDrawer, idleMs).unref()
    turn.release()
  }
}

function endDrawer(): void {
  drawer?.child.kill('SIGKILL')
  drawer = undefined
}

async function startDrawer(cacheDir: string): Promise<Drawer> {
  const child = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), [], {
    execArgv: [`--max-old-space-size=${heapMiB}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    env: { ...childEnvironment(), ...fontSettings(cacheDir), MALLOC_ARENA_MAX: '2' },
  })
  // Without a listener a failed send to a child that is going would end this process.
  child.on('error', () => {})
  // It holds up neither the end of the process nor of a test.
  child.unref()
  child.channel?.unref()
  if ((await nextMessage(child, startMs)) === 'ready') return { child, drawn: 0 }
  child.kill('SIGKILL')
  throw away('The drawing process did not start')
}

function nextMessage(child: ChildProcess, withinMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const end = (answer: unknown) => {
      clearTimeout(limit)
      child.off('message', end).off('exit', onExit)
      resolve(answer)
    }
    const onExit = () => end('died')
    const limit = setTimeout(() => end('late'), withinMs)
    child.once('message', end).once('exit', onExit)
    if (child.exitCode !== null || child.signalCode !== null) onExit()
  })
}

/** A server often has no fonts at all, and would paint boxes: those that come with a package are there beside the system's. */
function fontSettings(cacheDir: string): NodeJS.ProcessEnv {
  if (process.env['FONTCONFIG_FILE'] !== undefined) return {}
  const fonts = join(dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json')), 'standard_fonts')
  const folder = join(cacheDir, 'fonts')
  const file = join(folder, 'fonts.conf')
  const lines = [
    '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    `<fontconfig><dir>${fonts}</dir><include ignore_missing="yes">/etc/fonts/fonts.conf</include><cachedir>${folder}</cachedir></fontconfig>`,
  ]
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, lines.join('\n'))
    return { FONTCONFIG_FILE: file }
  } catch {
    // A cache that cannot be written leaves the system's fonts.
    return {}
  }
}
