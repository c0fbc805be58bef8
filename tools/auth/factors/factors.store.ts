/** The SQL of second factors and recovery codes, as the look-up role: they are a person's, and no tenant's. */
import type { Tx } from '#platform/db/pool.ts'

import type { Factor } from './factors.schema.ts'
import { challengeMinutes } from './passkeys.ts'

/** With those that can still be confirmed. */
export const mostFactors = 20

export interface FactorRow extends Factor {
  /** Of an app the secret, of codes that are sent the address; null: of a passkey, which is public. */
  readonly sealedSecret: Buffer | null
  readonly lastStep: number | null
}

const columns = (tx: Tx) => tx`factor_id, channel, name, created_date, last_used_date, sealed_secret, last_step::float8 as last_step`

/** Those that count, the oldest first. */
export async function listFactors(tx: Tx, userId: number): Promise<FactorRow[]> {
  return tx<FactorRow[]>`
    select ${columns(tx)} from platform.person_factor
    where user_id = ${userId} and confirmed_date is not null order by factor_id`
}

/** One that waits to be shown for the first time. */
export async function findPendingFactor(
  tx: Tx,
  { userId, factorId, channel }: { readonly userId: number; readonly factorId: number; readonly channel: Factor['channel'] },
): Promise<FactorRow | undefined> {
  const [row] = await tx<FactorRow[]>`
    select ${columns(tx)} from platform.person_factor
    where user_id = ${userId} and factor_id = ${factorId}::bigint and channel = ${channel}
      and confirmed_date is null and created_date > now() - interval '10 minutes'`
  return row
}

/** Those that wait for the code that was sent to them. */
export async function listPendingFactors(tx: Tx, userId: number, channel: Factor['channel']): Promise<FactorRow[]> {
  return tx<FactorRow[]>`
    select ${columns(tx)} from platform.person_factor
    where user_id = ${userId} and channel = ${channel} and confirmed_date is null and created_date > now() - interval '10 minutes'`
}

/** Held until the transaction ends: of two changes of a person's log-in at once the second waits for the first. */
export async function lockPerson(tx: Tx, userId: number): Promise<void> {
  await tx`select from platform.app_user where user_id = ${userId} for update`
}

/** How many a person has, with those that wait. A passkey waits as long as its challenge: what was left half way holds no place after that. */
export async function countFactors(tx: Tx, userId: number): Promise<number> {
  await lockPerson(tx, userId)
  await tx`
    delete from platform.person_factor
    where user_id = ${userId} and confirmed_date is null
      and created_date < now() - make_interval(mins => case channel when 'passkey' then ${challengeMinutes}::int else 10 end)`
  const [row] = await tx<[{ count: number }]>`select count(*)::int as count from platform.person_factor where user_id = ${userId}`
  return row.count
}

/** A secret is bound to its row, so the row comes first. */
export async function insertFactor(
  tx: Tx,
  userId: number,
  { channel, name, sealedOf }: Pick<Factor, 'channel' | 'name'> & { readonly sealedOf?: (factorId: number) => Buffer },
): Promise<number> {
  const [row] = await tx<{ factorId: number }[]>`
    insert into platform.person_factor (user_id, channel, name, created_date)
    values (${userId}, ${channel}, ${name}, date_trunc('milliseconds', now())) returning factor_id`
  if (!row) throw new Error('An insert answered no row')
  if (sealedOf) await tx`update platform.person_factor set sealed_secret = ${sealedOf(row.factorId)} where factor_id = ${row.factorId}`
  return row.factorId
}

/** False where another call was first: each step of time counts once. */
export async function useStep(tx: Tx, factorId: number, step: number): Promise<boolean> {
  const rows = await tx`
    update platform.person_factor set last_step = ${step}, last_used_date = date_trunc('milliseconds', now())
    where factor_id = ${factorId} and (last_step is null or last_step < ${step}) returning factor_id`
  return rows.length > 0
}

export async function markFactorUsed(tx: Tx, factorId: number): Promise<void> {
  await tx`update platform.person_factor set last_used_date = date_trunc('milliseconds', now()) where factor_id = ${factorId}`
}

/** Whether a link set the person's password within a day. */
export async function wasResetToday(tx: Tx, userId: number): Promise<boolean> {
  const [row] = await tx<{ was: boolean }[]>`
    select coalesce(reset_date > now() - interval '24 hours', false) as was from platform.app_user where user_id = ${userId}`
  return row?.was === true
}

export async function confirmFactor(tx: Tx, factorId: number): Promise<void> {
  await tx`update platform.person_factor set confirmed_date = date_trunc('milliseconds', now()) where factor_id = ${factorId}`
}

export async function updateFactorName(tx: Tx, userId: number, factorId: number, name: string): Promise<Factor | undefined> {
  const [row] = await tx<Factor[]>`
    update platform.person_factor set name = ${name} where user_id = ${userId} and factor_id = ${factorId}::bigint and confirmed_date is not null
    returning factor_id, channel, name, created_date, last_used_date`
  return row
}

export async function deleteFactor(tx: Tx, userId: number, factorId: number): Promise<Factor | undefined> {
  const [row] = await tx<Factor[]>`
    delete from platform.person_factor where user_id = ${userId} and factor_id = ${factorId}::bigint and confirmed_date is not null
    returning factor_id, channel, name, created_date, last_used_date`
  return row
}

/** With the codes that stand in for them. */
export async function deleteAllFactors(tx: Tx, userId: number): Promise<void> {
  await tx`delete from platform.person_factor where user_id = ${userId}`
  await tx`delete from platform.recovery_code where user_id = ${userId}`
}

export async function hasRecoveryCodes(tx: Tx, userId: number): Promise<boolean> {
  const [row] = await tx<{ has: boolean }[]>`select exists (select from platform.recovery_code where user_id = ${userId}) as has`
  return row?.has === true
}

/** The old ones are void. */
export async function replaceRecoveryCodes(tx: Tx, userId: number, hashes: readonly string[]): Promise<void> {
  await tx`delete from platform.recovery_code where user_id = ${userId}`
  if (hashes.length > 0)
    await tx`insert into platform.recovery_code (user_id, code_hash) select ${userId}, unnest(${tx.array([...hashes])}::text[])`
}

/** Each once. */
export async function useRecoveryCode(tx: Tx, userId: number, hash: string): Promise<boolean> {
  const rows = await tx`delete from platform.recovery_code where user_id = ${userId} and code_hash = ${hash} returning user_id`
  return rows.length > 0
}
