/** Finding, naming and ending processes that this process may not have started itself. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

import { codeOf } from './failures.ts'

/** Signals in the order in which they are tried, each with the time in ms that it is given. */
export type StopSteps = readonly (readonly [signal: NodeJS.Signals, waitMs: number])[]

/** Polls until the condition holds. Answers false when it does not hold within `limitMs`. */
export async function until(condition: () => boolean | Promise<boolean>, limitMs: number, everyMs = 50): Promise<boolean> {
  const deadline = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() >= deadline) return false
    await delay(everyMs)
  }
  return true
}

/** Whether the process exists and still runs: a zombie that nobody reaps, as in a container without an init, does not. */
export function isRunning(pid: number): boolean {
  if (!isTaken(pid)) return false
  // The state follows the name, which is in brackets and may itself hold brackets.
  const stat = readProc(pid, 'stat')
  return stat === undefined || !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
}

/** Whether the number belongs to a process, a zombie included. */
export function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** "node server/main.ts (process 4711)", or only the number where the system does not tell. */
export function describeProcess(pid: number): string {
  const command = commandLines().get(pid)
  return command ? `${shortCommand(command)} (process ${pid})` : `process ${pid}`
}

/** At most 80 characters of a command line. Folders go first: the names of the program and of what it runs are what tells them apart. */
export function shortCommand(command: string): string {
  if (command.length <= 80) return command
  const named = command.replaceAll(/\S*\/(?=[^/\s])/g, '…/')
  return named.length > 80 ? `${named.slice(0, 79)}…` : named
}

/** The running processes whose command line, its arguments joined by spaces, passes the test. */
export function findProcesses(matches: (commandLine: string) => boolean): number[] {
  return [...commandLines()].filter(([pid, command]) => pid !== process.pid && matches(command) && isRunning(pid)).map(([pid]) => pid)
}

/** Ends a process by the steps given. Answers false when it outlived them all; throws when it may not be signalled. */
export async function stopProcess(pid: number, steps: StopSteps): Promise<boolean> {
  for (const [signal, waitMs] of steps) {
    if (!sendSignal(pid, signal)) return true
    if (await until(() => !isRunning(pid), waitMs, 20)) return true
  }
  return !isRunning(pid)
}

/** Sends the signal; false when there is no such process. A negative pid is a process group. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false
    throw error
  }
}

function commandLines(): Map<number, string> {
  const found = new Map<number, string>()
  if (process.platform === 'linux') {
    for (const name of readdirSync('/proc')) {
      const command = /^\d+$/.test(name) ? readProc(Number(name), 'cmdline')?.replaceAll('\0', ' ').trim() : undefined
      if (command) found.set(Number(name), command)
    }
    return found
  }
  for (const line of execFileSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8' }).split('\n')) {
    const [, pid, command] = /^\s*(\d+)\s+(.*?)\s*$/.exec(line) ?? []
    if (pid && command) found.set(Number(pid), command)
  }
  return found
}

/** Undefined where the process is gone or the system has no /proc. */
function readProc(pid: number, file: 'stat' | 'cmdline'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined
  }
}
