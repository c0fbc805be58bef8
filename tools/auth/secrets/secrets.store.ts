/** SQL of named secrets. */
import type { Tx } from '#platform/db/pool.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'

export interface SecretRow {
  readonly secretId: number
  readonly internalName: string
  readonly hosts: readonly string[]
  readonly header: string | null
  readonly prefix: string | null
  readonly createdDate: string
  readonly modifiedDate: string
  readonly lastUsedDate: string | null
}

const columns = (tx: Tx) => tx`secret_id, internal_name, hosts, header, prefix, created_date, modified_date, last_used_date`

/** Those of the tenant in the order of their names. */
export async function listSecretRows(tx: Tx, tenantId: number): Promise<SecretRow[]> {
  return tx<SecretRow[]>`select ${columns(tx)} from platform.secret where tenant_id = ${tenantId} order by lower(internal_name)`
}

export async function findSecretRow(tx: Tx, tenantId: number, slot: IdOrName): Promise<SecretRow | undefined> {
  const { id, name } = readIdOrName(slot)
  const [row] = await tx<SecretRow[]>`
    select ${columns(tx)} from platform.secret
    where tenant_id = ${tenantId} and ${id === null ? tx`lower(internal_name) = lower(${name})` : tx`secret_id = ${id}::bigint`}
    for update`
  return row
}

/** Undefined where the tenant has as many as it may. */
export async function insertSecret(
  tx: Tx,
  tenantId: number,
  stamp: string,
  most: number,
  row: Pick<SecretRow, 'internalName' | 'hosts' | 'header' | 'prefix'>,
): Promise<number | undefined> {
  const [inserted] = await tx<{ secretId: number }[]>`
    insert into platform.secret (tenant_id, internal_name, hosts, header, prefix, created_date, modified_date)
    select ${tenantId}, ${row.internalName}, ${[...row.hosts]}, ${row.header}, ${row.prefix}, ${stamp}, ${stamp}
    where (select count(*) from platform.secret where tenant_id = ${tenantId}) < ${most}
    returning secret_id`
  return inserted?.secretId
}

export async function setSecret(
  tx: Tx,
  tenantId: number,
  stamp: string,
  row: Pick<SecretRow, 'secretId' | 'hosts' | 'header' | 'prefix'> & { readonly sealedValue: Buffer },
): Promise<void> {
  await tx`
    update platform.secret
    set hosts = ${[...row.hosts]}, header = ${row.header}, prefix = ${row.prefix}, sealed_value = ${row.sealedValue}, modified_date = ${stamp}
    where tenant_id = ${tenantId} and secret_id = ${row.secretId}`
}

export async function deleteSecretRow(tx: Tx, tenantId: number, secretId: number): Promise<void> {
  await tx`delete from platform.secret where tenant_id = ${tenantId} and secret_id = ${secretId}`
}

/** Those of the names, with their sealed values. */
export async function listSealedSecrets(
  tx: Tx,
  tenantId: number,
  names: readonly string[],
): Promise<(SecretRow & { readonly sealedValue: Buffer })[]> {
  return tx<(SecretRow & { readonly sealedValue: Buffer })[]>`
    select ${columns(tx)}, sealed_value from platform.secret
    where tenant_id = ${tenantId} and lower(internal_name) = any (${tx.array(names.map((name) => name.toLowerCase()))}::text[])`
}

/** To the minute: calls that send the same secret at once do not wait for each other. */
export async function noteUse(tx: Tx, tenantId: number, secretIds: readonly number[], stamp: string): Promise<void> {
  await tx`
    update platform.secret set last_used_date = ${stamp}
    where tenant_id = ${tenantId} and secret_id = any (${tx.array([...secretIds])}::bigint[])
      and (last_used_date is null or last_used_date < ${stamp}::timestamptz - interval '1 minute')`
}
