/** A Redis server of its own for a test, which may be killed, held still and started again on the same port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { inject } from 'vitest'

import { patience } from './patience.ts'
import { freePort } from './ports.ts'

const program = inject('redisServer')
/** False where none could be had; the run's end then says so. */
export const hasRedis = program !== ''

export interface TestRedis {
  readonly url: string
  /** Resolves when it answers. Nothing is running before the first call. */
  start(): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** kill -9. */
  kill(): Promise<void>
  /** One command from outside, such as `pubsub numsub fieldloop_wake`; answers the reply as it stands on the wire. */
  ask(command: string): Promise<string>
  close(): Promise<void>
}

export async function openRedisServer(): Promise<TestRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'fieldloop-redis-'))
  const port = await freePort()
  let child: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()

  function ask(command: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.end(`${command}\r\n`))
      let reply = ''
      socket.setEncoding('utf8').on('data', (text: string) => (reply += text))
      socket.setTimeout(2_000, () => socket.destroy(new Error('Redis does not answer')))
      socket.on('error', reject)
      socket.on('end', () => resolve(reply.trim()))
    })
  }

  async function kill(): Promise<void> {
    child?.kill('SIGKILL')
    await ended
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    ask,
    kill,
    async start() {
      const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory]
      const started = spawn(program, args, { stdio: 'ignore' })
      child = started
      ended = new Promise((resolve) => started.once('exit', resolve))
      const until = Date.now() + patience.timeout
      while ((await ask('ping').catch(() => '')) !== '+PONG') {
        if (Date.now() > until || started.exitCode !== null) throw new Error('redis-server did not start')
        await new Promise((next) => setTimeout(next, 20))
      }
    },
    signal: (signal) => void child?.kill(signal),
    async close() {
      await kill()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
