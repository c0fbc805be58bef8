/** The address of a subscription is looked up while no transaction waits for it: whoever chooses the name chooses who answers for it. */
import { expect, it, vi } from 'vitest'

import { useWorld } from './support/world.ts'

const slowHost = 'slow.example'
const asked = vi.hoisted(() => ({ count: 0 }))
// A name server that never answers.
vi.mock('node:dns', async (original) => {
  const dns = await original<typeof import('node:dns')>()
  const lookup = (host: string, ...more: unknown[]) => {
    if (host === 'slow.example') asked.count++
    else (dns.lookup as (...all: unknown[]) => void)(host, ...more)
  }
  return { ...dns, lookup, default: { ...dns, lookup } }
})

const world = useWorld()

it('is asked for in no transaction, when a subscription is made and when it is changed', async () => {
  const { key } = await world.newTenant()
  const { subscriptionId } = await world.call(
    'create_event_subscription',
    { url: 'https://events.example/x', kinds: ['user.created'] },
    { key },
  )
  const url = `http://${slowHost}/x`
  const calls = [
    world.refusal('create_event_subscription', { url, kinds: ['user.created'] }, key),
    world.refusal('update_event_subscription', { subscriptionId, url }, key),
  ]
  await vi.waitFor(() => expect(asked.count).toBe(2))
  const open = await world.sql`
    select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`
  expect(open).toEqual([])
  expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(['invalid_input', 'invalid_input'])
})
