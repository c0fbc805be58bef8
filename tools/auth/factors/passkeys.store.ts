/** The SQL of passkeys and of the challenges that wait for their answer, as the look-up role. */
import { randomBytes } from 'node:crypto'

import type { Tx } from '#platform/db/pool.ts'

import type { KeptPasskey, NewPasskey } from './passkeys.ts'

/** The newer one voids the older. What is past its time goes with it. */
export async function saveChallenge(tx: Tx, boundTo: string, challenge: string, minutes: number): Promise<void> {
  await tx`delete from platform.passkey_challenge where expires_at < now()`
  await tx`
    insert into platform.passkey_challenge (bound_to, challenge, expires_at) values (${boundTo}, ${challenge}, now() + make_interval(mins => ${minutes}))
    on conflict (bound_to) do update set challenge = excluded.challenge, expires_at = excluded.expires_at`
}

/** Each once. */
export async function takeChallenge(tx: Tx, boundTo: string): Promise<string | undefined> {
  const [row] = await tx<{ challenge: string; isOpen: boolean }[]>`
    delete from platform.passkey_challenge where bound_to = ${boundTo} returning challenge, expires_at > now() as is_open`
  return row?.isOpen ? row.challenge : undefined
}

/** What authenticators know the person by: made with the first passkey, and the same for all. */
export async function passkeyHandleOf(tx: Tx, userId: number): Promise<Buffer> {
  const [row] = await tx<[{ handle: Buffer }]>`
    update platform.app_user set passkey_handle = coalesce(passkey_handle, ${randomBytes(32)}) where user_id = ${userId} returning passkey_handle as handle`
  return row.handle
}

/** Those that count. */
export async function listPasskeys(tx: Tx, userId: number): Promise<(KeptPasskey & { readonly factorId: number })[]> {
  return tx`
    select factor_id, credential_id, transports from platform.person_factor
    where user_id = ${userId} and channel = 'passkey' and confirmed_date is not null order by factor_id`
}

export interface PasskeyRow {
  readonly factorId: number
  readonly userId: number
  readonly name: string
  readonly credentialId: string
  readonly publicKey: Buffer
  readonly counter: number
  readonly handle: Buffer
}

export async function findPasskey(tx: Tx, credentialId: string): Promise<PasskeyRow | undefined> {
  const [row] = await tx<PasskeyRow[]>`
    select f.factor_id, f.user_id, f.name, f.credential_id, f.public_key, f.counter::float8 as counter, p.passkey_handle as handle
    from platform.person_factor f join platform.app_user p using (user_id)
    where f.credential_id = ${credentialId} and f.channel = 'passkey' and f.confirmed_date is not null`
  return row
}

/** Throws a unique violation of person_factor_credential where somebody has enrolled it. */
export async function keepPasskey(tx: Tx, factorId: number, { credentialId, publicKey, counter, transports }: NewPasskey): Promise<void> {
  await tx`
    update platform.person_factor set credential_id = ${credentialId}, public_key = ${publicKey}, counter = ${counter},
      transports = ${tx.array([...transports])}::text[]
    where factor_id = ${factorId}`
}

/** False where it was deleted meanwhile. */
export async function markPasskeyUsed(tx: Tx, factorId: number, counter: number): Promise<boolean> {
  const rows = await tx`
    update platform.person_factor set counter = greatest(counter, ${counter}::bigint), last_used_date = date_trunc('milliseconds', now())
    where factor_id = ${factorId} returning factor_id`
  return rows.length > 0
}
