/** The bare client: a process that sends the statements of captured calls to PostgreSQL, each transaction in one go, and does nothing else. */
import postgres from 'postgres'

import { connectionOptions } from '#platform/db/pool.ts'

import type { FromBare, Statement, ToBare, Transaction, Work } from './messages.ts'

const [url = ''] = process.argv.slice(2)
const clients: postgres.Sql[] = []
let calls: readonly (readonly Transaction[])[] = []

const say = (message: FromBare) => void process.send?.(message)

function kindOf({ text }: Statement): 'insert' | 'update' | 'read' | 'other' {
  if (/^\s*insert into "t_\d+"/.test(text)) return 'insert'
  if (/^\s*with u as \(update "t_\d+"/.test(text)) return 'update'
  if (/\bas (document|items)\b/.test(text)) return 'read'
  return 'other'
}

async function runTransaction(
  client: postgres.Sql,
  transaction: Transaction,
  work: { -readonly [K in keyof Work]: number },
): Promise<void> {
  const results = await Promise.all(
    transaction.map(({ text, parameters }) =>
      client.unsafe(text, [...parameters] as never[], { prepare: parameters.length > 0 }).execute(),
    ),
  )
  transaction.forEach((statement, index) => {
    const rows = results[index] ?? []
    const kind = kindOf(statement)
    if (kind === 'insert') work.inserted += rows.length
    else if (kind === 'update') work.updated += rows.length
    else if (kind === 'read') for (const row of rows) work.readBytes += Buffer.byteLength(String(row['document'] ?? row['items'] ?? ''))
  })
}

async function run(from: number, count: number, connections: number): Promise<Work> {
  while (clients.length < connections) clients.push(postgres(url, connectionOptions('fieldloop bench')))
  const work = { inserted: 0, updated: 0, readBytes: 0 }
  let next = from
  await Promise.all(
    clients.slice(0, connections).map(async (client) => {
      while (next < from + count) {
        const call = calls[next++ % calls.length]
        if (!call) throw new Error('There is nothing to replay')
        for (const transaction of call) await runTransaction(client, transaction, work)
      }
    }),
  )
  return work
}

process.on('message', (message: ToBare) => {
  if (message.type === 'calls') {
    calls = message.calls
    say({ type: 'ready' })
    return
  }
  run(message.from, message.count, message.connections).then(
    (work) => say({ type: 'done', work }),
    (error: unknown) => say({ type: 'failed', message: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
say({ type: 'ready' })
