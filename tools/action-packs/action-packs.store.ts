/** All SQL of packs, their versions, and what installs have beside their definitions. */
import { fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'
import type { Found, PageRequest } from '#platform/paging.ts'

export interface PackRow {
  readonly packId: number
  readonly internalName: string
}

/** The pack of this id or name. */
export async function findPack(tx: Tx, tenantId: number, slot: IdOrName): Promise<PackRow | undefined> {
  const { id, name } = readIdOrName(slot)
  const [row] = await tx<PackRow[]>`
    select pack_id, internal_name from platform.action_pack
    where tenant_id = ${tenantId} and ${id === null ? tx`lower(internal_name) = lower(${name})` : tx`pack_id = ${id}::bigint`}`
  return row
}

export async function listPackNames(tx: Tx, tenantId: number): Promise<string[]> {
  const rows = await tx<{ internalName: string }[]>`select internal_name from platform.action_pack where tenant_id = ${tenantId}`
  return rows.map(({ internalName }) => internalName)
}

export interface NewestPack extends PackRow {
  readonly version: string
  /** JSON text. */
  readonly manifest: string
  readonly createdDate: string
}

/** By name, each with its newest version. */
export async function listPacks(tx: Tx, tenantId: number, page: PageRequest, after: string | undefined): Promise<Found<NewestPack>> {
  return fetchPage<NewestPack>(
    tx,
    page,
    tx`
      select p.pack_id, p.internal_name, v.version, v.manifest, v.created_date
      from platform.action_pack p
      cross join lateral (
        select version, (manifest::jsonb - 'steps' - 'triggers' - 'settings')::text as manifest, created_date from platform.action_pack_version
        where tenant_id = ${tenantId} and pack_id = p.pack_id
        order by sort_key collate "C" desc limit 1
      ) v
      where p.tenant_id = ${tenantId} ${after === undefined ? tx`` : tx`and lower(p.internal_name) > ${after}`}
      order by lower(p.internal_name)`,
  )
}

/** The id; undefined where the name is taken. */
export async function insertPack(tx: Tx, tenantId: number, stamp: string, internalName: string): Promise<number | undefined> {
  const [row] = await tx<{ packId: number }[]>`
    insert into platform.action_pack (tenant_id, internal_name, created_date) values (${tenantId}, ${internalName}, ${stamp})
    on conflict do nothing
    returning pack_id`
  return row?.packId
}

/** With its versions. */
export async function deletePack(tx: Tx, tenantId: number, packId: number): Promise<void> {
  await tx`delete from platform.action_pack where tenant_id = ${tenantId} and pack_id = ${packId}`
}

export interface VersionRow {
  readonly version: string
  /** JSON text. */
  readonly manifest: string
  readonly createdDate: string
}

/** False where there is one of that number. */
export async function insertPackVersion(
  tx: Tx,
  tenantId: number,
  packId: number,
  row: VersionRow & { readonly sortKey: string; readonly createdBy: number },
): Promise<boolean> {
  const { count } = await tx`
    insert into platform.action_pack_version (tenant_id, pack_id, version, sort_key, manifest, created_date, created_by)
    values (${tenantId}, ${packId}, ${row.version}, ${row.sortKey}, ${row.manifest}, ${row.createdDate}, ${row.createdBy})
    on conflict do nothing`
  return count > 0
}

/** The version of that number; the newest unless told. */
export async function findPackVersion(tx: Tx, tenantId: number, packId: number, version?: string): Promise<VersionRow | undefined> {
  const [row] = await tx<VersionRow[]>`
    select version, manifest, created_date from platform.action_pack_version
    where tenant_id = ${tenantId} and pack_id = ${packId} and (${version ?? null}::text is null or version = ${version ?? null}::text)
    order by sort_key collate "C" desc limit 1`
  return row
}

/** The newest first. */
export async function listPackVersions(tx: Tx, tenantId: number, packId: number): Promise<string[]> {
  const rows = await tx<{ version: string }[]>`
    select version from platform.action_pack_version where tenant_id = ${tenantId} and pack_id = ${packId} order by sort_key collate "C" desc`
  return rows.map(({ version }) => version)
}

/** How many packs there are, how many versions of one, and the bytes of all. */
export async function measurePacks(
  tx: Tx,
  tenantId: number,
  packId: number | null,
): Promise<{ readonly packs: number; readonly versions: number; readonly bytes: number }> {
  const [row] = await tx<[{ packs: number; versions: number; bytes: number }]>`
    select count(distinct pack_id)::int as packs, count(*) filter (where pack_id = ${packId}::int)::int as versions,
      coalesce(sum(size_bytes), 0)::float8 as bytes
    from platform.action_pack_version where tenant_id = ${tenantId}`
  return row
}

/** How many installs each pack has. */
export async function countInstalls(tx: Tx, tenantId: number, packIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await tx<{ packId: number; count: number }[]>`
    select pack_id, count(*)::int as count from platform.action_pack_install
    where tenant_id = ${tenantId} and pack_id = any (${tx.array([...packIds])}::int[])
    group by pack_id`
  return new Map(rows.map(({ packId, count }) => [packId, count]))
}

export interface InstallRow {
  readonly installId: number
  readonly packId: number
  readonly pack: string
  readonly version: string
  readonly settings: Readonly<Record<string, unknown>>
  /** The names of sensitive settings that have a value. */
  readonly sealed: readonly string[]
}

export async function findInstalls(tx: Tx, tenantId: number, installIds: readonly number[]): Promise<ReadonlyMap<number, InstallRow>> {
  if (installIds.length === 0) return new Map()
  const rows = await tx<InstallRow[]>`
    select i.install_id, i.pack_id, i.pack, i.version, i.settings,
      array(select s.name from platform.action_pack_secret s where s.tenant_id = ${tenantId} and s.install_id = i.install_id order by s.name) as sealed
    from platform.action_pack_install i
    where i.tenant_id = ${tenantId} and i.install_id = any (${tx.array([...installIds])}::int[])`
  return new Map(rows.map((row) => [row.installId, row]))
}

export async function putInstall(tx: Tx, tenantId: number, row: Omit<InstallRow, 'sealed'>): Promise<void> {
  await tx`
    insert into platform.action_pack_install (tenant_id, install_id, pack_id, pack, version, settings)
    values (${tenantId}, ${row.installId}, ${row.packId}, ${row.pack}, ${row.version}, ${JSON.stringify(row.settings)}::text::jsonb)
    on conflict (tenant_id, install_id) do update set version = excluded.version, settings = excluded.settings`
}

/** With its sensitive settings. */
export async function deleteInstall(tx: Tx, tenantId: number, installId: number): Promise<void> {
  await tx`delete from platform.action_pack_install where tenant_id = ${tenantId} and install_id = ${installId}`
}

export interface SecretRow {
  readonly name: string
  readonly mark: string
}

export async function listSecrets(tx: Tx, tenantId: number, installId: number): Promise<SecretRow[]> {
  return tx<SecretRow[]>`
    select name, mark from platform.action_pack_secret where tenant_id = ${tenantId} and install_id = ${installId}`
}

export async function putSecret(
  tx: Tx,
  tenantId: number,
  installId: number,
  row: SecretRow & { readonly sealedValue: Buffer },
): Promise<void> {
  await tx`
    insert into platform.action_pack_secret (tenant_id, install_id, name, mark, sealed_value)
    values (${tenantId}, ${installId}, ${row.name}, ${row.mark}, ${row.sealedValue})
    on conflict (tenant_id, install_id, name) do update set sealed_value = excluded.sealed_value`
}

export async function deleteSecretsBut(tx: Tx, tenantId: number, installId: number, names: readonly string[]): Promise<void> {
  await tx`
    delete from platform.action_pack_secret
    where tenant_id = ${tenantId} and install_id = ${installId} and name <> all (${tx.array([...names])}::text[])`
}

/** The sealed values behind the marks of an install. */
export async function findSealed(
  tx: Tx,
  tenantId: number,
  installId: number,
): Promise<readonly { readonly name: string; readonly mark: string; readonly sealedValue: Buffer }[]> {
  return tx<{ name: string; mark: string; sealedValue: Buffer }[]>`
    select name, mark, sealed_value from platform.action_pack_secret where tenant_id = ${tenantId} and install_id = ${installId}`
}

export async function listInstallIds(tx: Tx, tenantId: number, packId: number): Promise<number[]> {
  const rows = await tx<{ installId: number }[]>`
    select install_id from platform.action_pack_install where tenant_id = ${tenantId} and pack_id = ${packId}`
  return rows.map(({ installId }) => installId)
}
