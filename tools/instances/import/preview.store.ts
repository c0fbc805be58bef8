/** All SQL of what dry imports would have made. */
import type { Tx } from '#platform/db/pool.ts'

export interface Preview {
  /** Hexadecimal. */
  readonly keyHash: string
  readonly parentHash: string | null
  /** A row to be saved, as JSON. */
  readonly save: string
}

interface OfJob {
  readonly tenantId: number
  readonly jobId: number
}

const deepest = 1_000
const keptDays = 30

/** What earlier rows made of these keys, and of the parents above them: parents first. Undefined where there are more, or deeper ones, than may be. */
export async function listPreviews(tx: Tx, job: OfJob, keyHashes: readonly string[], most: number): Promise<Preview[] | undefined> {
  const rows = await tx<(Preview & { depth: number; looked: number })[]>`
    with recursive above as (
      select key_hash, parent_hash, 0 as depth from platform.import_preview
      where tenant_id = ${job.tenantId} and job_id = ${job.jobId}
        and key_hash in (select decode(hash, 'hex') from unnest(${tx.array([...keyHashes])}::text[]) hash)
      union
      select p.key_hash, p.parent_hash, above.depth + 1 from above
      join platform.import_preview p on p.tenant_id = ${job.tenantId} and p.job_id = ${job.jobId} and p.key_hash = above.parent_hash
      where above.depth < ${deepest}
    ), bounded as (
      select * from above limit ${most + 1}
    ), placed as (
      select key_hash, max(depth) as depth from bounded group by key_hash
    )
    select encode(p.key_hash, 'hex') as key_hash, encode(p.parent_hash, 'hex') as parent_hash, p.save, placed.depth,
      (select count(*)::int from bounded) as looked
    from placed join platform.import_preview p on p.tenant_id = ${job.tenantId} and p.job_id = ${job.jobId} and p.key_hash = placed.key_hash
    order by placed.depth desc`
  const isBeyond = rows.some(({ depth, looked }) => depth >= deepest || looked > most)
  return isBeyond ? undefined : rows.map(({ keyHash, parentHash, save }) => ({ keyHash, parentHash, save }))
}

/** Writes what these keys now are. */
export async function savePreviews(tx: Tx, job: OfJob, previews: readonly Preview[]): Promise<void> {
  if (previews.length === 0) return
  await tx`
    insert into platform.import_preview (tenant_id, job_id, key_hash, parent_hash, save)
    select ${job.tenantId}::int, ${job.jobId}::bigint, decode("keyHash", 'hex'), decode("parentHash", 'hex'), save
    from json_to_recordset(${JSON.stringify(previews)}::text::json) as given ("keyHash" text, "parentHash" text, save text)
    on conflict (tenant_id, job_id, key_hash) do update set parent_hash = excluded.parent_hash, save = excluded.save`
}

/** Drops what the job has left, and what jobs left that ended long ago and were not retried. */
export async function deletePreviews(tx: Tx, job: OfJob): Promise<void> {
  await tx`
    delete from platform.import_preview p using platform.job j
    where p.tenant_id = ${job.tenantId} and j.tenant_id = p.tenant_id and j.job_id = p.job_id
      and (p.job_id = ${job.jobId} or j.finished_date < now() - ${`${keptDays} days`}::interval)`
}
