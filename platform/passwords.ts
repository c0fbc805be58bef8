/** Passwords of people: argon2id, kept as a PHC string that carries its own parameters, so that raising them later locks nobody out. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

import { AppError } from './errors.ts'
import { throttle } from './throttle.ts'

const derive = promisify(argon2)

// Each takes 19 MiB and a thread: strangers who try passwords must not take them all.
const atOnce = 4
const mostWaiting = 200
const inTurn = throttle(atOnce)
let underWay = 0

const hashInTurn = (parameters: Parameters<typeof derive>[1]): Promise<Buffer> => inTurn(() => derive('argon2id', parameters))

/**
 * Runs what ends in one hash, and whatever is asked of the database before it. Throws AppError `unavailable` where too many are at it already, before anything is
 * done for them: who floods the sign-in costs no more than the refusal.
 */
export async function inPlace<T>(work: () => Promise<T>): Promise<T> {
  if (underWay >= atOnce + mostWaiting)
    throw new AppError('unavailable', 'Too many people sign in at this moment. Try again in a few seconds.', { retryAfterSeconds: 5 })
  underWay++
  try {
    return await work()
  } finally {
    underWay--
  }
}

// OWASP's smallest set for argon2id: 19 MiB, two passes, one lane.
const memoryKiB = 19_456
const passes = 2
const parallelism = 1
const saltBytes = 16
const tagLength = 32

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** Answers `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`. Takes some ten milliseconds, on a thread of libuv's. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(saltBytes)
  const hash = await inPlace(() =>
    hashInTurn({ message: password.normalize('NFKC'), nonce, parallelism, tagLength, memory: memoryKiB, passes }),
  )
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(hash)}`
}

// Of no password: what it costs to find that out is what it costs for everybody.
const nobodys = `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${base64(Buffer.alloc(saltBytes))}$${base64(Buffer.alloc(tagLength))}`

/** Whether this is the password of a string that `hashPassword` made; false for any other string, and, as slowly, for null. */
export function verifyPassword(password: string, hashed: string | null): Promise<boolean> {
  return inPlace(() => verifyInPlace(password, hashed))
}

/** The same of whoever has a place already. */
export async function verifyInPlace(password: string, hashed: string | null): Promise<boolean> {
  const kept = hashed ?? nobodys
  const match = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/.exec(kept)
  if (!match) return false
  const [, memory, time, lanes, salt = '', hash = ''] = match
  const right = Buffer.from(hash, 'base64')
  const given = await hashInTurn({
    message: password.normalize('NFKC'),
    nonce: Buffer.from(salt, 'base64'),
    parallelism: Number(lanes),
    tagLength: right.length,
    memory: Number(memory),
    passes: Number(time),
  })
  return timingSafeEqual(given, right)
}
