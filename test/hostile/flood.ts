/** One tenant that asks for all that it may, again and again. */
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

import type { Probed } from '../support/probe-thread.ts'
import type { WatchedServer } from '../support/watched-server.ts'

const bulks = 5
const rowsOfBulk = 900

/** Some thousand records of a kilobyte each, whose values sort in no order of their keys. */
export async function arrangeFlood({ call }: WatchedServer): Promise<void> {
  await call('import_catalog', {
    properties: [{ internalName: 'FloodText', dataType: 'Text' }],
    entities: [{ internalName: 'FloodRow', properties: [{ property: 'FloodText' }] }],
  })
  for (let bulk = 0; bulk < bulks; bulk++) {
    const rows = Array.from({ length: rowsOfBulk }, (_, row) => ({
      key1: `F${bulk}-${row}`,
      data: { FloodText: `${(row * 7_919) % 1_000} ${'value '.repeat(160)}` },
    }))
    await call('save_instances_bulk', { entity: 'FloodRow', rows })
  }
}

export interface Flooded {
  /** That were answered. */
  readonly lists: number
  /** Of all answers, each once. */
  readonly statuses: readonly number[]
  /** How short calls went while all of them were under way. */
  readonly during: Probed
}

/** Asks for the largest sorted pages in so many loops at once. */
export async function flood(
  server: WatchedServer,
  options: { readonly loops: number; readonly forMs: number; readonly probe: ReturnType<WatchedServer['probeAs']> },
): Promise<Flooded> {
  const { loops, forMs, probe } = options
  const agent = new Agent({ keepAlive: true, maxSockets: loops })
  const until = performance.now() + forMs
  const answers: number[] = []
  const loop = async () => {
    while (performance.now() < until) answers.push(await askForList(server, agent))
  }
  await probe.take()
  const all = Promise.all(Array.from({ length: loops }, loop))
  await wait(forMs)
  const during = await probe.take()
  await all
  agent.destroy()
  return { lists: answers.filter((status) => status === 200).length, statuses: [...new Set(answers)], during }
}

/** Nothing is made of the answer: a caller that reads takes processor from the server on the same machine. */
function askForList(server: WatchedServer, agent: Agent): Promise<number> {
  const url = `${server.url}/api/v1/entities/FloodRow/instances/list`
  const headers = { authorization: `Bearer ${server.tenant.key}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    request(url, { agent, method: 'POST', headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
      .once('error', reject)
      .end(JSON.stringify({ pageSize: 1_000, sort: [{ property: 'FloodText', direction: 'desc' }] }))
  })
}
