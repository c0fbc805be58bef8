/** Temporal's CLI, with the server in it, built from source by Go's module proxy. */
import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { sendSignal } from './processes.ts'
import { type FetchOptions, Unobtainable } from './temporal-download.ts'

/** Two slow cores under load took 12 minutes; the limit is for a build that hangs. */
const limitMs = 40 * 60_000
/** Go prints each module and package; so long without a word is a proxy that does not answer. */
const silenceLimitMs = 5 * 60_000
/** What one build of the pinned version prints, for telling how far it is. */
const modules = 170
const packages = 1300

const run = promisify(execFile)

const installGo = 'Install Go 1.25 or later'
const mendGo = 'Mend what Go says (it needs the module proxy that GOPROXY names, and 3.5 GB of disk while it builds)'

/** Builds the program; answers its path. Rejects with a sentence that ends in Go's own words, and with what to do. */
export async function buildTemporal(o: FetchOptions): Promise<string> {
  await checkGo(o.signal)
  o.onProgress(
    'building Temporal from source: 3 minutes on two idle cores, up to 12 on busy ones, and 3.5 GB of disk meanwhile; done once per user',
  )
  await install(o)
  return join(o.directory, 'temporal')
}

async function checkGo(signal: AbortSignal): Promise<void> {
  const asked = await run('go', ['env', 'GOVERSION', 'GOTOOLCHAIN'], { timeout: 20_000, signal }).catch(() => undefined)
  signal.throwIfAborted()
  if (!asked) throw new Unobtainable('Temporal cannot be built: there is no Go on PATH.', installGo)
  const [goVersion = '', toolchain = ''] = asked.stdout.split('\n')
  const minor = Number(/^go1\.(\d+)/.exec(goVersion)?.[1] ?? 0)
  // From 1.21 on, Go fetches the newer toolchain that a module asks for, unless it is told to stay local.
  if (minor < 21 || (minor < 25 && toolchain.startsWith('local'))) {
    const found = goVersion || 'of an unknown version'
    throw new Unobtainable(`Temporal cannot be built: Go on PATH is ${found}, and 1.25 is needed.`, installGo)
  }
}

function install(o: FetchOptions): Promise<void> {
  const args = ['install', '-v', '-ldflags=-s -w', `github.com/temporalio/cli/cmd/temporal@v${o.version}`]
  // CGO_ENABLED=0 spares a C compiler; GOOS and GOARCH would send the result elsewhere than GOBIN.
  const env = {
    ...process.env,
    GOBIN: o.directory,
    CGO_ENABLED: '0',
    GOOS: '',
    GOARCH: '',
    // Caches of its own, which go with the directory: in the user's, 3 GB of modules and objects would stay that nobody needs again. Without
    // modcacherw the modules could not be removed.
    GOFLAGS: '-trimpath -modcacherw',
    GOMODCACHE: join(o.directory, 'modules'),
    GOCACHE: join(o.directory, 'objects'),
  }
  return new Promise((resolve, reject) => {
    // A group of its own: Go's compilers must end with it.
    const child = spawn('go', args, { cwd: o.directory, env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
    let stopped: string | undefined
    const stop = (reason: string) => {
      stopped ??= reason
      if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL')
    }
    const onAbort = () => stop('it was interrupted')
    const onExit = () => stop('the process ended')
    const hardLimit = setTimeout(() => stop(`it took longer than ${limitMs / 60_000} minutes`), limitMs)
    const silence = setTimeout(() => stop(`Go was silent for ${silenceLimitMs / 60_000} minutes`), silenceLimitMs)
    o.signal.addEventListener('abort', onAbort, { once: true })
    process.once('exit', onExit)
    const progress = countLines(o.onProgress)
    let tail = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      silence.refresh()
      tail = (tail + text).slice(-2000)
      progress(text)
    })
    const finish = (problem: string | undefined) => {
      clearTimeout(hardLimit)
      clearTimeout(silence)
      o.signal.removeEventListener('abort', onAbort)
      process.off('exit', onExit)
      if (problem === undefined) return resolve()
      const lastWords = tail
        .trim()
        .split('\n')
        .filter((line) => !/^[\w./-]+$/.test(line))
        .slice(-3)
        .join(' ')
      return reject(new Unobtainable(`Temporal cannot be built: ${problem}.${lastWords ? ` Go says: ${lastWords}` : ''}`, mendGo))
    }
    child.once('error', (error) => finish(error.message))
    child.once('close', (code) => finish(stopped ?? (code === 0 ? undefined : `go install ended with code ${code}`)))
  })
}

/** Tells at most every five seconds how far Go is: it prints a line for each module fetched and each package compiled. */
function countLines(onProgress: (detail: string) => void): (text: string) => void {
  const start = performance.now()
  let toldAt = start
  let fetched = 0
  let compiled = 0
  let rest = ''
  return (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('go: downloading')) fetched += 1
      else if (!line.startsWith('go:')) compiled += 1
    }
    if (performance.now() - toldAt < 5_000) return
    toldAt = performance.now()
    const seconds = Math.round((toldAt - start) / 1000)
    const done = `${fetched} modules fetched (of at most ${modules}), ${compiled} packages compiled (of about ${packages})`
    onProgress(`building Temporal from source, done once per user: ${done}, ${seconds} s`)
  }
}
