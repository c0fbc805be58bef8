/**
 * Right and wrong passwords in great number, each from an address of its own, at a server that is a process of its own: what they are answered, what others wait
 * meanwhile, and who still comes in afterwards.
 */
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

import { newAddress, newPerson, type TestPerson } from '../support/persons.ts'
import { newVisitor } from '../support/portal.ts'
import type { WatchedServer } from '../support/watched-server.ts'

export interface FloodSizes {
  readonly attempts: number
  /** Over which they are spread. */
  readonly seconds: number
}

export interface FloodResult {
  readonly seconds: number
  /** How many of each status; 0: no answer. */
  readonly statuses: Readonly<Record<string, number>>
  /** Refused for the moment without a word on when to come again. */
  readonly withoutRetryAfter: number
  /** `whoami` with a key meanwhile, which had a new look at its credential each second. */
  readonly others: { readonly answers: number; readonly refusals: number; readonly medianMs: number; readonly worstMs: number }
  readonly peakMiB: number
  readonly longestTurnMs: number
  /** With the right password, once all is quiet. */
  readonly afterwards: { readonly knownBrowser: boolean; readonly stranger: number; readonly somebodyElse: number }
}

/** Behind a proxy on this machine, which tells where a call comes from. */
export const floodSettings = { TRUSTED_PROXIES: '127.0.0.0/8' }

const agent = new Agent({ keepAlive: true, maxSockets: 1_000 })

interface Answered {
  readonly status: number
  readonly retryAfter: string | undefined
}

function logIn(url: string, userName: string, password: string): Promise<Answered> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': newAddress() }
  return new Promise((resolve) => {
    const lost = () => resolve({ status: 0, retryAfter: undefined })
    request(`${url}/api/v1/auth/login`, { agent, method: 'POST', headers }, (response) => {
      const { statusCode = 0, headers: answered } = response
      response.resume().once('end', () => resolve({ status: statusCode, retryAfter: answered['retry-after'] }))
      response.once('error', lost)
    })
      .once('error', lost)
      .end(JSON.stringify({ userName, password }))
  })
}

/** A third tries the name of one person, the rest names that nobody has; each tenth is somebody with the right password. */
export async function playSignIns(server: WatchedServer, portalUrl: string, { attempts, seconds }: FloodSizes): Promise<FloodResult> {
  const { world, url } = server
  const [victim, somebody] = await Promise.all([newPerson(world, server.tenant), newPerson(world, server.tenant)])
  const known = newVisitor(portalUrl)
  await known.signIn(victim)
  const key = await server.tenant.keyWith(['DataView'])
  const tryNumber = (n: number): Promise<Answered> => {
    if (n % 10 === 0) return logIn(url, somebody.userName, somebody.password)
    return logIn(url, n % 3 === 0 ? victim.userName : `nobody-${n}`, `a wrong password ${n}`)
  }
  const probe = server.probeAs(key)
  const began = performance.now()
  const { result, peakMiB, longestMs } = await server.watch(async () => {
    const answers: Promise<Answered>[] = []
    for (let n = 0; n < attempts; n++) {
      answers.push(tryNumber(n))
      // In step with the clock: a late one is made up for.
      const aheadMs = began + ((n + 1) * seconds * 1_000) / attempts - performance.now()
      if (aheadMs > 5) await pause(aheadMs)
    }
    return Promise.all(answers)
  })
  const took = (performance.now() - began) / 1_000
  const others = await probe.take()
  await probe.stop()
  const statuses: Record<string, number> = {}
  for (const { status } of result) statuses[status] = (statuses[status] ?? 0) + 1
  return {
    seconds: Math.round(took),
    statuses,
    withoutRetryAfter: result.filter(({ status, retryAfter }) => (status === 429 || status === 503) && !(Number(retryAfter) > 0)).length,
    others: {
      answers: others.answers,
      refusals: others.refusals,
      medianMs: Math.round(others.medianMs),
      worstMs: Math.round(others.worstMs),
    },
    peakMiB,
    longestTurnMs: longestMs,
    afterwards: {
      knownBrowser: await comesIn(known, victim),
      stranger: (await logIn(url, victim.userName, victim.password)).status,
      somebodyElse: (await logIn(url, somebody.userName, somebody.password)).status,
    },
  }
}

/** With what the browser keeps of who signed in with it, and no session. */
async function comesIn(visitor: ReturnType<typeof newVisitor>, person: TestPerson): Promise<boolean> {
  visitor.cookies.delete('DevPortal.Auth')
  await visitor.signIn(person)
  return visitor.cookies.has('DevPortal.Auth')
}
