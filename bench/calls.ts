/** REST against the bare client and the echo, and MCP against REST: CPU of Node and PostgreSQL per call, in rounds that take turns. */
import type { Ground } from './ground.ts'
import { type Answer, type Load, openLoad, type Request } from './load.ts'
import type { Work } from './messages.ts'
import { cpuOf, cpuOfCluster } from './processes.ts'
import { median } from './statistics.ts'
import type { Measure } from './workload.ts'

/** Milliseconds of CPU per call. */
export interface Cost {
  readonly node: number
  readonly postgres: number
}

export interface RestResult {
  readonly name: string
  readonly aim: number | undefined
  readonly ours: Cost
  readonly echo: number
  readonly bare: Cost
  /** (ours − echo) / bare */
  readonly ratio: number
  readonly bodyBytes: number
  readonly answerBytes: number
  readonly callsPerSide: number
}

export interface McpResult {
  readonly name: string
  readonly aim: number
  readonly rest: Cost
  readonly mcp: Cost
  readonly ratio: number
}

const json = { 'content-type': 'application/json' }

/** CPU of a piece of work, per call. */
async function costOf(ground: Ground, pid: number, calls: number, work: () => Promise<unknown>): Promise<Cost> {
  const { postmaster } = ground.pids
  const before = { node: cpuOf(pid), postgres: cpuOfCluster(postmaster) }
  await work()
  return { node: (cpuOf(pid) - before.node) / calls, postgres: (cpuOfCluster(postmaster) - before.postgres) / calls }
}

function medianCost(costs: readonly Cost[]): Cost {
  return { node: median(costs.map((cost) => cost.node)), postgres: median(costs.map((cost) => cost.postgres)) }
}

const total = (cost: Cost) => cost.node + cost.postgres

/** What the answers say was done. A single save tells its outcome, a bulk its counts; of reads it is the bytes. */
function workOf(measure: Measure, { status, text }: Answer): Work {
  if (status !== 200) throw new Error(`${measure.name}: ${status} ${text.slice(0, 500)}`)
  if (measure.kind === 'read') return { inserted: 0, updated: 0, readBytes: Buffer.byteLength(text) }
  if (measure.kind === 'bulk') {
    const counts = /"inserted":(\d+),"updated":(\d+),"skipped":(\d+),"failed":0\}$/.exec(text)
    if (!counts) throw new Error(`${measure.name}: rows failed: ${text.slice(-200)}`)
    return { inserted: Number(counts[1]), updated: Number(counts[2]), readBytes: 0 }
  }
  return { inserted: Number(text.includes('"outcome":"inserted"')), updated: Number(text.includes('"outcome":"updated"')), readBytes: 0 }
}

export async function measureRest(ground: Ground, measure: Measure, rounds: number): Promise<RestResult> {
  const { callsPerRound, connections } = measure
  const server = openLoad(ground.serverUrl, connections)
  const echo = openLoad(ground.echoUrl, connections)
  try {
    const authorization = `Bearer ${ground.key}`
    const requestOf = (number: number): Request => ({ ...ground.request(measure.call(number)), headers: { ...json, authorization } })
    // Reads repeat themselves; writes are each a call of their own, those of the warming round included.
    const planned = measure.kind === 'read' ? Math.min(500, callsPerRound) : callsPerRound * (rounds + 1)
    await ground.rehearse(measure, planned)
    let answerBytes = 0
    const serve = async (round: number): Promise<Work> => {
      const done = { inserted: 0, updated: 0, readBytes: 0 }
      // Bodies are made before the clock starts.
      const requests = Array.from({ length: callsPerRound }, (_, index) => requestOf((round * callsPerRound + index) % planned))
      const cost = await costOf(ground, ground.pids.server, callsPerRound, () =>
        server.run(
          (index) => requests[index] as Request,
          0,
          callsPerRound,
          (answer) => {
            const one = workOf(measure, answer)
            answerBytes = Buffer.byteLength(answer.text)
            done.inserted += one.inserted
            done.updated += one.updated
            done.readBytes += one.readBytes
          },
        ),
      )
      ours.push(cost)
      return done
    }
    const ours: Cost[] = []
    const bare: Cost[] = []
    const echoes: number[] = []
    for (let round = 0; round <= rounds; round++) {
      const served = await serve(round)
      let replayed: Work | undefined
      const from = (round * callsPerRound) % planned
      bare.push(
        await costOf(ground, ground.pids.bare, callsPerRound, async () => {
          const work = await ground.replay(from, callsPerRound, connections)
          // A write also reads what it answers, around which the server puts more.
          replayed = measure.kind === 'read' ? work : { ...work, readBytes: 0 }
        }),
      )
      if (JSON.stringify(served) !== JSON.stringify(replayed)) {
        throw new Error(`${measure.name}: the bare client did other work: ${JSON.stringify(replayed)} instead of ${JSON.stringify(served)}`)
      }
      if (served.inserted + served.updated + served.readBytes === 0 && !measure.name.includes('unchanged'))
        throw new Error(`${measure.name} did nothing`)
      echoes.push(await echoCost(ground, echo, requestOf(from), answerBytes, Math.max(callsPerRound, measure.kind === 'bulk' ? 4 : 400)))
    }
    // The first round warms.
    const result = { ours: medianCost(ours.slice(1)), bare: medianCost(bare.slice(1)), echo: median(echoes.slice(1)) }
    return {
      name: measure.name,
      aim: measure.aim,
      ...result,
      ratio: (total(result.ours) - result.echo) / total(result.bare),
      bodyBytes: Buffer.byteLength(requestOf(0).body),
      answerBytes,
      callsPerSide: callsPerRound * rounds,
    }
  } finally {
    await Promise.all([server.close(), echo.close()])
  }
}

async function echoCost(ground: Ground, echo: Load, request: Request, answerBytes: number, calls: number): Promise<number> {
  const same: Request = { ...request, method: 'POST', path: `/echo/${answerBytes}` }
  const { node } = await costOf(ground, ground.pids.echo, calls, () =>
    echo.run(
      () => same,
      0,
      calls,
      () => {},
    ),
  )
  return node
}

export async function measureMcp(ground: Ground, measure: Measure, rounds: number): Promise<McpResult> {
  const { callsPerRound, connections } = measure
  const load = openLoad(ground.serverUrl, connections)
  const authorization = `Bearer ${ground.key}`
  const rest = (number: number): Request => ({ ...ground.request(measure.call(number)), headers: { ...json, authorization } })
  const mcp = (number: number): Request => {
    const { operation: name, input } = measure.call(number)
    return {
      method: 'POST',
      path: '/mcp',
      headers: { ...json, authorization, accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      body: JSON.stringify({ jsonrpc: '2.0', id: number, method: 'tools/call', params: { name, arguments: input } }),
    }
  }
  const check = ({ status, text }: Answer) => {
    if (status !== 200 || text.includes('"isError":true')) throw new Error(`${measure.name}: ${status} ${text.slice(0, 300)}`)
  }
  try {
    const costs: { rest: Cost[]; mcp: Cost[] } = { rest: [], mcp: [] }
    for (let round = 0; round <= rounds; round++) {
      for (const [side, request] of [
        ['rest', rest],
        ['mcp', mcp],
      ] as const) {
        costs[side].push(
          await costOf(ground, ground.pids.server, callsPerRound, () => load.run(request, round * callsPerRound, callsPerRound, check)),
        )
      }
    }
    const result = { rest: medianCost(costs.rest.slice(1)), mcp: medianCost(costs.mcp.slice(1)) }
    return { name: `MCP ${measure.name}`, aim: 1.5, ...result, ratio: total(result.mcp) / total(result.rest) }
  } finally {
    await load.close()
  }
}
