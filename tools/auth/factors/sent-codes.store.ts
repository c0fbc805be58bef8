/** The SQL of codes that were sent, as the look-up role. */
import type { Tx } from '#platform/db/pool.ts'

const mostTries = 5

/** The newer one voids the older. What is past its time goes with it. */
export async function saveCode(
  tx: Tx,
  code: { readonly factorId: number; readonly boundTo: string; readonly hash: string; readonly minutes: number },
): Promise<void> {
  await tx`delete from platform.factor_code where expires_at < now()`
  await tx`
    insert into platform.factor_code (factor_id, bound_to, code_hash, expires_at)
    values (${code.factorId}, ${code.boundTo}, ${code.hash}, now() + make_interval(mins => ${code.minutes}))
    on conflict (factor_id) do update set bound_to = excluded.bound_to, code_hash = excluded.code_hash, tries = 0, expires_at = excluded.expires_at`
}

/** Counts a try, and answers what is kept of the code; undefined where there is none, or it was tried too often. */
export async function tryCode(tx: Tx, factorId: number, boundTo: string): Promise<string | undefined> {
  const [row] = await tx<{ codeHash: string }[]>`
    update platform.factor_code set tries = tries + 1
    where factor_id = ${factorId} and bound_to = ${boundTo} and expires_at > now() and tries < ${mostTries} returning code_hash`
  return row?.codeHash
}

export async function dropCodes(tx: Tx, factorIds: readonly number[]): Promise<void> {
  await tx`delete from platform.factor_code where factor_id = any (${tx.array([...factorIds])}::bigint[])`
}

/** False where another call was first. */
export async function dropCode(tx: Tx, factorId: number, hash: string): Promise<boolean> {
  const rows = await tx`delete from platform.factor_code where factor_id = ${factorId} and code_hash = ${hash} returning factor_id`
  return rows.length > 0
}
