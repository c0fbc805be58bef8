import { afterAll, beforeAll, expect, it } from 'vitest'

import { openStack, type Stack } from './day/stack.ts'
import { playDay } from './day/steps.ts'

let stack: Stack

beforeAll(async () => {
  stack = await openStack()
  // Where Temporal has to be built from source first, that takes its minutes once for each user.
  await stack.ready({ limitMs: 1_200_000 })
}, 1_260_000)

afterAll(() => stack.stop(), 60_000)

it('runs the day over the real transports, and again', { timeout: 240_000 }, async () => {
  const lines: string[] = []
  const options = { url: stack.url, key: stack.key, print: (line: { call: string }) => void lines.push(line.call) }
  const first = await playDay(options)
  expect(first.airports).toBeGreaterThan(3_000)
  expect(first.tools).toBeGreaterThan(100)
  expect(first.text.toUpperCase()).toContain('HARBOUR')
  expect(first.labels.length).toBeGreaterThan(0)
  expect(first.reply).toBe('Open, the lock is new')
  const again = await playDay(options)
  expect(again).toMatchObject({ airports: first.airports, reply: first.reply })
  expect(lines.length).toBeGreaterThan(40)
})
