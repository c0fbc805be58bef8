/** SQL of stored definitions and of what they use. */
import { fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'
import type { Found } from '#platform/paging.ts'

import type { DefinitionKind } from './definitions.schema.ts'
import type { Subject } from './references.rules.ts'
import type { Viewer } from './visibility.rules.ts'

export interface DefinitionRow {
  readonly definitionId: number
  readonly kind: DefinitionKind
  readonly entityId: number | null
  readonly internalName: string
  readonly description: string
  /** JSON text. */
  readonly body: string
  /** JSON text. */
  readonly refs: string
  readonly ownerId: number
  readonly isShared: boolean
  readonly isApiVisible: boolean
  readonly isSystem: boolean
  readonly createdDate: string
  readonly modifiedDate: string
}

const columns = (tx: Tx) => tx`
  d.definition_id, d.kind, d.entity_id, d.internal_name, d.description, d.body, d.refs, d.owner_id,
  d.is_shared, d.is_api_visible, d.is_system, d.created_date, d.modified_date`

const seenBy = (tx: Tx, viewer: Viewer) => tx`
  (${viewer.seesAll}::boolean or d.is_shared or d.owner_id = ${viewer.tenantUserId}) and (d.is_api_visible or not ${viewer.isApi}::boolean)`

const under = (tx: Tx, entityId: number | null) => (entityId === null ? tx`` : tx`and d.entity_id = ${entityId}`)

/** Of a kind that is part of another definition: those of this one. */
const within = (tx: Tx, partOf: number | undefined) =>
  partOf === undefined
    ? tx``
    : tx`and exists (
        select from platform.definition_use p
        where p.tenant_id = d.tenant_id and p.definition_id = d.definition_id and p.used_definition_id = ${partOf})`

/** The definition of this id or name that the viewer sees, under this entity where one is given. */
export async function findDefinition(
  tx: Tx,
  tenantId: number,
  by: {
    readonly kind: DefinitionKind
    readonly slot: IdOrName
    readonly entityId: number | null
    readonly partOf?: number | undefined
    readonly viewer: Viewer
  },
): Promise<DefinitionRow | undefined> {
  const { id, name } = readIdOrName(by.slot)
  const [row] = await tx<DefinitionRow[]>`
    select ${columns(tx)} from platform.definition d
    where d.tenant_id = ${tenantId} and d.kind = ${by.kind} ${under(tx, by.entityId)} ${within(tx, by.partOf)} and ${seenBy(tx, by.viewer)}
      and ${id === null ? tx`lower(d.internal_name) = lower(${name})` : tx`d.definition_id = ${id}::bigint`}`
  return row
}

/** Those of a kind that these ids and names lead to, whoever owns them. */
export async function findDefinitions(
  tx: Tx,
  tenantId: number,
  kind: DefinitionKind,
  slots: readonly IdOrName[],
): Promise<DefinitionRow[]> {
  const read = slots.map(readIdOrName)
  const ids = read.flatMap(({ id }) => id ?? [])
  const names = read.flatMap(({ name }) => name?.toLowerCase() ?? [])
  return tx<DefinitionRow[]>`
    select ${columns(tx)} from platform.definition d
    where d.tenant_id = ${tenantId} and d.kind = ${kind}
      and (d.definition_id = any(${ids}::bigint[]) or lower(d.internal_name) = any(${names}::text[]))`
}

/** A page of those that the viewer sees, in the order of their names. */
export async function listDefinitions(
  tx: Tx,
  tenantId: number,
  by: {
    readonly kind: DefinitionKind
    readonly entityId: number | null
    readonly partOf?: number | undefined
    readonly viewer: Viewer
    readonly after: string | undefined
  },
  page: { readonly pageSize: number; readonly offset: number; readonly bytes: number },
): Promise<Found<DefinitionRow>> {
  return fetchPage<DefinitionRow>(
    tx,
    page,
    tx`select ${columns(tx)} from platform.definition d
      where d.tenant_id = ${tenantId} and d.kind = ${by.kind} ${under(tx, by.entityId)} ${within(tx, by.partOf)} and ${seenBy(tx, by.viewer)}
        ${by.after === undefined ? tx`` : tx`and lower(d.internal_name) > ${by.after}`}
      order by lower(d.internal_name)`,
  )
}

/** Names of those that the viewer sees, for suggestions. */
export async function listDefinitionNames(
  tx: Tx,
  tenantId: number,
  by: { readonly kind: DefinitionKind; readonly entityId: number | null; readonly partOf?: number | undefined; readonly viewer: Viewer },
): Promise<string[]> {
  const rows = await tx<{ internalName: string }[]>`
    select d.internal_name from platform.definition d
    where d.tenant_id = ${tenantId} and d.kind = ${by.kind} ${under(tx, by.entityId)} ${within(tx, by.partOf)} and ${seenBy(tx, by.viewer)}`
  return rows.map((row) => row.internalName)
}

/** What an entity has one of, or all of such a kind: access rules. */
export async function listOfEntities(tx: Tx, tenantId: number, kind: DefinitionKind, entityId?: number): Promise<DefinitionRow[]> {
  return tx<DefinitionRow[]>`
    select ${columns(tx)} from platform.definition d
    where d.tenant_id = ${tenantId} and d.kind = ${kind} ${under(tx, entityId ?? null)}`
}

/** Of every kind, in the order of their ids, from behind one of them on. */
export async function listDefinitionsAfter(tx: Tx, tenantId: number, after: number, limit: number): Promise<DefinitionRow[]> {
  return tx<DefinitionRow[]>`
    select ${columns(tx)} from platform.definition d
    where d.tenant_id = ${tenantId} and d.definition_id > ${after}::bigint
    order by d.definition_id
    limit ${limit}`
}

export interface DefinitionHead {
  readonly definitionId: number
  readonly kind: DefinitionKind
  readonly internalName: string
  readonly description: string
}

/** What the viewer sees of these kinds, by name, without what it says. */
export async function listHeads(tx: Tx, tenantId: number, kinds: readonly DefinitionKind[], viewer: Viewer): Promise<DefinitionHead[]> {
  return tx<DefinitionHead[]>`
    select d.definition_id, d.kind, d.internal_name, d.description from platform.definition d
    where d.tenant_id = ${tenantId} and d.kind = any(${[...kinds]}::text[]) and ${seenBy(tx, viewer)}
    order by lower(d.internal_name)`
}

/** Today's names of these definitions. */
export async function findDefinitionNames(tx: Tx, tenantId: number, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await tx<{ definitionId: number; internalName: string }[]>`
    select definition_id, internal_name from platform.definition where tenant_id = ${tenantId} and definition_id = any(${ids}::int[])`
  return new Map(rows.map((row) => [row.definitionId, row.internalName]))
}

/** How many definitions of a kind there are, and how many bytes all kinds take. */
export async function measureDefinitions(tx: Tx, tenantId: number, kind: DefinitionKind): Promise<{ count: number; bytes: number }> {
  const [row] = await tx<[{ count: number; bytes: number }]>`
    select count(*) filter (where kind = ${kind})::int as count, coalesce(sum(octet_length(body) + octet_length(refs) + octet_length(description)), 0)::float8 as bytes
    from platform.definition where tenant_id = ${tenantId}`
  return row
}

export type NewDefinition = Omit<DefinitionRow, 'definitionId' | 'createdDate' | 'modifiedDate' | 'isSystem'>

/** The id of the new definition; undefined where the name is taken. */
export async function insertDefinition(tx: Tx, tenantId: number, stamp: string, row: NewDefinition): Promise<number | undefined> {
  const [inserted] = await tx<{ definitionId: number }[]>`
    insert into platform.definition (tenant_id, kind, entity_id, internal_name, description, body, refs, owner_id, is_shared, is_api_visible,
      created_date, modified_date)
    values (${tenantId}, ${row.kind}, ${row.entityId}, ${row.internalName}, ${row.description}, ${row.body}, ${row.refs}, ${row.ownerId},
      ${row.isShared}, ${row.isApiVisible}, ${stamp}, ${stamp})
    on conflict do nothing
    returning definition_id`
  return inserted?.definitionId
}

export async function updateDefinition(
  tx: Tx,
  tenantId: number,
  stamp: string,
  row: Pick<DefinitionRow, 'definitionId' | 'internalName' | 'description' | 'body' | 'refs' | 'isShared' | 'isApiVisible'>,
): Promise<void> {
  await tx`
    update platform.definition
    set internal_name = ${row.internalName}, description = ${row.description}, body = ${row.body}, refs = ${row.refs}, is_shared = ${row.isShared},
      is_api_visible = ${row.isApiVisible}, modified_date = ${stamp}
    where tenant_id = ${tenantId} and definition_id = ${row.definitionId}`
}

export async function deleteDefinitionRow(tx: Tx, tenantId: number, definitionId: number): Promise<void> {
  await tx`delete from platform.definition where tenant_id = ${tenantId} and definition_id = ${definitionId}`
}

/** Deletes all of a kind that are part of a definition, whoever owns them. */
export async function deleteParts(tx: Tx, tenantId: number, kind: DefinitionKind, partOf: number): Promise<void> {
  await tx`delete from platform.definition d where d.tenant_id = ${tenantId} and d.kind = ${kind} ${within(tx, partOf)}`
}

/** Writes what a definition uses, in place of what it used. */
export async function replaceUses(tx: Tx, tenantId: number, definitionId: number, subjects: readonly Required<Subject>[]): Promise<void> {
  await tx`delete from platform.definition_use where tenant_id = ${tenantId} and definition_id = ${definitionId}`
  if (subjects.length === 0) return
  await tx`
    insert into platform.definition_use (tenant_id, definition_id, entity_id, property_id, option_id, other_entity_id, used_definition_id)
    select ${tenantId}, ${definitionId}, r."entityId", r."propertyId", r."optionId", r."otherEntityId", r."definitionId"
    from json_to_recordset(${JSON.stringify(subjects)}::text::json) as r("entityId" int, "propertyId" int, "optionId" int, "otherEntityId" int,
      "definitionId" int)`
}

export interface DefinitionUser {
  readonly kind: DefinitionKind
  readonly definitionId: number
  readonly internalName: string
  /** Whether the viewer sees it. */
  readonly isSeen: boolean
}

/** The definitions that use something, whoever owns them, at most so many, in the order of their names. Access rules go by the name of their entity. */
export async function listUsers(tx: Tx, tenantId: number, subject: Subject, viewer: Viewer, limit: number): Promise<DefinitionUser[]> {
  const { entityId, propertyId, optionId, otherEntityId, definitionId } = subject
  const relation =
    otherEntityId === undefined || entityId === undefined
      ? undefined
      : tx`(u.entity_id, u.other_entity_id) in ((${entityId}, ${otherEntityId}), (${otherEntityId}, ${entityId}))`
  const whole = entityId === undefined ? undefined : tx`(u.entity_id = ${entityId} or u.other_entity_id = ${entityId})`
  const property =
    propertyId === undefined
      ? undefined
      : tx`u.property_id = ${propertyId} ${entityId === undefined ? tx`` : tx`and u.entity_id = ${entityId}`}`
  const condition =
    definitionId !== undefined
      ? // One that calls itself is no other user.
        tx`u.used_definition_id = ${definitionId} and u.definition_id <> ${definitionId}`
      : optionId !== undefined
        ? tx`u.option_id = ${optionId}`
        : (relation ?? property ?? whole ?? tx`false`)
  return tx<DefinitionUser[]>`
    select d.kind, d.definition_id, coalesce(e.internal_name, d.internal_name) as internal_name, ${seenBy(tx, viewer)} as is_seen
    from platform.definition d
      left join platform.entity e on d.kind = 'access' and e.tenant_id = d.tenant_id and e.entity_id = d.entity_id
    where d.tenant_id = ${tenantId}
      and exists (select from platform.definition_use u where u.tenant_id = ${tenantId} and u.definition_id = d.definition_id and ${condition})
    order by lower(coalesce(e.internal_name, d.internal_name)), d.definition_id
    limit ${limit}`
}

/** The names of menu items that open a definition, whoever made them, at most so many. */
export async function listOpeningItems(tx: Tx, tenantId: number, definitionId: number, limit: number): Promise<string[]> {
  const rows = await tx<{ internalName: string }[]>`
    select internal_name from platform.menu_item where tenant_id = ${tenantId} and target_id = ${definitionId}
    order by lower(internal_name)
    limit ${limit}`
  return rows.map((row) => row.internalName)
}
