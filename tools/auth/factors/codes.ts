/** Codes of second factors: those of authenticator apps (RFC 6238), those that were sent, and the recovery codes beside them. */
import { randomInt } from 'node:crypto'

import { Secret, TOTP } from 'otpauth'

import type { Tx } from '#platform/db/pool.ts'
import type { Secrets } from '#platform/secrets.ts'

import { type FactorRow, listFactors, markFactorUsed, useRecoveryCode, useStep } from './factors.store.ts'
import { isSent, useSentCode } from './sent-codes.ts'

const period = 30
const issuer = 'Fieldloop'
const boundTo = (factorId: number) => `factor:${factorId}`

// SHA-1, six digits and 30 seconds are what every authenticator app knows; some take no other.
const totpOf = (secret: Secret, label: string) => new TOTP({ issuer, label, algorithm: 'SHA1', digits: 6, period, secret })

export function newSecret(): Secret {
  return new Secret({ size: 20 })
}

export const sealSecret = (secrets: Secrets, factorId: number, secret: Secret) => secrets.sealOwn(boundTo(factorId), secret.base32)

/** What the app's camera reads. */
export function otpauthUri(secret: Secret, label: string): string {
  return totpOf(secret, label).toString()
}

/** The step of time that the code is of, the one before and the one after included; undefined where it is of none. */
function stepOf(secrets: Secrets, factor: FactorRow, code: string, now: number): number | undefined {
  if (factor.sealedSecret === null) return undefined
  const secret = Secret.fromBase32(secrets.unsealOwn(boundTo(factor.factorId), factor.sealedSecret))
  const delta = totpOf(secret, '').validate({ token: code, window: 1, timestamp: now })
  return delta === null ? undefined : Math.floor(now / 1000 / period) + delta
}

/** Whether it is a code of the app now, and for the first time. */
export async function useAppCode(tx: Tx, secrets: Secrets, factor: FactorRow, code: string): Promise<boolean> {
  const step = stepOf(secrets, factor, code, Date.now())
  return step !== undefined && (await useStep(tx, factor.factorId, step))
}

// Without those that are read as each other.
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const codeLength = 16
const codesOfAPerson = 10

export function newRecoveryCodes(): string[] {
  return Array.from({ length: codesOfAPerson }, () => Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join(''))
}

/** What is kept of a recovery code: without the installation's key nobody can try codes against it. */
export function hashRecoveryCode(secrets: Secrets, userId: number, code: string): string {
  return secrets.sign('recovery code', `${userId}\n${code.replaceAll(/[\s-]/g, '').toUpperCase()}`)
}

export interface CodeQuestion {
  readonly userId: number
  readonly code: string
  /** The one that was chosen; absent: the form of the code tells. */
  readonly channel?: string | null | undefined
  readonly factorId?: number | null | undefined
  /** What a code was sent for: `signIn:12`, `session:9`. */
  readonly boundTo: string
}

/** The channel of which this is a code of the person, now used up; undefined where it is of none. */
export async function useCode(
  tx: Tx,
  secrets: Secrets,
  { userId, code, channel, factorId, boundTo }: CodeQuestion,
): Promise<string | undefined> {
  const isSixDigits = /^\d{6}$/.test(code)
  if (!isSixDigits) {
    if (channel !== undefined && channel !== null && channel !== 'recovery') return undefined
    return (await useRecoveryCode(tx, userId, hashRecoveryCode(secrets, userId, code))) ? 'recovery' : undefined
  }
  for (const factor of await listFactors(tx, userId)) {
    if ((channel ?? factor.channel) !== factor.channel || (factorId ?? factor.factorId) !== factor.factorId) continue
    if (factor.channel === 'totp' && (await useAppCode(tx, secrets, factor, code))) return 'totp'
    if (isSent(factor.channel) && (await useSentCode(tx, secrets, { factorId: factor.factorId, boundTo, code }))) {
      await markFactorUsed(tx, factor.factorId)
      return factor.channel
    }
  }
  return undefined
}
