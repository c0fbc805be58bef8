/** How long a reply takes to wake the one who awaits it, while a thousand others await theirs. */
import type { Ground } from './ground.ts'
import { openLoad } from './load.ts'
import { memoryOf } from './processes.ts'
import { median, percentile } from './statistics.ts'

/** Milliseconds, megabytes. */
export interface WakingResult {
  readonly awaits: number
  readonly replies: number
  /** From sending the reply, its own save included, to the answer of the await. */
  readonly sendToWake: { readonly p50: number; readonly p99: number }
  /** From sending the reply to its own answer: what of the above is the save. */
  readonly sendToSaved: { readonly p50: number; readonly p99: number }
  readonly serverBefore: number
  readonly serverDuring: number
}

const senders = 8

export async function measureWaking(
  ground: Ground,
  { awaits, replies }: { readonly awaits: number; readonly replies: number } = { awaits: 1_000, replies: 300 },
): Promise<WakingResult> {
  const json = { 'content-type': 'application/json' }
  const sender = openLoad(ground.serverUrl, senders)
  const waiter = openLoad(ground.serverUrl, awaits)
  const call = async (key: string, operation: string, input: Record<string, unknown>, load = sender) => {
    const { status, text } = await load.send({
      ...ground.request({ operation, input }),
      headers: { ...json, authorization: `Bearer ${key}` },
    })
    if (status >= 300) throw new Error(`${operation}: ${status} ${text.slice(0, 300)}`)
    return JSON.parse(text) as Record<string, unknown>
  }
  try {
    const { tenantUserId } = await call(ground.key, 'find_or_create_user', { email: 'field.worker@example.com' })
    const { apiKey } = await call(ground.key, 'create_api_key', { name: 'phone', roles: [], tenantUserId })
    const sent: Record<string, unknown>[] = []
    await Promise.all(
      Array.from({ length: senders }, async () => {
        while (sent.length < awaits) {
          const place = sent.push({}) - 1
          sent[place] = await call(ground.key, 'send_message', { to: { tenantUserId }, text: 'Is the gate open?' })
        }
      }),
    )
    const memory = () => memoryOf([ground.pids.server])
    const serverBefore = memory()
    const wokenAt = new Map<number, number>()
    const open = sent.slice(0, awaits).map(async ({ conversationId }, index) => {
      const { timedOut } = await call(ground.key, 'await_reply', { conversationId, timeoutSeconds: 55 }, waiter)
      wokenAt.set(index, performance.now())
      if (timedOut === true && index < replies) throw new Error('An await with a reply timed out')
    })
    for (const one of open) one.catch(() => {})
    await untilAllAwait(ground)
    const serverDuring = memory()
    const toWake: number[] = []
    const toSaved: number[] = []
    for (let index = 0; index < replies; index++) {
      const from = performance.now()
      await call(String(apiKey), 'answer_inbox_message', { messageId: sent[index]?.['messageId'], text: 'It is' })
      toSaved.push(performance.now() - from)
      await open[index]
      toWake.push((wokenAt.get(index) ?? Number.NaN) - from)
    }
    const spread = (values: readonly number[]) => ({ p50: median(values), p99: percentile(values, 0.99) })
    return { awaits, replies, sendToWake: spread(toWake), sendToSaved: spread(toSaved), serverBefore, serverDuring }
  } finally {
    await Promise.all([sender.close(), waiter.close()])
  }
}

/** Until the server is idle: every await has looked once and now waits. */
async function untilAllAwait(ground: Ground): Promise<void> {
  const { cpuOf } = await import('./processes.ts')
  const until = Date.now() + 20_000
  for (;;) {
    const before = cpuOf(ground.pids.server)
    await new Promise((next) => setTimeout(next, 500))
    if (cpuOf(ground.pids.server) - before <= 20) return
    if (Date.now() > until) throw new Error('The awaits did not come to rest')
  }
}
