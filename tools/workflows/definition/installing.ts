/** Definitions that are composed rather than drafted, the installs of packs: checked, kept and published in one go. */
import type { TxContext } from '#platform/operation.ts'
import { decodeCursor, type Found, type PageRequest } from '#platform/paging.ts'
import { roleBits } from '#platform/roles.ts'
import { inTurns } from '#platform/turns.ts'
import type { Finding } from '#platform/validation.ts'
import {
  findAnyDefinitions,
  listDefinitionPage,
  mustFindDefinition,
  readDefinitions,
  refuseChange,
  removeDefinition,
} from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { findFlowVersion } from '../runs/versions.ts'
import { haltTriggers, keepTriggers } from '../triggers/live.ts'
import { findWorkflows, listWebhooks, markDeleted, setEnabled, type WebhookRow } from '../workflows.store.ts'
import { checkWorkflow } from './checking.rules.ts'
import type { WorkflowBody } from './definition.types.ts'
import { createDraft, type Draft, readDraftOf, refuseTooLarge, withIds } from './drafts.ts'
import { loadFacts } from './facts.ts'
import { identifiedBody } from './importing.ts'
import { publish } from './publishing.ts'
import { showTriggers } from './shown.ts'
import { keepAddresses, keepSecrets } from './webhooks.ts'

const place = { kind: 'actionPackInstall', entityId: null, lister: 'list_action_pack_installs', field: 'installId' } as const

export type ComposedBody = Pick<
  WorkflowBody,
  'entity' | 'concurrency' | 'roles' | 'steps' | 'triggers' | 'pack' | 'settings' | 'settingValues'
>

/** By the place of a trigger in its list: the secret that its owner chose. */
export type ChosenSecrets = ReadonlyMap<number, string>

export interface Installed {
  readonly draft: Draft
  readonly warnings: readonly Finding[]
  readonly webhooks: readonly WebhookRow[]
  /** Secrets that were made, by trigger, shown this once. */
  readonly made: ReadonlyMap<number, string>
}

/** Everything that is wrong with a definition that nobody keeps. */
export async function findComposedProblems(context: TxContext, composed: ComposedBody): Promise<readonly Finding[]> {
  let id = 0
  const body = identifiedBody({ displays: [], ...composed }, () => ++id)
  refuseTooLarge(body)
  const facts = await loadFacts(context, await cachedCatalog(context), body, undefined)
  // Addresses and secrets are made when it is installed.
  const signedTriggers = new Set(body.triggers.map(({ triggerId }) => Number(triggerId)))
  return inTurns(checkWorkflow({ ...facts, signedTriggers }, body))
}

async function keep(context: TxContext, draft: Draft, secrets: ChosenSecrets): Promise<Installed> {
  const { workflowId } = draft.state
  const chosen = new Map([...secrets].map(([index, secret]) => [Number(draft.body.triggers[index]?.['triggerId']), secret]))
  const made = await keepSecrets(context, await keepAddresses(context, workflowId, draft.body), chosen)
  const published = await publish(context, draft)
  // Only now are the triggers of the version before gone.
  return { ...published, webhooks: await keepAddresses(context, workflowId, draft.body), made }
}

export interface InstallHead {
  readonly internalName: string
  readonly description: string
}

/** Keeps and publishes an install. Inside `changeDefinitions`. Throws `already_exists`, 403 for roles that the caller lacks, 422 with what is wrong. */
export async function addInstall(
  context: TxContext,
  head: InstallHead,
  composed: ComposedBody,
  secrets: ChosenSecrets,
): Promise<Installed> {
  const body = await withIds(context, (next) => identifiedBody({ displays: [], ...composed }, next))
  return keep(context, await createDraft(context, await cachedCatalog(context), head, body, place), secrets)
}

/** Publishes another version of an install; it stays switched off where it was. */
export async function changeInstall(context: TxContext, before: Draft, composed: ComposedBody, secrets: ChosenSecrets): Promise<Installed> {
  const { tx, tenantId } = context
  const { isEnabled, workflowId } = before.state
  const body = await withIds(context, (next) => identifiedBody({ displays: [], ...composed }, next, before.body))
  refuseTooLarge(body)
  const kept = await keep(context, { ...before, body, gone: [] }, secrets)
  if (isEnabled) return kept
  await haltTriggers(context, workflowId)
  await setEnabled(tx, tenantId, workflowId, false)
  return { ...kept, draft: { ...kept.draft, state: { ...kept.draft.state, isEnabled: false } } }
}

/** The install of this id. Throws 404. */
export async function openInstall(context: TxContext, installId: number): Promise<Draft> {
  return readDraftOf(context, await cachedCatalog(context), await mustFindDefinition(context, place, installId))
}

/** A page in the order of the names; of all, or of these. */
export async function listInstalls(context: TxContext, page: PageRequest, installIds?: readonly number[]): Promise<Found<Draft>> {
  const catalog = await cachedCatalog(context)
  if (!installIds) {
    const { rows, hasMore } = await listDefinitionPage(context, place, page)
    return { rows: await readAll(context, catalog, rows), hasMore }
  }
  const [after] = page.cursor === undefined ? [''] : decodeCursor(page.cursor, 1)
  const all = (await findAnyDefinitions(context, place.kind, installIds)).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const behind = all.filter((row) => keyOf(row) > String(after)).slice(page.offset)
  const rows = behind.slice(0, page.pageSize)
  return { rows: await readAll(context, catalog, rows), hasMore: behind.length > rows.length }
}

const keyOf = ({ internalName }: Draft['row']) => internalName.toLowerCase()

async function readAll(context: TxContext, catalog: Catalog, rows: readonly Draft['row'][]): Promise<Draft[]> {
  const states = await findWorkflows(
    context.tx,
    context.tenantId,
    rows.map(({ definitionId }) => definitionId),
  )
  const definitions = await readDefinitions(context, rows, catalog)
  return rows.flatMap((row, index) => {
    const state = states.get(row.definitionId)
    const definition = definitions[index]
    // Bodies are written by publishing alone.
    return state && definition ? [{ catalog, row, state, body: definition.body as unknown as WorkflowBody, gone: definition.gone }] : []
  })
}

/** As the wire has them, with the addresses of webhooks. */
export async function showInstallTriggers(context: TxContext, { body, state }: Draft) {
  const hasAddress = body.triggers.some((said) => said['triggerType'] === 'webhookReceived')
  return showTriggers(context.services, body, hasAddress ? await listWebhooks(context.tx, context.tenantId, state.workflowId) : [])
}

/** Inside `changeDefinitions`. */
export async function toggleInstall(context: TxContext, draft: Draft, isEnabled: boolean): Promise<Draft> {
  const { workflowId, version } = draft.state
  refuseChange(context, draft.row)
  const known = isEnabled && version !== null ? await findFlowVersion(context, workflowId, version) : undefined
  if (known) {
    const { actsAs, roleFlag: own, triggers = [] } = known
    const roleFlag = own | (context.actor.roleFlag & roleBits.DataView)
    await keepTriggers(context, { definitionId: workflowId, version: known.version, actsAs, roleFlag, triggers })
  } else await haltTriggers(context, workflowId)
  await setEnabled(context.tx, context.tenantId, draft.state.workflowId, isEnabled)
  return { ...draft, state: { ...draft.state, isEnabled } }
}

/** Nothing fires it any more. Inside `changeDefinitions`. */
export async function removeInstall(context: TxContext, { row }: Draft): Promise<void> {
  await haltTriggers(context, row.definitionId)
  await removeDefinition(context, row, true)
  await markDeleted(context.tx, context.tenantId, context.stamp, row.definitionId)
}
