/**
 * What may have ended a credential since one last looked: a log that the database keeps itself (triggers of 0082), so that it holds whoever made the change, and
 * whether or not anybody was told of it.
 */
import type { Databases } from './db/databases.ts'
import type { Actor } from './operation.ts'

/** Whether something changed under a credential. */
export type IsChanged = (actor: Pick<Actor, 'tenantId' | 'tenantUserId' | 'userId'>) => boolean

interface ChangeRow {
  /** No transaction before it is still under way. */
  readonly horizon: string
  readonly xact: string | null
  readonly subject: 'tenant' | 'membership' | 'person' | null
  readonly subjectId: number | null
}

/** With more at once everybody is asked. */
const mostAtOnce = 1_000

/**
 * Tells at each call what was committed since the call before; undefined: nothing. The first tells nothing: what its caller knows must be younger than it. One
 * statement, whose cost is that of the changes alone.
 */
export function createChangeReader(databases: Pick<Databases, 'lookUp'>): () => Promise<IsChanged | undefined> {
  let since: bigint | undefined
  /** Those from the horizon on, of which the next statement tells again. */
  let told: ReadonlySet<string> = new Set()

  return async () => {
    const rows = await databases.lookUp(
      (tx) => tx<ChangeRow[]>`
        select s.horizon::text, c.xact::text, c.subject, c.subject_id from (select pg_snapshot_xmin(pg_current_snapshot()) as horizon) s
          left join lateral (select * from platform.credential_change where xact >= ${since?.toString() ?? null}::text::xid8 limit ${mostAtOnce + 1}) c on true`,
    )
    const horizon = BigInt(rows[0]?.horizon ?? 0)
    const before = since
    since = horizon
    const changes = rows.filter((row) => row.xact !== null)
    const fresh = changes.filter(({ xact }) => xact !== null && !told.has(xact))
    told = new Set(changes.flatMap(({ xact }) => (xact !== null && BigInt(xact) >= horizon ? [xact] : [])))
    // After a failover the numbers may begin again lower down.
    if (changes.length > mostAtOnce || (before !== undefined && horizon < before)) return () => true
    if (fresh.length === 0) return undefined
    const idsOf = (subject: ChangeRow['subject']) => new Set(fresh.filter((row) => row.subject === subject).map((row) => row.subjectId))
    const [tenants, memberships, persons] = [idsOf('tenant'), idsOf('membership'), idsOf('person')]
    return ({ tenantId, tenantUserId, userId }) => tenants.has(tenantId) || memberships.has(tenantUserId) || persons.has(userId)
  }
}

const deletedAtOnce = 10_000
const roundsAtMost = 100

/** Drops what every process has long read. */
export async function dropOldChanges(databases: Pick<Databases, 'lookUp'>): Promise<void> {
  for (let round = 0; round < roundsAtMost; round++) {
    const { count } = await databases.lookUp(
      (tx) => tx`
        delete from platform.credential_change where ctid = any (array(
          select ctid from platform.credential_change where at < now() - interval '1 hour' limit ${deletedAtOnce}))`,
    )
    if (count < deletedAtOnce) return
  }
}
