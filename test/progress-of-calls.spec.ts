/** Progress of calls that work through many records, over MCP, where the client asks for it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openWire, type Wire } from './contract/wire.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
let wire: Wire

beforeAll(async () => {
  wire = await openWire(world)
  await world.call('create_property', { internalName: 'Title', dataType: 'Text' })
  await world.call('create_entity', { internalName: 'Order', properties: [{ property: 'Title' }] })
  const rows = Array.from({ length: 2_200 }, (_, index) => ({ key1: `O-${index}`, data: { Title: 'plain' } }))
  expect(await world.call('save_instances_bulk', { entity: 'Order', rows })).toMatchObject({ inserted: 2_200 })
})

afterAll(() => wire.close())

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly progressToken: string; readonly progress: number; readonly total?: number }
  readonly result?: { readonly isError?: boolean }
}

/** The messages of one call, in their order. */
async function messagesOf(name: string, args: object, meta: object | undefined): Promise<Message[]> {
  const response = await fetch(`${wire.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.tenant.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name, arguments: args, ...(meta ? { _meta: meta } : {}) },
    }),
  })
  const text = await response.text()
  if (response.headers.get('content-type')?.startsWith('application/json')) return [JSON.parse(text) as Message]
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.replace(/^[^]*?data: /, '')) as Message)
}

describe('a call that works through many records', () => {
  it.each([
    ['search_instances', { query: 'plain' }, 1],
    ['export_instances', { entity: 'Order', format: 'json' }, 2_200],
    ['update_instances_by_filter', { entity: 'Order', filterRules: [], data: { Title: 'other' } }, 2_200],
    ['wipe_instances', { entity: 'Order', confirmation: 'Order' }, undefined],
  ])('%s tells how far it is before its result, and nothing behind it', async (name, args, total) => {
    const messages = await messagesOf(name, args, { progressToken: 'mine' })
    const last = messages.at(-1)
    expect([last?.id, last?.result?.isError ?? false]).toEqual([7, false])
    const told = messages.slice(0, -1)
    expect(told.length).toBeGreaterThan(0)
    for (const { method, params } of told) {
      expect([method, params?.progressToken, params?.total]).toEqual(['notifications/progress', 'mine', total])
    }
    const steps = told.map(({ params }) => params?.progress ?? -1)
    expect(steps).toEqual([...new Set(steps)].toSorted((a, b) => a - b))
  })

  it('answers alone where the client asks for no progress', async () => {
    expect(await messagesOf('search_instances', { query: 'plain' }, undefined)).toHaveLength(1)
  })
})
