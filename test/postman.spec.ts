import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import newman, { type NewmanRunSummary } from 'newman'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { openStack, type Stack } from './day/stack.ts'

let stack: Stack

beforeAll(async () => {
  stack = await openStack()
  await stack.ready()
}, 240_000)

afterAll(() => stack.stop(), 60_000)

function run(collection: object): Promise<NewmanRunSummary> {
  return new Promise((done, reject) => {
    const envVar = [
      { key: 'apiKey', value: stack.key },
      { key: 'password', value: readFileSync(join(stack.dataDir, 'bootstrap-password'), 'utf8').trim() },
    ]
    newman.run({ collection, envVar, timeoutRequest: 60_000 }, (error, summary) => (error ? reject(error) : done(summary)))
  })
}

it('serves a Postman collection that runs from top to bottom, and again', { timeout: 600_000 }, async () => {
  const collection = (await (await fetch(`${stack.url}/postman.json`)).json()) as { item: { item: unknown[] }[] }
  const total = collection.item.reduce((sum, folder) => sum + folder.item.length, 0)
  expect(total).toBeGreaterThan(130)
  for (const round of ['first', 'second']) {
    const summary = await run(collection)
    const failures = summary.run.failures.map(({ source, error }) => `${source?.name ?? 'the run'}: ${error.message}`)
    expect([round, failures]).toEqual([round, []])
    expect(summary.run.stats.requests.total).toBeGreaterThanOrEqual(total - 2)
  }
})
