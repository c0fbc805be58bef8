/**
 * Calls of the public operations, typed by the API's own OpenAPI document. A call that finds the session over waits until the person has signed in again, on this
 * page, and then goes again as it was: what somebody had typed is not lost.
 */
import createClient from 'openapi-fetch'

import type { components, paths } from './api-types.d.ts'
import { tenant } from './page.ts'
import { proveAgain, signInAgain } from './session.ts'

type Problem = components['schemas']['Problem']

/** Why there is no answer: the API's own words, or that it was not reached, or that something between answered in its place. */
export interface Trouble {
  readonly code: Problem['code'] | 'offline' | 'no_answer'
  readonly detail: string
  readonly issues?: Problem['issues'] | undefined
  readonly requestId?: string | undefined
}

/** A call that was refused or did not arrive. */
export class Refusal extends Error {
  readonly problem: Trouble
  constructor(problem: Trouble) {
    super(problem.detail)
    this.problem = problem
  }
}

/** Each may be asked for once in a call: whoever cancels hears the refusal. */
const remedies: readonly { readonly fits: (status: number, code: string | undefined) => boolean; readonly help: () => Promise<boolean> }[] =
  [
    { fits: (status) => status === 401, help: signInAgain },
    { fits: (status, code) => status === 403 && code === 'fresh_proof_required', help: proveAgain },
  ]

async function codeOf(response: Response): Promise<string | undefined> {
  const body: unknown = await response.json().catch(() => undefined)
  return typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string' ? body.code : undefined
}

async function insist(request: Request): Promise<Response> {
  let left = remedies
  for (;;) {
    const response = await fetch(request.clone())
    if ((response.status !== 401 && response.status !== 403) || request.headers.has('x-background')) return response
    const code = await codeOf(response.clone())
    const remedy = left.find(({ fits }) => fits(response.status, code))
    if (!remedy || !(await remedy.help())) return response
    left = left.filter((one) => one !== remedy)
  }
}

export const api = createClient<paths>({ baseUrl: `/t/${tenant}`, fetch: insist })

/** The headers of a call that is to happen once, however often it is sent. */
export function once(): Record<'Idempotency-Key', string> {
  return {
    'Idempotency-Key': Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  }
}

/** The headers of a call that nobody asked for: it keeps no session alive, and its refusal opens no dialog. */
export const inBackground = { 'X-Background': '1' }

interface Answer {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body
}

/** What the call answered; throws a Refusal. */
export async function dataOf<A extends Answer>(call: Promise<A>): Promise<Exclude<A['data'], undefined>> {
  return (await answerOf(call)).data
}

/** With its headers. */
export async function answerOf<A extends Answer>(call: Promise<A>): Promise<{ data: Exclude<A['data'], undefined>; headers: Headers }> {
  const { data, error, response } = await call.catch((): never => {
    throw new Refusal({ code: 'offline', detail: '' })
  })
  if (!response.ok) throw new Refusal(isProblem(error) ? error : { code: 'no_answer', detail: '' })
  // An answer that is ok has the body that the document says.
  return { data: data as Exclude<A['data'], undefined>, headers: response.headers }
}

/** As much of an answer as a page shows. */
const mostShown = 200_000

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

/** A call as somebody typed it, in the session or by a key; its answer as text. */
export async function tryCall(call: {
  readonly method: string
  readonly address: string
  readonly body: string | undefined
  readonly key: string
}) {
  const headers = new Headers(once())
  if (call.body !== undefined) headers.set('content-type', 'application/json')
  if (call.key !== '') headers.set('authorization', `Bearer ${call.key}`)
  const request = new Request(call.address, { method: call.method, headers, ...(call.body === undefined ? {} : { body: call.body }) })
  const began = performance.now()
  const response = await (call.key === '' ? insist(request) : fetch(request)).catch((): never => {
    throw new Refusal({ code: 'offline', detail: '' })
  })
  const text = await response.text()
  return { status: response.status, ms: Math.round(performance.now() - began), text: pretty(text).slice(0, mostShown) }
}
