/** Subscriptions as their operations check, keep and show them. */
import { assertAllowedHost, leadsOutside } from '#platform/outbound.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { nameOf } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { mapInTurns } from '#platform/turns.ts'
import { envelope, type Finding, finding, refuseErrors, unknownName } from '#platform/validation.ts'
import {
  type Definition,
  type DefinitionDraft,
  type DefinitionRow,
  isNameTaken,
  mustFindDefinition,
  readDefinitions,
  referencesOfFilter,
} from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { findFilterProblems, findFulfilling, readFrameOf } from '#tools/query/service.ts'

import { type EventKindName, tellsRecords } from './events.schema.ts'
import { groupOf } from './filter.rules.ts'
import type { Subscription } from './subscriptions.schema.ts'
import { listSubscriptions, type SubscriptionRow } from './subscriptions.store.ts'
import { replaceWatchers } from './watching.ts'

export const placeOfSubscriptions = {
  kind: 'eventSubscription',
  entityId: null,
  lister: 'list_event_subscriptions',
  field: 'subscriptionId',
} as const

export const watcherKind = 'eventSubscription'

type Filter = { readonly entity: string | number } & Readonly<Record<string, unknown>>

/** What a subscription asks for. */
export interface Wish {
  readonly kinds: readonly EventKindName[]
  readonly filter: Filter | null
}

/** Its definition and its row. */
export interface Found {
  readonly row: DefinitionRow
  readonly state: SubscriptionRow
}

/** Throws 404. */
export async function mustFindSubscription(context: TxContext, subscriptionId: number): Promise<Found> {
  const row = await mustFindDefinition(context, placeOfSubscriptions, subscriptionId)
  const [state] = await listSubscriptions(context.tx, context.tenantId, [row.definitionId])
  return { row, state: mustExist(state, 'event subscription') }
}

/** Whoever administers integrations changes any of them, as its owner does. */
export function asOwnerOf(context: TxContext, { ownerId }: DefinitionRow): TxContext {
  return { ...context, actor: { ...context.actor, tenantUserId: ownerId } }
}

const resolveMs = 2_000

/**
 * Refuses an address that nothing is ever sent to. Throws AppError `unprocessable`, and `invalid_input` where values would cross the public network
 * unencrypted. What a name leads to is asked again at each connection.
 */
export async function checkUrl({ services: { config } }: Pick<TxContext, 'services'>, url: string): Promise<void> {
  const { protocol, hostname } = new URL(url)
  assertAllowedHost(config, hostname)
  if (protocol === 'https:' || !(await leadsOutside(config, hostname, resolveMs))) return
  const message = 'Events do not go over the public network unencrypted: http is for networks of OUTBOUND_ALLOW. Use https.'
  throw new AppError('invalid_input', message, {
    issues: [finding('$.url', message, { suggestion: `https${url.slice('http'.length)}`.slice(0, 200) })],
  })
}

function findProblems(catalog: Catalog, { filter, kinds }: Wish): Finding[] {
  if (filter === null) return []
  const entity = catalog.byIdOrName.get(String(filter.entity).toLowerCase())
  const names = catalog.entities.map(({ internalName }) => internalName)
  if (!entity) return [{ ...unknownName('$.filter.entity', 'entity', filter.entity, names, 'list_entities'), code: 'unknown_entity' }]
  const other = kinds.findIndex((kind) => !tellsRecords(kind))
  const misplaced =
    other === -1
      ? []
      : [
          finding(
            `$.kinds[${other}]`,
            `${kinds[other]} says nothing of what records hold, so that no filter fits it. Subscribe to it apart.`,
          ),
        ]
  return [...misplaced, ...findFilterProblems(catalog, entity, groupOf(filter), '$.filter')]
}

/** Checks a wish, and says what its definition keeps. Throws 400 with every finding, 403 without the right to see records. */
export async function readWish(context: TxContext, wish: Wish): Promise<Pick<DefinitionDraft, 'body' | 'references'>> {
  const { kinds, filter } = wish
  const told = kinds.find(tellsRecords)
  if (told !== undefined && (context.actor.roleFlag & roleBits.DataView) === 0)
    throw new AppError('forbidden', `Events of the kind ${told} say what records hold, which needs the role DataView.`)
  const catalog = await cachedCatalog(context)
  refuseErrors(findProblems(catalog, wish), 'The subscription')
  const entity = filter === null ? undefined : catalog.byIdOrName.get(String(filter.entity).toLowerCase())
  if (!filter || !entity) return { body: { kinds, filter: null }, references: [] }
  // What the caller's access rules hide may not be asked.
  await findFulfilling(context, await readFrameOf({ ...context, audit: () => {} }, catalog, entity), [], groupOf(filter))
  const named = { ...filter, entity: entity.internalName }
  return {
    body: { kinds, filter: named },
    references: [{ entityId: entity.entityId }, ...referencesOfFilter(catalog, entity, named, ['filter'])],
  }
}

/** Has it watch for what it asks; nothing while it is off. Inside `changeDefinitions`. */
export async function watch(
  context: TxContext,
  row: DefinitionRow,
  state: Pick<SubscriptionRow, 'isEnabled' | 'ownerId' | 'roleFlag'>,
): Promise<void> {
  const [definition] = await readDefinitions(context, [row], await cachedCatalog(context))
  const wish = definition && wishOf(definition)
  if (!wish) throw new Error('A subscription was not read')
  const catalog = await cachedCatalog(context)
  const entity = wish.filter === null ? undefined : catalog.byIdOrName.get(String(wish.filter.entity).toLowerCase())
  // Of an entity that is gone nothing comes any more.
  const isWatching = state.isEnabled && (wish.filter === null || entity !== undefined)
  const { ownerId, roleFlag } = state
  const asked = wish.filter !== null && Object.keys(groupOf(wish.filter)).length > 0
  await replaceWatchers(
    context,
    row.definitionId,
    isWatching
      ? [
          {
            watcherKind,
            part: '',
            eventKinds: wish.kinds,
            entityId: entity?.entityId ?? null,
            propertyIds: null,
            filter: asked ? row.body : null,
            filterRefs: asked ? row.refs : null,
            ownerId,
            roleFlag,
          },
        ]
      : [],
  )
}

/** A stored body was checked before it was kept. */
export const wishOf = ({ body }: Pick<Definition, 'body'>): Wish => body as unknown as Wish

/** A name for one that got none: of the host that it goes to. */
export async function freeName(context: TxContext, url: string): Promise<string> {
  const base = (nameOf(`To ${new URL(url).hostname.replaceAll(/[^A-Za-z0-9]/g, ' ')}`) ?? 'Subscription').slice(0, 58)
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}${number}`
    if (!(await isNameTaken(context, placeOfSubscriptions.kind, name))) return name
  }
}

/** Rows as the wire has them, each with what is wrong with it today. */
export async function showSubscriptions(context: TxContext, rows: readonly DefinitionRow[]): Promise<Subscription[]> {
  const catalog = await cachedCatalog(context)
  const ids = rows.map(({ definitionId }) => definitionId)
  const states = new Map((await listSubscriptions(context.tx, context.tenantId, ids)).map((one) => [one.subscriptionId, one]))
  const definitions = await readDefinitions(context, rows, catalog)
  return mapInTurns(definitions, (definition) => {
    const state = mustExist(states.get(definition.definitionId), 'event subscription')
    const wish = wishOf(definition)
    const lost = definition.gone.map((one) => ({ ...one, path: `$${one.path.slice(1)}` }))
    const told = new Set(lost.map((one) => one.path))
    const findings = [...lost, ...findProblems(catalog, wish).filter((one) => !told.has(one.path))]
    return {
      subscriptionId: definition.definitionId,
      internalName: definition.internalName,
      url: state.url,
      kinds: [...wish.kinds],
      filter: wish.filter === null ? null : { ...wish.filter },
      isEnabled: state.isEnabled,
      disabledReason: state.disabledReason,
      failingSince: state.failingSince,
      tenantUserId: state.ownerId,
      validation: findings.length === 0 ? null : envelope(findings),
      createdDate: definition.createdDate,
      modifiedDate: definition.modifiedDate,
    }
  })
}

export async function showSubscription(context: TxContext, row: DefinitionRow): Promise<Subscription> {
  const [shown] = await showSubscriptions(context, [row])
  return mustExist(shown, 'event subscription')
}
