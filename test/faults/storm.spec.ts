import { afterAll, beforeAll, expect, it } from 'vitest'

import { openStack, type Stack } from '../day/stack.ts'
import { playStorm, stormSettings } from './storm.ts'

let stack: Stack

beforeAll(async () => {
  stack = await openStack(stormSettings)
  await stack.ready()
})

afterAll(() => stack?.stop())

it('carries every effect of runs, packs, conversations and events out once, whatever is killed', { timeout: 900_000 }, async () => {
  const result = await playStorm(stack, { cases: 60, webhooks: 30, kills: 4, seed: 7 }, () => {})
  expect(result.completed).toBe(60)
  expect(Object.values(result.kills).reduce((sum, count) => sum + count, 0)).toBe(4)
})
