import { afterAll, beforeAll, expect, it } from 'vitest'

import { playFaults } from '../day/faults.ts'
import { openStack, type Stack } from '../day/stack.ts'

let stack: Stack

beforeAll(async () => {
  stack = await openStack({ OUTBOUND_ALLOW: '127.0.0.0/8' })
  await stack.ready()
})

afterAll(() => stack.stop())

it('loses nothing that was acknowledged and doubles nothing, whatever is killed', { timeout: 900_000 }, async () => {
  const result = await playFaults(stack, () => {})
  expect(result.kills).toBe(5)
  expect(result.acknowledged).toBeGreaterThanOrEqual(30)
  expect(result.found).toBeGreaterThanOrEqual(result.acknowledged)
  expect(result.jobsSucceeded).toBe(2)
  expect(result.texts).toBe(8)
  expect(result.messages).toBe(1)
})
