/** Ports on loopback: free ones, remembered ones, and who has the one that we wanted. */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'

import { codeOf, messageOf } from './failures.ts'
import { describeProcess } from './processes.ts'

const loopback = '127.0.0.1'

/** A port that nothing listens on at this moment; another process may still be quicker. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0)
  if (port === undefined) throw new Error('The system has no free port on loopback.')
  return port
}

/** The port of the last start when it is free, else another. The file holds the number alone. */
export async function rememberedPort(file: string): Promise<number> {
  const last = Number(readIfThere(file))
  const port = (Number.isInteger(last) && last > 0 && last < 65536 ? await listenOnce(last) : undefined) ?? (await freePort())
  if (port !== last) writeFileSync(file, `${port}\n`, { mode: 0o600 })
  return port
}

/** What listens on the port, such as "node server/main.ts (process 4711)". Undefined where the system does not tell. */
export function whoHasPort(port: number): string | undefined {
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeners(readIfThere(table), port)))
  if (inodes.size === 0) return undefined
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (openFiles(pid).some((target) => inodes.has(target))) return describeProcess(Number(pid))
  }
  return undefined
}

/** The sentence for a failed listen: who has the port, and which setting chooses another. */
export function portTaken(error: unknown, port: number, setting: string): string {
  const code = codeOf(error)
  if (code === 'EADDRINUSE') {
    return `Port ${port} is taken by ${whoHasPort(port) ?? 'another process'}. Stop it, or set ${setting} to another port.`
  }
  if (code === 'EACCES') return `Port ${port} needs rights that this process does not have. Set ${setting} to a port above 1023.`
  if (code === 'EADDRNOTAVAIL') return `Port ${port} cannot be opened: HOST is not an address of this machine.`
  return `Port ${port} (${setting}) cannot be opened: ${messageOf(error)}.`
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host: loopback, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined))
    })
  })
}

/** The sockets that listen on the port, as /proc shows them among a process's open files. State 0A is LISTEN. */
function listeners(table: string, port: number): string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(wanted) && fields[3] === '0A')
    .map((fields) => `socket:[${fields[9]}]`)
}

function openFiles(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`)
      } catch {
        return ''
      }
    })
  } catch {
    return []
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
