/** The thread of one mail: parses it and asks what its sender's domain says of it. */
import { parentPort, workerData } from 'node:worker_threads'

import { authenticateMail, unknownSender } from './authentication.ts'
import { parseMail } from './parse.ts'
import type { ReadingTask, ReadingWord, ResolveAnswer } from './reading.ts'

/** As much of a Blob as the parser uses. It makes one of each line, and Node's takes two kilobytes and ten microseconds for that. */
class Bytes {
  readonly parts: readonly (Uint8Array | ArrayBuffer | string)[]

  constructor(parts: readonly (Uint8Array | ArrayBuffer | string)[] = []) {
    this.parts = parts
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const buffers = this.parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part) : part instanceof ArrayBuffer ? new Uint8Array(part) : part,
    )
    const whole = new Uint8Array(buffers.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of buffers) {
      whole.set(part, at)
      at += part.length
    }
    return whole.buffer
  }
}
Object.assign(globalThis, { Blob: Bytes })

const asked = new Map<number, { resolve: (records: never) => void; reject: (error: Error) => void }>()
let lastId = 0

const say = (word: ReadingWord) => parentPort?.postMessage(word)

parentPort?.on('message', (answer: ResolveAnswer) => {
  const waiting = asked.get(answer.id)
  asked.delete(answer.id)
  // The other side hands over what a resolver of the type that is asked for has answered.
  if ('records' in answer) waiting?.resolve(answer.records as never)
  else waiting?.reject(Object.assign(new Error('DNS'), { code: answer.code }))
})

async function read({ mail, digest, arrival }: ReadingTask): Promise<ReadingWord> {
  const parsed = await parseMail(mail, digest)
  if (parsed.isAutomatic || arrival.sender === '') return { kind: 'read', mail: { ...parsed, authentication: unknownSender } }
  const authentication = await authenticateMail(
    Buffer.from(mail),
    arrival,
    (domain, type) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        asked.set(id, { resolve, reject })
        say({ kind: 'resolve', id, domain, type })
      }),
  )
  return { kind: 'read', mail: { ...parsed, authentication } }
}

// What started the thread gave it a task.
void read(workerData as ReadingTask)
  .catch((error: unknown): ReadingWord => ({ kind: 'unreadable', reason: error instanceof Error ? error.message : String(error) }))
  .then(say)
