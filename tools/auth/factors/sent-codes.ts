/** Codes that are sent as second factor: by the installation's own senders, to addresses that the person proved; no tenant's channel carries one. */
import { randomInt } from 'node:crypto'

import { takeAttempt } from '#platform/attempts.ts'
import type { Tx } from '#platform/db/pool.ts'
import { mailsTopic, queueMail, refuseWithoutMail, refuseWithoutSms } from '#platform/person-mail.ts'
import type { Secrets } from '#platform/secrets.ts'
import type { Services } from '#platform/services.ts'
import { sendLimits } from '#tools/users/service.ts'

import type { CodeChannel } from './factors.schema.ts'
import { type FactorRow, listPendingFactors } from './factors.store.ts'
import { dropCode, dropCodes, saveCode, tryCode } from './sent-codes.store.ts'

const codeMinutes = 10

const addressBound = (factorId: number) => `factor address:${factorId}`

export const sealAddress = (secrets: Secrets, factorId: number, address: string) => secrets.sealOwn(addressBound(factorId), address)

function addressOf(secrets: Secrets, { factorId, sealedSecret }: FactorRow): string {
  if (sealedSecret === null) throw new Error('A factor of codes without an address')
  return secrets.unsealOwn(addressBound(factorId), sealedSecret)
}

export const isSent = (channel: string): channel is CodeChannel => channel === 'email' || channel === 'sms'

/** Throws AppError `unavailable` where the installation has no sender for it. */
export function refuseWithoutSender(services: Services, channel: CodeChannel): void {
  if (channel === 'sms') refuseWithoutSms(services.config)
  else refuseWithoutMail(services.config)
}

// For this sign-in, session or enrolment: what was sent for another proves nothing in it.
const signed = ({ factorId, boundTo, code }: { readonly factorId: number; readonly boundTo: string; readonly code: string }) =>
  ['factor code', `${factorId}\n${boundTo}\n${code}`] as const

/** What was sent to this address for an enrolment that was begun before: a newer code is on its way there, so it is void. */
export async function voidEarlierCodes(
  tx: Tx,
  secrets: Secrets,
  { userId, channel, address }: { readonly userId: number; readonly channel: CodeChannel; readonly address: string },
): Promise<void> {
  const pending = await listPendingFactors(tx, userId, channel)
  await dropCodes(
    tx,
    pending.filter((factor) => addressOf(secrets, factor) === address).map(({ factorId }) => factorId),
  )
}

/** Sends a new one; the older is void. Throws AppError `rate_limited` where the address was sent too many, `unavailable` where there is no sender. */
export async function sendCode(services: Services, factor: FactorRow, boundTo: string, sharer: string): Promise<void> {
  const { secrets, databases, wake } = services
  const { factorId, channel } = factor
  if (!isSent(channel)) throw new Error(`No code is sent over ${channel}`)
  refuseWithoutSender(services, channel)
  const to = addressOf(secrets, factor)
  await takeAttempt(services, sendLimits(to), sharer)
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const text = `${code} is your Fieldloop code. It holds for ${codeMinutes} minutes, and once.\n\nIf you did not ask for it, somebody knows your password: change it.`
  const until = new Date(Date.now() + codeMinutes * 60_000).toISOString()
  await databases.lookUp(async (tx) => {
    await saveCode(tx, { factorId, boundTo, hash: secrets.sign(...signed({ factorId, boundTo, code })), minutes: codeMinutes })
    await queueMail(
      tx,
      services,
      channel === 'sms' ? { kind: 'sms', to, text, until } : { kind: 'mail', to, subject: 'Your code', text, until },
    )
  }, sharer)
  wake.poke(mailsTopic)
}

/** Whether it is the code that was sent for this, once; five wrong ones void it. Counted before it is looked at, so the caller commits also where it is wrong. */
export async function useSentCode(
  tx: Tx,
  secrets: Secrets,
  shown: { readonly factorId: number; readonly boundTo: string; readonly code: string },
): Promise<boolean> {
  const hash = await tryCode(tx, shown.factorId, shown.boundTo)
  return hash !== undefined && secrets.verify(...signed(shown), hash) && (await dropCode(tx, shown.factorId, hash))
}

/** An address, so far that its owner knows which it is. */
export function masked(channel: CodeChannel, address: string): string {
  if (channel === 'sms') return `${address.slice(0, 3)}…${address.slice(-3)}`
  const at = address.lastIndexOf('@')
  return `${address.slice(0, 1)}…${address.slice(at)}`
}
