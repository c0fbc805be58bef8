/** Reads what a definition is held against. */
import type { TxContext } from '#platform/operation.ts'
import { hostsOfSecrets } from '#tools/auth/service.ts'
import { findAnyDefinitions, namesSeen, type Place } from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'
import { channelKinds } from '#tools/messaging/messaging.schema.ts'
import { listChannels } from '#tools/messaging/service.ts'
import { loadReferences } from '#tools/properties/service.ts'
import { findDisplayNames, readHeldRoles } from '#tools/users/service.ts'

import type { WorkflowRow } from '../workflows.store.ts'
import { listWebhooks } from '../workflows.store.ts'
import { isObject, type WorkflowBody } from './definition.types.ts'
import type { Facts, OperationFacts } from './facts.types.ts'
import { type DefinitionUse, definitionUses, type NamedDefinition, type NamedDefinitions, slotsOf } from './references.rules.ts'
import { allNamings } from './walking.rules.ts'

const listers: Readonly<Record<DefinitionUse, string>> = {
  form: 'list_forms',
  report: 'list_reports',
  view: 'list_views',
  workflow: 'list_workflows',
  messageTemplate: 'list_message_templates',
}

/** The definitions that a body names, whoever owns them. */
export async function findNamed(context: TxContext, body: WorkflowBody): Promise<NamedDefinitions> {
  const slots = slotsOf(body)
  const named: Partial<Record<DefinitionUse, ReadonlyMap<string, NamedDefinition>>> = {}
  for (const use of definitionUses) {
    const rows = await findAnyDefinitions(context, use, [...new Set(slots[use])])
    named[use] = new Map(
      rows.flatMap(({ definitionId, internalName, entityId, isShared }) =>
        [String(definitionId), internalName.toLowerCase()].map(
          (name) => [name, { definitionId, internalName, entityId, isShared }] as const,
        ),
      ),
    )
  }
  // Each kind was looked up above.
  return named as NamedDefinitions
}

/** Names for suggestions, read only where something was not found. */
async function namesFor(context: TxContext, body: WorkflowBody, named: NamedDefinitions): Promise<Facts['known']> {
  const slots = slotsOf(body)
  const known: Record<DefinitionUse, readonly string[]> = { form: [], report: [], view: [], workflow: [], messageTemplate: [] }
  for (const use of definitionUses) {
    const place: Place = { kind: use, entityId: null, lister: listers[use], field: use }
    if (slots[use].some((slot) => !named[use].has(String(slot).toLowerCase()))) known[use] = await namesSeen(context, place)
  }
  return known
}

function usersNamed(body: WorkflowBody): number[] {
  return [...allNamings(body)].flatMap(({ use, value }) => {
    const id = (use === 'assignee' || use === 'recipient') && isObject(value) ? value['tenantUserId'] : undefined
    return typeof id === 'number' && Number.isInteger(id) && id > 0 && id <= 2_147_483_647 ? [id] : []
  })
}

function operationsOf({ services }: TxContext): Facts['operations'] {
  const { byName } = services.pipeline.registry
  return {
    names: [...byName.values()].filter(({ isTool }) => isTool).map(({ name }) => name),
    find(name): OperationFacts | undefined {
      const operation = byName.get(name)
      if (!operation?.isTool) return undefined
      const fields = Object.entries(operation.input.shape)
      return {
        name,
        roles: operation.roles,
        issuesSecret: operation.issuesSecret !== undefined,
        fields: fields.map(([field]) => field),
        required: fields.filter(([, schema]) => !schema.safeParse(undefined).success).map(([field]) => field),
      }
    },
  }
}

/** Everything that checking asks of the tenant; `state` is what the workflow has beside its draft, where there is one. */
export async function loadFacts(context: TxContext, catalog: Catalog, body: WorkflowBody, state: WorkflowRow | undefined): Promise<Facts> {
  const { tx, tenantId, stamp } = context
  const named = await findNamed(context, body)
  const webhooks = state ? await listWebhooks(tx, tenantId, state.workflowId) : []
  const users = await findDisplayNames(tx, tenantId, [...new Set(usersNamed(body))])
  return {
    catalog,
    named,
    known: await namesFor(context, body, named),
    channels: [...channelKinds, ...(await listChannels(tx, tenantId)).map(({ internalName }) => internalName)],
    operations: operationsOf(context),
    users: new Set(users.keys()),
    heldRoles: await readHeldRoles(tx, tenantId),
    secrets: await hostsOfSecrets(tx, tenantId),
    references: await loadReferences(tx, tenantId),
    serviceUserId: state?.serviceUserId ?? undefined,
    signedTriggers: new Set(webhooks.filter(({ hasSecret }) => hasSecret).map(({ triggerId }) => triggerId)),
    now: Date.parse(stamp),
  }
}
