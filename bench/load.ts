/** The load: a fixed number of calls over a few kept-alive connections. */
import { Pool } from 'undici'

export interface Request {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly text: string
}

export interface Load {
  send(request: Request): Promise<Answer>
  /** Sends requests `from` to `from + count - 1`, so many at once; `onAnswer` sees each. */
  run(request: (number: number) => Request, from: number, count: number, onAnswer: (answer: Answer) => void): Promise<void>
  close(): Promise<void>
}

export function openLoad(origin: string, connections: number): Load {
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 120_000, bodyTimeout: 120_000 })
  async function send({ method, path, body, headers }: Request): Promise<Answer> {
    const response = await pool.request({ method, path, body, headers })
    return { status: response.statusCode, text: await response.body.text() }
  }
  return {
    send,
    async run(request, from, count, onAnswer) {
      let next = from
      const one = async () => {
        while (next < from + count) onAnswer(await send(request(next++)))
      }
      await Promise.all(Array.from({ length: connections }, one))
    },
    close: () => pool.destroy(),
  }
}
