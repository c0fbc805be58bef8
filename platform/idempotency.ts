/**
 * Idempotency keys: the first answer of a write is kept with the write itself, and a replay answers it again. Scoped to tenant, credential
 * and operation; kept 24 hours, those of runs longer; only answers of success are kept.
 */
import { createHash, type Hash } from 'node:crypto'
import { pipeline, Transform } from 'node:stream'

import type { Tx } from './db/pool.ts'
import { AppError } from './errors.ts'
import { finding } from './findings.ts'
import type { Upload } from './operation.ts'
import { holdsMore } from './parse.ts'
import type { Secrets } from './secrets.ts'
import { inTurns } from './turns.ts'

export interface KeyScope {
  readonly tenantId: number
  readonly credentialId: string
  readonly operation: string
  readonly key: string
  /** Of the parsed input: another body under the same key is refused. */
  readonly fingerprint: Buffer
  /** Absent: 24 hours. */
  readonly keptDays?: number | undefined
}

/** The key of a call, whatever transport it came by. Throws AppError `invalid_input` where it is no text of 1 to 200 printable ASCII characters. */
export function readIdempotencyKey(given: unknown, path: string): string | undefined {
  if (given === undefined) return undefined
  if (typeof given === 'string' && /^[\x20-\x7e]{1,200}$/.test(given)) return given
  const message = 'An idempotency key is a text of 1 to 200 printable ASCII characters.'
  throw new AppError('invalid_input', message, { issues: [finding(path, message)] })
}

const keptFor = ({ keptDays = 1 }: KeyScope) => `${keptDays} days`
/** A staged call whose process died gives its key free after this. */
const claimFor = '2 minutes'

// What has fewer parts is written at once.
const partsAtOnce = 500

/** SHA-256 of the input as JSON, with its fields in order. */
export async function fingerprintOf(input: unknown): Promise<Buffer> {
  const hash = createHash('sha256')
  await inTurns(hashInOrder(hash, input))
  return hash.digest()
}

/** Of what a person sends of their own log-in: passwords and codes are guessed from a bare hash, and not without the installation's key. */
export function sealedFingerprint(secrets: Pick<Secrets, 'sign'>, fingerprint: Buffer): Buffer {
  return Buffer.from(secrets.sign('idempotency', fingerprint.toString('base64url')), 'base64url')
}

function* hashInOrder(hash: Hash, value: unknown): Generator<void> {
  if (typeof value !== 'object' || value === null || !holdsMore(value, partsAtOnce)) {
    hash.update(JSON.stringify(ordered(value)) ?? 'null')
    return yield
  }
  const isList = Array.isArray(value)
  hash.update(isList ? '[' : '{')
  let isFirst = true
  for (const [name, part] of isList ? value.entries() : inOrder(value)) {
    if (!isList && part === undefined) continue
    hash.update(`${isFirst ? '' : ','}${isList ? '' : `${JSON.stringify(name)}:`}`)
    isFirst = false
    yield* hashInOrder(hash, part)
  }
  hash.update(isList ? ']' : '}')
}

function inOrder(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Of a call that brings a file: another name or type is another body before a byte was read, and other bytes are one after. */
export function fileFingerprint(input: Buffer, { fileName, mimeType }: Pick<Upload, 'fileName' | 'mimeType'>, bytes?: Buffer): Buffer {
  const hash = createHash('sha256')
    .update(input)
    .update(JSON.stringify([fileName, mimeType ?? null]))
  return (bytes ? hash.update(bytes) : hash).digest()
}

/** The upload with a count of its bytes: `digest` is their SHA-256 once they have been read. */
export function hashedUpload(upload: Upload): { readonly upload: Upload; digest(): Buffer } {
  const hash = createHash('sha256')
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  // Whoever reads sees the failure; this only carries it over.
  const stream = pipeline(upload.stream, meter, () => {})
  // And where nobody reads it, its failure hurts nobody.
  stream.on('error', () => {})
  let digest: Buffer | undefined
  return { upload: { ...upload, stream, isTruncated: () => upload.isTruncated() }, digest: () => (digest ??= hash.digest()) }
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(inOrder(value).map(([key, part]) => [key, ordered(part)]))
}

const inProgress = () =>
  new AppError('idempotency_in_progress', 'The first call with this idempotency key is still running. Ask again in a moment.', {
    retryAfterSeconds: 1,
  })

interface KeyRow {
  readonly isSame: boolean
  readonly answer: string | null
  readonly secretOf: string | null
  readonly isClaimed: boolean
}

async function findKey(tx: Tx, scope: KeyScope): Promise<KeyRow | undefined> {
  const [row] = await tx<KeyRow[]>`
    select fingerprint = ${scope.fingerprint} as is_same, answer, secret_of, claimed_at > now() - ${claimFor}::interval as is_claimed
    from platform.idempotency_key
    where tenant_id = ${scope.tenantId} and credential_id = ${scope.credentialId} and operation = ${scope.operation} and key = ${scope.key}
      and expires_at > now()`
  return row
}

function replayOf(row: KeyRow): string {
  if (!row.isSame)
    throw new AppError('idempotency_conflict', 'This idempotency key was used with another body. Use a new key for a new call.')
  if (row.secretOf !== null) {
    throw new AppError(
      'idempotency_conflict',
      `The first call succeeded and its secret was shown once; it made ${row.secretOf}. Revoke or rotate that one if the secret was lost.`,
    )
  }
  if (row.answer === null) throw inProgress()
  return row.answer
}

/**
 * Takes the key inside the write's own transaction. Answers the kept answer of an earlier call, or undefined when this call is the first.
 * A call that runs beside it is refused at once, without waiting for its end on a connection.
 */
export async function takeKey(tx: Tx, scope: KeyScope): Promise<string | undefined> {
  const name = `${scope.tenantId} ${scope.credentialId} ${scope.operation} ${scope.key}`
  const [lock] = await tx<{ isMine: boolean }[]>`select pg_try_advisory_xact_lock(hashtextextended(${name}, 7)) as is_mine`
  if (!lock?.isMine) throw inProgress()
  const row = await findKey(tx, scope)
  return row ? replayOf(row) : undefined
}

/** Keeps the answer in the write's transaction. `secretOf` names what was made where the answer held a secret, which is not kept. */
export async function keepAnswer(tx: Tx, scope: KeyScope, answer: { text: string } | { secretOf: string }): Promise<void> {
  const text = 'text' in answer ? answer.text : null
  const secretOf = 'secretOf' in answer ? answer.secretOf : null
  await tx`
    insert into platform.idempotency_key (tenant_id, credential_id, operation, key, fingerprint, answer, secret_of, expires_at)
    values (${scope.tenantId}, ${scope.credentialId}, ${scope.operation}, ${scope.key}, ${scope.fingerprint}, ${text}, ${secretOf}, now() + ${keptFor(scope)}::interval)
    on conflict (tenant_id, credential_id, operation, key) do update
      set fingerprint = excluded.fingerprint, answer = excluded.answer, secret_of = excluded.secret_of, claimed_at = now(), expires_at = excluded.expires_at`
}

/** Claims the key for a staged call, in a transaction of its own. Answers the kept answer where there is one. */
export async function claimKey(tx: Tx, scope: KeyScope): Promise<string | undefined> {
  const early = await takeKeyQuietly(tx, scope)
  if (early !== undefined) return early
  await tx`
    insert into platform.idempotency_key (tenant_id, credential_id, operation, key, fingerprint, expires_at)
    values (${scope.tenantId}, ${scope.credentialId}, ${scope.operation}, ${scope.key}, ${scope.fingerprint}, now() + ${keptFor(scope)}::interval)
    on conflict (tenant_id, credential_id, operation, key) do update set fingerprint = excluded.fingerprint, answer = null, claimed_at = now(),
      expires_at = excluded.expires_at`
  return undefined
}

async function takeKeyQuietly(tx: Tx, scope: KeyScope): Promise<string | undefined> {
  const name = `${scope.tenantId} ${scope.credentialId} ${scope.operation} ${scope.key}`
  const [lock] = await tx<{ isMine: boolean }[]>`select pg_try_advisory_xact_lock(hashtextextended(${name}, 7)) as is_mine`
  if (!lock?.isMine) throw inProgress()
  const row = await findKey(tx, scope)
  if (!row || (row.answer === null && row.secretOf === null && row.isSame && !row.isClaimed)) return undefined
  return replayOf(row)
}

/** Gives the key of a failed staged call free again. */
export async function freeKey(tx: Tx, scope: KeyScope): Promise<void> {
  await tx`
    delete from platform.idempotency_key
    where tenant_id = ${scope.tenantId} and credential_id = ${scope.credentialId} and operation = ${scope.operation} and key = ${scope.key} and answer is null`
}
