/** The product as a process of its own, watched while it is sent what nobody should send: how long others wait, and what it costs in memory. */
import { spawn } from 'node:child_process'
import { Worker } from 'node:worker_threads'

import { until } from '#server/boot/processes.ts'

import type { LoopWatched } from './loop-watch.ts'
import { secretsKeyOfTests } from './names.ts'
import { freePort } from './ports.ts'
import type { Probed, ProbeRequest } from './probe-thread.ts'
import { openWorld, type TestTenant, type World } from './world.ts'

export interface Answer {
  readonly status: number
  readonly text: string
}

export interface Watched<T> {
  readonly result: T
  /** The longest time of the processor that the server's thread took without a turn for others. */
  readonly longestMs: number
  /** The worst answer of `/healthz` meanwhile, and how many there were. A busy machine delays them too. */
  readonly worstMs: number
  readonly answers: number
  readonly peakMiB: number
}

export interface WatchedServer {
  readonly url: string
  readonly world: World
  readonly tenant: TestTenant
  /** Sends a body as it is, as the first tenant's administrator. */
  post(path: string, body: string | Uint8Array, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Calls an operation of the first tenant inside the test's own process: to arrange. */
  call: World['call']
  watch<T>(work: () => Promise<T>): Promise<Watched<T>>
  /** Asks for `whoami` with a key from now on, without a pause. `take` answers how that went since it was taken last. */
  probeAs(key: string): { take(): Promise<Probed>; stop(): Promise<void> }
  stop(): Promise<void>
}

/** Starts the server over a database of its own. Without `withWorkers` jobs stay queued, and no Temporal is needed. */
export async function watchServer(
  options: { readonly withWorkers?: boolean; readonly env?: Record<string, string> } = {},
): Promise<WatchedServer> {
  const world = await openWorld()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(
    process.execPath,
    ['--import', './test/support/loop-watch.ts', 'server/main.ts', options.withWorkers ? 'all' : 'api'],
    {
      env: {
        ...process.env,
        LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
        HOST: '127.0.0.1',
        PORT: String(port),
        PORTAL_PORT: String(await freePort()),
        MAIL_PORT: String(await freePort()),
        DATA_DIR: world.config.dataDir,
        DATABASE_URL: world.urls.owner,
        DATABASE_APP_URL: world.urls.app,
        DATABASE_LOOKUP_URL: world.urls.lookup,
        SECRETS_KEY: secretsKeyOfTests.toString('base64'),
        CALLS_PER_MINUTE: '1000000',
        // Nothing listens there: an API process does without.
        ...(options.withWorkers ? {} : { TEMPORAL_ADDRESS: '127.0.0.1:1' }),
        ...options.env,
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const isReady = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200
  const isUp = await until(isReady, 240_000)
  if (!isUp) child.kill('SIGKILL')
  if (!isUp) throw new Error('The server did not become ready')
  const health = startProbe({ url: `${url}/healthz`, method: 'GET', headers: {} })
  const watched = () =>
    new Promise<LoopWatched>((resolve) => {
      // The child sends nothing else.
      child.once('message', (message) => resolve(message as LoopWatched))
      child.send('take')
    })
  return {
    url,
    world,
    tenant: world.tenant,
    call: world.call,
    async post(path, body, headers = {}) {
      const response = await fetch(url + path, {
        method: 'POST',
        // What fetch takes as a body, of which the type names only some.
        body: body as NonNullable<RequestInit['body']>,
        headers: { authorization: `Bearer ${world.tenant.key}`, 'content-type': 'application/json', ...headers },
      })
      return { status: response.status, text: await response.text() }
    },
    async watch(work) {
      await health.take()
      await watched()
      const result = await work()
      const { worstMs, answers } = await health.take()
      const { longestMs, residentMiB: peakMiB } = await watched()
      return { result, longestMs, worstMs: Math.round(worstMs), answers, peakMiB }
    },
    probeAs: (key) => startProbe({ url: `${url}/api/v1/schema/whoami`, method: 'POST', headers: { authorization: `Bearer ${key}` } }),
    async stop() {
      await health.stop()
      child.kill('SIGTERM')
      const kill = setTimeout(() => child.kill('SIGKILL'), 20_000)
      await ended
      clearTimeout(kill)
      await world.close()
    },
  }
}

function startProbe(workerData: ProbeRequest): ReturnType<WatchedServer['probeAs']> {
  const probe = new Worker(new URL('./probe-thread.ts', import.meta.url), { workerData })
  return {
    take: () =>
      new Promise<Probed>((resolve) => {
        probe.once('message', resolve)
        probe.postMessage('take')
      }),
    stop: () => probe.terminate().then(() => {}),
  }
}
