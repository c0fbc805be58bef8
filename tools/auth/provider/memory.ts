/** What a browser keeps between the steps of signing in by a provider: sealed, for ten minutes. */
import { z } from 'zod'

import type { Secrets } from '#platform/secrets.ts'

export const memorySeconds = 600
const purpose = 'sign-in by a provider'

const account = { tenantId: z.int(), issuer: z.string(), until: z.number(), returnTo: z.string() }

/** On the way there: what the answer must fit, and the invitation that is to be accepted by it. */
const away = z.object({
  ...account,
  step: z.literal('away'),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  link: z.string().optional(),
})
/** Back with an account that is nobody's yet: it waits for its person to sign in as themselves. */
const waiting = z.object({ ...account, step: z.literal('waiting'), sub: z.string(), account: z.string() })

export type AwayMemory = z.infer<typeof away>
export type WaitingMemory = z.infer<typeof waiting>

type Sealing = Pick<Secrets, 'sealOwn' | 'unsealOwn'>

export function sealMemory(secrets: Sealing, memory: Omit<AwayMemory, 'until'> | Omit<WaitingMemory, 'until'>): string {
  return secrets.sealOwn(purpose, JSON.stringify({ ...memory, until: Date.now() + memorySeconds * 1_000 })).toString('base64url')
}

function openMemory(secrets: Sealing, sealed: string | undefined): unknown {
  if (sealed === undefined) return undefined
  try {
    return JSON.parse(secrets.unsealOwn(purpose, Buffer.from(sealed, 'base64url')))
  } catch {
    // Not ours, or of another key.
    return undefined
  }
}

function holding<T extends { readonly until: number }>(parsed: z.ZodSafeParseResult<T>): T | undefined {
  return parsed.success && parsed.data.until > Date.now() ? parsed.data : undefined
}

export const openAway = (secrets: Sealing, sealed: string | undefined) => holding(away.safeParse(openMemory(secrets, sealed)))
export const openWaiting = (secrets: Sealing, sealed: string | undefined) => holding(waiting.safeParse(openMemory(secrets, sealed)))
