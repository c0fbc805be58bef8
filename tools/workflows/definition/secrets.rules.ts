/** The secrets that owners choose for the webhooks of a definition, which are sealed beside it. */
import { z } from 'zod'

import { type Finding, finding } from '#platform/validation.ts'

import { type Said, valueAt } from './definition.types.ts'

const secretForm = z.string().min(16).max(500)
const standardForm = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/

const secretOf = (said: Said | undefined) => valueAt(said, 'config.secret')

/** A secret that nobody could sign with, and one of what no sender signs. */
export function findSecretProblems(said: Said, path: string): Finding[] {
  const secret = secretOf(said)
  if (secret === undefined) return []
  if (said['triggerType'] !== 'webhookReceived') return [finding(`${path}.config.secret`, 'Only a trigger webhookReceived has a secret.')]
  const isStandard = valueAt(said, 'config.scheme') === 'standardWebhooks'
  const read = secretForm.safeParse(secret)
  if (read.success && (!isStandard || standardForm.test(read.data))) return []
  const words = isStandard ? 'whsec_ and base64 of at least 24 bytes' : '16 to 500 characters'
  return [finding(`${path}.config.secret`, `A secret is ${words}. Leave it out to get one.`)]
}

/** By trigger those that can be signed with; `said` as it was sent, `kept` with its ids, in the same order. */
export function chosenSecrets(said: readonly Said[], kept: readonly Said[]): ReadonlyMap<number, string> {
  return new Map(
    kept.flatMap(({ triggerId }, index): [number, string][] => {
      const one = said[index]
      const secret = secretOf(one)
      return one && typeof secret === 'string' && findSecretProblems(one, '').length === 0 ? [[Number(triggerId), secret]] : []
    }),
  )
}
