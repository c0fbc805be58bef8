/** A whole product of its own, as processes: for the day's tests and its faults. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { freePort } from '../support/ports.ts'

const root = resolve(import.meta.dirname, '../..')

export interface Stack {
  readonly url: string
  readonly key: string
  readonly dataDir: string
  /** The server's process now. */
  readonly pid: number
  /** Resolves when `/readyz` answers 200 and, unless told otherwise, Temporal is up. */
  ready(options?: { needsTemporal?: boolean; limitMs?: number }): Promise<void>
  /** kill -9 of the server's process; embedded services may live on. */
  killServer(): Promise<void>
  /** Signals processes (kill -9 unless told) by what their command line holds, among those that use this stack's data. Answers how many. */
  killMatching(pattern: RegExp, signal?: NodeJS.Signals): Promise<number>
  start(): void
  /** Ends everything and removes the data. */
  stop(): Promise<void>
  /** What the server printed. */
  output(): string
}

async function commandLines(): Promise<{ pid: number; line: string }[]> {
  const { readdir, readFile } = await import('node:fs/promises')
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => ({
      pid,
      line: (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\u0000', ' '),
      environment: await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''),
    })),
  )
  return found
}

async function processesOf(dataDir: string): Promise<{ pid: number; line: string }[]> {
  const { readlink, readFile } = await import('node:fs/promises')
  const all = await commandLines()
  const own = await Promise.all(
    all.map(async (one) => {
      const environment = await readFile(`/proc/${one.pid}/environ`, 'utf8').catch(() => '')
      const folder = await readlink(`/proc/${one.pid}/cwd`).catch(() => '')
      return one.line.includes(dataDir) || environment.includes(dataDir) || folder.startsWith(dataDir) ? one : undefined
    }),
  )
  return own.filter((one) => one !== undefined)
}

/** Starts the product on a data directory and ports of its own. */
export async function openStack(env: Record<string, string> = {}): Promise<Stack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fieldloop-day-'))
  const [port, portalPort, mailPort] = [await freePort(), await freePort(), await freePort()]
  const key = `flk_day_${crypto.randomUUID()}`
  const url = `http://127.0.0.1:${port}`
  let printed = ''
  let child: ChildProcess | undefined

  function start(): void {
    child = spawn(process.execPath, [join(root, 'server/main.ts')], {
      cwd: root,
      env: {
        ...process.env,
        LOG_LEVEL: 'warn',
        DATA_DIR: dataDir,
        PORT: String(port),
        PORTAL_PORT: String(portalPort),
        MAIL_PORT: String(mailPort),
        BOOTSTRAP_API_KEY: key,
        PUBLIC_URL: url,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (printed += text))
  }

  async function readiness(): Promise<{ status: number; temporal: string }> {
    try {
      const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) })
      const body = (await response.json()) as { dependencies?: { temporal?: { state: string } } }
      return { status: response.status, temporal: body.dependencies?.temporal?.state ?? 'absent' }
    } catch {
      return { status: 0, temporal: 'down' }
    }
  }

  async function gone(process: ChildProcess | undefined): Promise<void> {
    if (!process || process.exitCode !== null || process.signalCode !== null) return
    await new Promise((done) => process.once('exit', done))
  }

  start()
  return {
    url,
    key,
    dataDir,
    get pid() {
      return child?.pid ?? 0
    },
    output: () => printed,
    start,
    async ready({ needsTemporal = true, limitMs = 240_000 } = {}) {
      const until = Date.now() + limitMs
      for (;;) {
        const { status, temporal } = await readiness()
        if (status === 200 && (!needsTemporal || temporal === 'up')) return
        if (child?.exitCode !== null && child?.exitCode !== undefined)
          throw new Error(`The server ended with ${child.exitCode}. It printed:\n${printed.slice(-4000)}`)
        if (Date.now() > until)
          throw new Error(
            `Not ready after ${limitMs / 1000} s (readyz ${status}, temporal ${temporal}). It printed:\n${printed.slice(-4000)}`,
          )
        await new Promise((next) => setTimeout(next, 100))
      }
    },
    async killServer() {
      child?.kill('SIGKILL')
      await gone(child)
    },
    async killMatching(pattern, signal = 'SIGKILL') {
      const own = (await processesOf(dataDir)).filter((one) => one.pid !== process.pid && pattern.test(one.line))
      for (const one of own) process.kill(one.pid, signal)
      return own.length
    },
    async stop() {
      child?.kill('SIGTERM')
      await Promise.race([gone(child), new Promise((next) => setTimeout(next, 45_000).unref())])
      for (const one of await processesOf(dataDir)) if (one.pid !== process.pid) process.kill(one.pid, 'SIGKILL')
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    },
  }
}
