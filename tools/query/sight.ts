/** The caller's sight of an entity: which of its access rules reach them, with the values that their tokens take now. */
import { createHash } from 'node:crypto'

import { inRecords } from '#platform/db/records.ts'
import type { TxContext } from '#platform/operation.ts'
import type { AccessRule, Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { type Caller, findCaller } from '#tools/entities/service.ts'
import type { Scalar } from '#tools/properties/service.ts'

import { filterSql } from './conditions.rules.ts'
import { columnsSeen } from './columns-seen.ts'
import { isTimeWord } from './moments.rules.ts'
import { readUserToken, tokensOfFilter, withValues } from './rule-filters.rules.ts'
import { parseQuery } from './parse.rules.ts'
import { type Asker, clockOf, parseReaching } from './reach.ts'
import { countRows, findDocumentsOf } from './read.store.ts'
import type { Sight, SightRule } from './sight.rules.ts'
import { openSource, type Readable } from './source.rules.ts'

/** The entity without anybody's sight: what rules themselves are asked of. */
export async function unbound(context: TxContext, catalog: Catalog, entity: CatalogEntity): Promise<Readable> {
  const wanted = entity.properties.map((property) => `c${property.columnId}`)
  return { catalog, entity, present: await columnsSeen(context, entity, wanted), sight: undefined }
}

/** Rules are asked of all records, at the caller's time. */
function asker(context: TxContext, catalog: Catalog): Asker {
  return { look: (entity) => unbound(context, catalog, entity), clock: () => clockOf(context) }
}

/** The records of an entity that are the caller. */
function linkedTo(caller: Caller | undefined, entityId: number): number[] {
  return (caller?.links ?? []).flatMap((link) => (link.entityId === entityId ? link.eiRecordId : []))
}

/** Whether a record that is the caller fulfils the filter. */
async function isAmong(context: TxContext, catalog: Catalog, caller: Caller | undefined, people: { entityId: number; filter: unknown }) {
  const ids = linkedTo(caller, people.entityId)
  const entity = catalog.byIdOrName.get(String(people.entityId))
  const readable = ids.length > 0 && entity?.isTenantUserRole ? await unbound(context, catalog, entity) : undefined
  if (!readable || readable.present.size === 0) return false
  const source = openSource(readable)
  const linked = { rules: [{ property: 'eiRecordId', op: 'in', value: ids }] }
  const filterRules = { groups: [linked, groupOf(people.filter)] }
  const { filter, issues } = await parseReaching(catalog, source, { filterRules }, asker(context, catalog))
  if (issues.length > 0) return false
  return (await inRecords(context.tx, context.tenantId, () => countRows(context.tx, source, { filter }, 1))) > 0
}

const groupOf = (filter: unknown): unknown => (Array.isArray(filter) ? { rules: filter as unknown[] } : (filter ?? {}))

async function reaches(
  context: TxContext,
  catalog: Catalog,
  caller: Caller | undefined,
  roleFlag: number,
  { who }: AccessRule,
): Promise<boolean> {
  if ('roleBit' in who) return (roleFlag & who.roleBit) !== 0
  if ('tenantUserId' in who) return who.tenantUserId === context.actor.tenantUserId
  return isAmong(context, catalog, caller, who)
}

function scalarsOf(value: unknown): Scalar[] {
  if (Array.isArray(value)) return value.flatMap(scalarsOf)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [value] : []
}

/** What the tokens of these filters stand for, each record read once. */
async function tokenValues(
  context: TxContext,
  catalog: Catalog,
  caller: Caller | undefined,
  filters: readonly unknown[],
): Promise<ReadonlyMap<string, readonly Scalar[]>> {
  const texts = [...new Set(filters.flatMap((filter) => tokensOfFilter(filter).map(({ text }) => text)))]
  const records = new Map<number, readonly Readonly<Record<string, unknown>>[]>()
  const values = new Map<string, readonly Scalar[]>()
  for (const text of texts) {
    const token = readUserToken(catalog, text)
    if ('message' in token || !caller) values.set(text, [])
    else if ('field' in token)
      values.set(
        text,
        scalarsOf(caller[token.field]).filter((value) => value !== ''),
      )
    else {
      const { entity } = token
      const known = records.get(entity.entityId) ?? (await linkedRecords(context, catalog, caller, entity))
      records.set(entity.entityId, known)
      // `data` is an object wherever the document of a record is.
      const of = known.flatMap((one) =>
        scalarsOf(token.isProperty ? (one['data'] as Record<string, unknown>)[token.name] : one[token.name]),
      )
      values.set(
        text,
        [...new Set(of)].filter((value) => value !== '').toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
      )
    }
  }
  return values
}

/**
 * Filters with what their tokens stand for, for the caller; undefined in the place of one that has a token without a value, which nothing fulfils. Each
 * keeps its place.
 */
export async function withCallersValues(
  context: TxContext,
  catalog: Catalog,
  filters: readonly unknown[],
): Promise<readonly ({ readonly filter: unknown } | undefined)[]> {
  if (!filters.some((filter) => tokensOfFilter(filter).length > 0)) return filters.map((filter) => ({ filter }))
  const caller = await findCaller(context.tx, context.tenantId, context.actor.tenantUserId)
  const values = await tokenValues(context, catalog, caller, filters)
  return filters.map((filter) => withValues(filter, (text) => values.get(text) ?? []))
}

async function linkedRecords(context: TxContext, catalog: Catalog, caller: Caller, entity: CatalogEntity) {
  const ids = linkedTo(caller, entity.entityId)
  const readable = ids.length > 0 ? await unbound(context, catalog, entity) : undefined
  if (!readable || readable.present.size === 0) return []
  return inRecords(context.tx, context.tenantId, () => findDocumentsOf(context.tx, readable, ids))
}

/** Whether a rule speaks of other records than its own, or of a time that moves: rows then enter or leave without a change of theirs. */
function mayMove(filter: unknown): boolean {
  if (Array.isArray(filter)) return filter.some(mayMove)
  if (typeof filter !== 'object' || filter === null) return false
  return Object.entries(filter).some(([key, one]) =>
    key === 'value' ? namesTime(one) : key === 'entity' || key === 'via' || key === 'has' || mayMove(one),
  )
}

function namesTime(value: unknown): boolean {
  return Array.isArray(value) ? value.some(namesTime) : typeof value === 'string' && isTimeWord(value)
}

async function ruleOf(
  context: TxContext,
  catalog: Catalog,
  readable: Readable,
  rule: AccessRule,
  filter: unknown,
): Promise<SightRule | undefined> {
  const { verbs, hidden, readOnly, seesSensitive } = rule
  const own = { verbs, hidden, readOnly, seesSensitive }
  if (filter === undefined) return { ...own, holds: undefined }
  const sourceAs = (alias: string) => openSource(readable, { alias })
  const {
    issues,
    filter: node,
    tables,
    clock,
  } = await parseReaching(catalog, sourceAs('t'), { filterRules: filter }, asker(context, catalog))
  // A value of the caller's that the property cannot have, or an option that is gone: the rule reaches nothing.
  if (issues.length > 0) return undefined
  if (!node || (node.kind === 'group' && node.nodes.length === 0)) return { ...own, holds: undefined }
  const nodeFor = (alias: string) => parseQuery(sourceAs(alias), { catalog, tables, clock }, { filterRules: filter }).filter
  return { ...own, holds: (parameters, alias) => filterSql(parameters, nodeFor(alias)) }
}

/** Undefined: the entity has no rules, or it is the system itself that asks. */
export async function sightOf(
  context: TxContext,
  catalog: Catalog,
  entity: CatalogEntity,
  present: ReadonlySet<string>,
): Promise<Sight | undefined> {
  const { access } = entity
  const { tx, tenantId, actor, services } = context
  if (!access || (actor.kind === 'system' && actor.tenantUserId === 0)) return undefined
  const isStandIn = actor.kind === 'system'
  const asksCaller = isStandIn || access.rules.some((rule) => 'entityId' in rule.who || tokensOfFilter(rule.filter).length > 0)
  const caller = asksCaller ? await findCaller(tx, tenantId, actor.tenantUserId) : undefined
  const roleFlag = isStandIn ? (caller?.roleFlag ?? 0) & actor.roleFlag : actor.roleFlag
  const reached: AccessRule[] = []
  for (const rule of access.rules) if (await reaches(context, catalog, caller, roleFlag, rule)) reached.push(rule)
  const values = await tokenValues(
    context,
    catalog,
    caller,
    reached.map((rule) => rule.filter),
  )
  const readable = { catalog, entity, present, sight: undefined }
  const rules: SightRule[] = []
  for (const rule of reached) {
    const filled = rule.filter === undefined ? { filter: undefined } : withValues(rule.filter, (text) => values.get(text) ?? [])
    const one = filled && (await ruleOf(context, catalog, readable, rule, filled.filter))
    if (one) rules.push(one)
  }
  const told = [access.mark, roleFlag, reached.map((rule) => access.rules.indexOf(rule)), [...values]]
  return {
    rules,
    fingerprint: createHash('sha1').update(JSON.stringify(told)).digest('base64url'),
    hashKey: Buffer.from(services.secrets.sign('row hashes', String(tenantId))).toString('hex'),
    mayLag: reached.some((rule) => rule.verbs.has('read') && mayMove(rule.filter)),
  }
}
