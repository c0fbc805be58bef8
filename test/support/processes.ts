/** The product as several processes without containers: the commands and settings of docker-compose.yml, on services that are given. */
import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'

import { product } from './compose.ts'
import { freePort } from './ports.ts'

const root = resolve(import.meta.dirname, '../..')

export interface ProductProcess {
  readonly name: string
  readonly mode: string
  readonly url: string
  start(...options: readonly string[]): void
  /** kill -9. */
  kill(): Promise<void>
  /** What `/readyz` says of each dependency; empty where nothing answers. */
  states(): Promise<Record<string, string>>
  output(): string
}

/** Each service of docker-compose.yml that runs our code, not started yet. `env` overrides what compose gives; ports are free ones. */
export async function composeProcesses(env: Record<string, string>): Promise<ProductProcess[]> {
  return Promise.all(
    product.map(async ([name, service]) => {
      const own = { PORT: String(await freePort()), PORTAL_PORT: String(await freePort()), MAIL_PORT: String(await freePort()) }
      const settings: Record<string, string> = { ...service.environment, HOST: '127.0.0.1', ...own, ...env }
      const open = Object.entries(settings).filter(([setting, value]) => value.includes('${') && !(setting in env))
      // A default of compose that is empty counts as absent, as it does there.
      for (const [setting, value] of open) settings[setting] = /:-([^}]*)\}$/.exec(value)?.[1] ?? ''
      const url = `http://127.0.0.1:${own.PORT}`
      const [, program = '', mode = ''] = service.command ?? []
      let child: ChildProcess | undefined
      let printed = ''
      return {
        name,
        mode,
        url,
        output: () => printed,
        start(...options) {
          child = spawn(process.execPath, [program, mode, ...options], {
            cwd: root,
            env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...settings },
            stdio: ['ignore', 'pipe', 'pipe'],
          })
          for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (printed += text))
        },
        async kill() {
          const ending = child
          if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
          const ended = new Promise((done) => ending.once('exit', done))
          ending.kill('SIGKILL')
          await ended
        },
        async states() {
          try {
            const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) })
            const { dependencies } = (await response.json()) as { dependencies: Record<string, { state: string }> }
            return Object.fromEntries(Object.entries(dependencies).map(([dependency, { state }]) => [dependency, state]))
          } catch {
            return {}
          }
        },
      }
    }),
  )
}
