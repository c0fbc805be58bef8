/** The SQL of resets of second factors, as the look-up role: they are a person's, and no tenant's. */
import type { Tx } from '#platform/db/pool.ts'

export async function readFactorsOf(tx: Tx, userId: number): Promise<{ readonly isPerson: boolean; readonly hasFactor: boolean }> {
  const [row] = await tx<[{ isPerson: boolean; hasFactor: boolean }]>`
    select exists (select from platform.tenant_user where user_id = ${userId} and not is_service) as is_person,
      platform.has_second_factor(${userId}) as has_factor`
  return row
}

/** When it is due; undefined where one waits already. */
export async function insertFactorReset(
  tx: Tx,
  reset: { readonly userId: number; readonly hash: Buffer; readonly hours: number },
): Promise<string | undefined> {
  const [row] = await tx<{ dueAt: string }[]>`
    insert into platform.factor_reset (user_id, token_hash, asked_date, due_at)
    values (${reset.userId}, ${reset.hash}, now(), date_trunc('milliseconds', now()) + make_interval(hours => ${reset.hours}))
    on conflict (user_id) do nothing returning due_at`
  return row?.dueAt
}

/** When the one that waits is due. */
export async function findFactorReset(tx: Tx, userId: number): Promise<string | undefined> {
  const [row] = await tx<{ dueAt: string }[]>`select due_at from platform.factor_reset where user_id = ${userId}`
  return row?.dueAt
}

export async function isObjection(tx: Tx, hash: Buffer): Promise<boolean> {
  const rows = await tx`select 1 from platform.factor_reset where token_hash = ${hash} and due_at > now()`
  return rows.length > 0
}

/** Whose it was, who objected in time; undefined where there is none. */
export async function dropFactorReset(tx: Tx, hash: Buffer): Promise<number | undefined> {
  const [row] = await tx<{ userId: number }[]>`
    delete from platform.factor_reset where token_hash = ${hash} and due_at > now() returning user_id`
  return row?.userId
}

/** One that is due, taken: whoever takes it carries it out in the same transaction. */
export async function takeDueFactorReset(tx: Tx): Promise<number | undefined> {
  const [row] = await tx<{ userId: number }[]>`
    delete from platform.factor_reset where user_id = (
      select user_id from platform.factor_reset where due_at <= now() order by due_at limit 1 for update skip locked)
    returning user_id`
  return row?.userId
}
