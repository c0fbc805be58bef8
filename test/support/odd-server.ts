/** A server that answers as badly as servers do: by the byte, never, too much, elsewhere. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface Heard {
  readonly path: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface OddServer {
  readonly port: number
  readonly url: string
  /** What came, in order. */
  readonly heard: Heard[]
  /** How many connections are open. */
  open(): number
  close(): Promise<void>
}

/** Answers each request, once its body is there, by what `answer` does with it. */
export async function startOddServer(answer: (heard: Heard, response: ServerResponse) => void): Promise<OddServer> {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const one = { path: request.url ?? '', method: request.method ?? '', headers: request.headers, body }
      heard.push(one)
      answer(one, response)
    })
  })
  let connections = 0
  server.on('connection', (socket) => {
    connections++
    socket.on('close', () => connections--)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    heard,
    open: () => connections,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
