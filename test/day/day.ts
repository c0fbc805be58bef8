/**
 * `npm run day`: plays the day against the running server and prints each step with its time and the call that did it. FIELDLOOP_URL and
 * FIELDLOOP_API_KEY say which server and key; else http://localhost:PORT and the first boot's key. With --faults it brings up a stack of its own and
 * kills its processes in the middle of it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { loadConfig } from '#platform/config.ts'
import { loadEnvironment } from '#server/boot/environment.ts'

import { playFaults } from './faults.ts'
import { openStack } from './stack.ts'
import { playDay } from './steps.ts'
import { tellWaits } from './waits.ts'

const titles = [
  '',
  'An agent arrives',
  'Data comes in',
  'A photograph is understood',
  'A person answers',
  'A workflow carries on',
  'Everything is killed',
]
let lastStep = 0

function print({ step, what, call, ms }: { step: number; what: string; call: string; ms: number }): void {
  if (step !== lastStep) process.stdout.write(`\n${step}. ${titles[step] ?? ''}\n`)
  lastStep = step
  process.stdout.write(`   ${what.padEnd(62)} ${call.padEnd(26)} ${ms.toFixed(0).padStart(6)} ms\n`)
}

/** Says whom to start where nobody answers, and which key is asked for, in place of what a socket or a protocol says. */
async function greet(url: string, key: string): Promise<void> {
  const answer = await fetch(new URL('/api/v1/schema/whoami', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(10_000),
  }).catch(() => undefined)
  if (!answer)
    throw new Error(`Nothing answers at ${url}. Start the product first (npm start), or name the server with PORT or FIELDLOOP_URL.`)
  if (answer.status === 401)
    throw new Error(`${url} does not take the key. Set DATA_DIR to the directory of that server, or FIELDLOOP_API_KEY to a key of it.`)
}

function keyOf(dataDir: string, given: string | undefined): string {
  if (given) return given
  try {
    return readFileSync(join(dataDir, 'bootstrap-key'), 'utf8').trim()
  } catch {
    throw new Error(`There is no key in ${dataDir}. Start the product first (npm start), or set DATA_DIR or FIELDLOOP_API_KEY.`)
  }
}

async function main(): Promise<void> {
  loadEnvironment()
  const config = loadConfig()
  if (process.argv.includes('--faults')) {
    const stack = await openStack({ OUTBOUND_ALLOW: '127.0.0.0/8' })
    try {
      await stack.ready({ limitMs: 1_200_000 })
      await playDay({ url: stack.url, key: stack.key, print })
      await playFaults(stack, print)
    } finally {
      await stack.stop()
    }
  } else {
    const url = process.env['FIELDLOOP_URL'] ?? `http://localhost:${config.port}`
    const key = keyOf(config.dataDir, process.env['FIELDLOOP_API_KEY'] ?? config.bootstrap.apiKey)
    await greet(url, key)
    const over = new AbortController()
    const tell = (sentence: string) => void process.stdout.write(`   (${sentence})\n`)
    // Where Temporal will not come the day's next job would be awaited for ever.
    const hopeless = new Promise<never>((_, reject) => void tellWaits({ url, tell, signal: over.signal }).catch(reject))
    const result = await Promise.race([playDay({ url, key, print }), hopeless]).finally(() => over.abort())
    process.stdout.write(
      `\n   ${result.tools} tools; ${result.airports} airports; the sign says ${JSON.stringify(result.text)}; the photograph shows ${result.labels.slice(0, 2).join(', ')}; she said ${JSON.stringify(result.reply)}; the workflow wrote ${JSON.stringify(result.flow.answer)}\n`,
    )
  }
  process.stdout.write('\n   The day is done.\n')
}

main().catch((error: unknown) => {
  process.stderr.write(`\n   The day stopped. ${error instanceof Error ? error.message : String(error)}\n`)
  // What is still awaited would keep the process for minutes.
  process.exit(1)
})
