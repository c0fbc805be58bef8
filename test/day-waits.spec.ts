import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { tellWaits } from './day/waits.ts'

let server: Server
let url: string
let states: readonly { readonly state: string; readonly detail?: string; readonly remedy?: string }[]
let asked: number

beforeEach(async () => {
  asked = 0
  server = createServer((_, response) => {
    const temporal = states[Math.min(asked, states.length - 1)]
    asked += 1
    response.end(JSON.stringify({ status: 'ready', dependencies: { temporal } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => new Promise((resolve) => server.close(resolve)))

const { signal } = new AbortController()

it('tells how far Temporal is when that changes, and ends once it is up', async () => {
  const building = { state: 'starting', detail: 'building' }
  states = [building, building, building, { state: 'starting', detail: 'nearly built' }, { state: 'up' }]
  const told: string[] = []
  await tellWaits({ url, signal, everyMs: 1, tell: (sentence) => told.push(sentence) })
  expect(told).toEqual(['jobs wait for Temporal, which is starting: building', 'jobs wait for Temporal, which is starting: nearly built'])
  expect(asked).toBe(5)
})

it('ends the day with what to do where Temporal cannot be had', async () => {
  states = [{ state: 'absent', detail: 'there is no Go on PATH.', remedy: 'Install Go 1.25 or later.' }]
  await expect(tellWaits({ url, signal, everyMs: 1, tell: () => undefined })).rejects.toThrow(
    'The jobs wait for Temporal, which is absent: there is no Go on PATH. Install Go 1.25 or later.',
  )
})

it('gives a Temporal that is down its time to come back, and then no more', async () => {
  states = [{ state: 'down', detail: 'it does not answer' }]
  await expect(tellWaits({ url, signal, everyMs: 1, downLimitMs: 20, tell: () => undefined })).rejects.toThrow('which is down')
  expect(asked).toBeGreaterThan(1)
})
