/** A process of our own code that a test may kill. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, onTestFinished } from 'vitest'

import { until } from '#server/boot/processes.ts'

/**
 * Runs a script of ours from a file in `directory`, in a process of its own that can then be killed; answers when it printed a line.
 * Imports by `#server/` and `#platform/` work in it. The process ends with the test.
 */
export async function inChild(directory: string, source: string) {
  const script = join(directory, 'child.ts')
  writeFileSync(script, source.replaceAll('#server/', `${process.cwd()}/server/`).replaceAll('#platform/', `${process.cwd()}/platform/`))
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let line = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (line += text))
  expect(await until(() => line.endsWith('\n'), 60_000)).toBe(true)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  return {
    line: line.trim(),
    pid: child.pid ?? 0,
    async killHard() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
