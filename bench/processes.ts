/** CPU and memory of processes, from /proc. Linux only. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const ticksASecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

interface Stat {
  readonly pid: number
  readonly parent: number
  readonly ownTicks: number
  /** Of children that ended and were waited for. */
  readonly childTicks: number
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold spaces; what follows it begins with the state, the third field.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const field = (number: number) => Number(fields[number - 3])
    return { pid, parent: field(4), ownTicks: field(14) + field(15), childTicks: field(16) + field(17) }
  } catch {
    return undefined
  }
}

/** The process and all that descend from it and live. */
export function familyOf(pid: number): number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? [])
  const family = [pid]
  for (const parent of family) family.push(...all.filter((one) => one.parent === parent).map((one) => one.pid))
  return family
}

/** Milliseconds of CPU that the process has used, all threads, user and system. */
export function cpuOf(pid: number): number {
  return ((statOf(pid)?.ownTicks ?? 0) * 1000) / ticksASecond
}

/** The same of a postmaster with its backends and helpers, the ended ones included. */
export function cpuOfCluster(postmaster: number): number {
  const ticks = familyOf(postmaster)
    .flatMap((pid) => statOf(pid) ?? [])
    .reduce((sum, one) => sum + one.ownTicks + (one.pid === postmaster ? one.childTicks : 0), 0)
  return (ticks * 1000) / ticksASecond
}

export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\u0000', ' ').trim()
  } catch {
    return ''
  }
}

/** Resident megabytes, shared pages counted by each process's share of them. */
export function memoryOf(pids: readonly number[]): number {
  const kilobytes = pids.reduce((sum, pid) => {
    try {
      return sum + Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
    } catch {
      return sum
    }
  }, 0)
  return kilobytes / 1024
}
