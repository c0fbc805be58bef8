/** Ports that are named before anybody listens on them. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below the ports that systems hand out, to listeners and to connections: one of those may be somebody else's by the time that it is listened on.
const [lowest, count] = [20_000, 10_000]
// Each worker of the run has every eighth port, so that none takes another's.
const shares = 8
const share = Number(process.env['VITEST_POOL_ID'] ?? 0) % shares
const given = new Set<number>()

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/** A port of loopback that nobody listens on, and that nobody else of the run is given. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 1_000; tries++) {
    const port = lowest + randomInt(count / shares) * shares + share
    if (given.has(port) || !(await canListen(port))) continue
    given.add(port)
    return port
  }
  throw new Error(`No port from ${lowest} on is free`)
}
