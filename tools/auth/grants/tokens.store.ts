/** The SQL of what the authorization server keeps, as the look-up role: tokens and codes by their hash, applications, and authorizations under way. */
import type { Tx } from '#platform/db/pool.ts'

export type Payload = Readonly<Record<string, unknown>>

export interface NewToken {
  readonly hash: Buffer
  readonly kind: 'code' | 'access' | 'refresh'
  readonly grantId: number
  readonly resource: string
  readonly roleFlag: number | null
  readonly payload: Payload
  /** How long it is kept, which for what counts once is longer than it counts. */
  readonly keptSeconds: number
}

/** False where its grant has ended meanwhile. */
export async function insertToken(tx: Tx, token: NewToken): Promise<boolean> {
  await tx`delete from platform.oauth_token where expires_at < now()`
  const rows = await tx`
    insert into platform.oauth_token (tenant_id, grant_id, token_hash, kind, resource, role_flag, payload, created_date, expires_at)
    select g.tenant_id, g.grant_id, ${token.hash}, ${token.kind}, ${token.resource}, ${token.roleFlag}, ${JSON.stringify(token.payload)}::text::jsonb, now(),
      now() + make_interval(secs => ${token.keptSeconds})
    from platform.oauth_grant g where g.grant_id = ${token.grantId}
    -- One that ends at the same moment is waited for, and then there is none to insert under.
    for key share of g
    returning grant_id`
  return rows.length > 0
}

export interface TokenRow {
  readonly payload: Payload
  /** Seconds since it was used first; null: it was not. */
  readonly usedSecondsAgo: number | null
}

export async function findToken(tx: Tx, kind: NewToken['kind'], hash: Buffer): Promise<TokenRow | undefined> {
  const [row] = await tx<TokenRow[]>`
    select payload, extract(epoch from now() - used_date)::float8 as used_seconds_ago
    from platform.oauth_token where token_hash = ${hash} and kind = ${kind}`
  return row
}

/**
 * Marks it used, once, or again within so many seconds of the first time. Answers its grant, and whether it counted. Without a grace times are not compared:
 * whoever waited for the row began before whoever had it.
 */
export async function useToken(tx: Tx, hash: Buffer, graceSeconds: number): Promise<{ grantId: number; counts: boolean } | undefined> {
  const [row] = await tx<{ grantId: number; counts: boolean }[]>`
    update platform.oauth_token as k set used_date = coalesce(k.used_date, now())
    from (select token_hash, used_date from platform.oauth_token where token_hash = ${hash} for update) before
    where k.token_hash = before.token_hash
    returning k.grant_id,
      before.used_date is null or (${graceSeconds}::int > 0 and before.used_date > now() - make_interval(secs => ${graceSeconds})) as counts`
  return row
}

export async function deleteToken(tx: Tx, hash: Buffer): Promise<void> {
  await tx`delete from platform.oauth_token where token_hash = ${hash}`
}

/** What nobody let in within a day goes, and what was let in once and is in nobody's grant after a year. */
export async function insertClient(tx: Tx, clientId: string, sealed: Buffer): Promise<void> {
  await tx`delete from platform.oauth_client where used_date is null and created_date < now() - interval '1 day'`
  await tx`
    delete from platform.oauth_client c where used_date < now() - interval '1 year'
      and not exists (select from platform.oauth_grant g where g.client_id = c.client_id)`
  await tx`insert into platform.oauth_client (client_id, sealed) values (${clientId}, ${sealed})`
}

export async function findClient(tx: Tx, clientId: string): Promise<Buffer | undefined> {
  const [row] = await tx<{ sealed: Buffer }[]>`
    select sealed from platform.oauth_client
    where client_id = ${clientId} and (used_date is not null or created_date > now() - interval '1 day')`
  return row?.sealed
}

export async function savePending(tx: Tx, hash: Buffer, payload: Payload, seconds: number): Promise<void> {
  await tx`delete from platform.oauth_pending where expires_at < now()`
  await tx`
    insert into platform.oauth_pending (id_hash, payload, expires_at)
    values (${hash}, ${JSON.stringify(payload)}::text::jsonb, now() + make_interval(secs => ${seconds}))
    on conflict (id_hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`
}

export async function findPending(tx: Tx, hash: Buffer): Promise<Payload | undefined> {
  const [row] = await tx<{ payload: Payload }[]>`select payload from platform.oauth_pending where id_hash = ${hash} and expires_at > now()`
  return row?.payload
}

export async function deletePending(tx: Tx, hash: Buffer): Promise<void> {
  await tx`delete from platform.oauth_pending where id_hash = ${hash}`
}
