/** Workflows as their operations answer. */
import type { z } from 'zod'

import { findDisplayLanguages } from '#platform/db/display-language.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { mapInTurns } from '#platform/turns.ts'
import { envelope, type Finding } from '#platform/validation.ts'
import { type Definition, type DefinitionRow, readDefinitions } from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'
import { shownIn } from '#tools/properties/service.ts'
import { findDisplayNames } from '#tools/users/service.ts'

import { findStepType } from '../step-types/registry.rules.ts'
import type { step as stepRecord, trigger as triggerRecord, workflow as workflowRecord, workflowDetail } from '../workflows.schema.ts'
import { findWorkflows, listWebhooks, type WebhookRow, type WorkflowRow } from '../workflows.store.ts'
import { isObject, listIn, type Said, type WorkflowBody } from './definition.types.ts'
import type { Draft } from './drafts.ts'
import { maxDurationDaysUnlessTold } from './grammar.schema.ts'
import { entityOf } from './slots.rules.ts'

type Workflow = z.output<typeof workflowRecord>

/** The newest state of a draft against what was published of it. */
function hasChanges(row: Pick<DefinitionRow, 'modifiedDate'>, { version, publishedDate }: WorkflowRow): boolean {
  return version === null || publishedDate === null || row.modifiedDate > publishedDate
}

async function show(
  context: TxContext,
  catalog: Catalog,
  rows: readonly {
    readonly definition: Pick<Definition, 'definitionId' | 'internalName' | 'description' | 'ownerId' | 'createdDate' | 'modifiedDate'>
    readonly body: WorkflowBody
    readonly state: WorkflowRow
  }[],
): Promise<Workflow[]> {
  const { tx, tenantId } = context
  const languages = await findDisplayLanguages(context)
  const owners = await findDisplayNames(tx, tenantId, [...new Set(rows.map(({ definition }) => definition.ownerId))])
  return mapInTurns(rows, ({ definition, body, state }) => {
    const { internalName, description, definitionId, ownerId, createdDate, modifiedDate } = definition
    const entity = entityOf(catalog, body.entity)
    const displays = body.displays.map((one) => ({ ...one }))
    return {
      workflowId: definitionId,
      tenantId,
      internalName,
      name: shownIn(displays, languages, internalName).name,
      description,
      categoryId: body.categoryId ?? null,
      displays,
      entity: entity?.internalName ?? null,
      entityId: entity?.entityId ?? null,
      version: state.version,
      isEnabled: state.isEnabled,
      hasChanges: hasChanges(definition, state),
      tenantUserId: state.serviceUserId,
      createdDate,
      modifiedDate,
      ownerName: owners.get(ownerId) ?? null,
    }
  })
}

/** Rows as the wire has them. */
export async function showWorkflows(context: TxContext, catalog: Catalog, rows: readonly DefinitionRow[]): Promise<Workflow[]> {
  const states = await findWorkflows(
    context.tx,
    context.tenantId,
    rows.map((row) => row.definitionId),
  )
  const definitions = await readDefinitions(context, rows, catalog)
  const known = definitions.flatMap((definition) => {
    const state = states.get(definition.definitionId)
    // Bodies are written by drafts.ts alone.
    return state ? [{ definition, body: definition.body as unknown as WorkflowBody, state }] : []
  })
  return show(context, catalog, known)
}

export async function showWorkflow(context: TxContext, { catalog, row, body, state }: Draft): Promise<Workflow> {
  const [shown] = await show(context, catalog, [{ definition: row, body, state }])
  if (!shown) throw new Error('A workflow was not shown')
  return shown
}

/** A step of the draft, as it was sent, with ids. */
export function showStep(said: Said, index: number): z.output<typeof stepRecord> {
  const stepId = Number(said['stepId'])
  const parts = (name: string) => listIn(said[name]).map((one) => (isObject(one) ? { ...one, stepId } : one))
  return {
    ...said,
    stepId,
    stepTypeId: findStepType(said['stepType'])?.stepTypeId ?? null,
    position: index + 1,
    ...(said['actions'] === undefined ? {} : { actions: parts('actions') }),
    ...(said['branches'] === undefined ? {} : { branches: parts('branches') }),
  }
}

function webhookAddress({ config }: Services, { pack }: WorkflowBody, triggerKey: string): string {
  return `${config.publicUrl}/api/v1/${pack ? 'action-packs' : 'workflows'}/webhooks/${triggerKey}`
}

export function showTriggers(services: Services, body: WorkflowBody, webhooks: readonly WebhookRow[]): z.output<typeof triggerRecord>[] {
  return body.triggers.map((said) => {
    const triggerId = Number(said['triggerId'])
    const webhook = webhooks.find((one) => one.triggerId === triggerId)
    const address = webhook ? { triggerKey: webhook.triggerKey, url: webhookAddress(services, body, webhook.triggerKey) } : {}
    return { ...said, triggerId, ...address }
  })
}

export async function showDetail(context: TxContext, draft: Draft, findings: readonly Finding[]): Promise<z.input<typeof workflowDetail>> {
  const { body, state } = draft
  const steps = body.steps.map(showStep)
  // They are objects: so they were kept.
  const parts = (name: 'actions' | 'branches') => steps.flatMap((step) => listIn(step[name]).filter(isObject)) as never[]
  const { roles = [], variables = [], input = [], maxDurationDays = maxDurationDaysUnlessTold, concurrency = 'parallel' } = body
  const webhooks = await listWebhooks(context.tx, context.tenantId, state.workflowId)
  return {
    workflow: await showWorkflow(context, draft),
    steps,
    actions: parts('actions'),
    branches: parts('branches'),
    triggers: showTriggers(context.services, body, webhooks),
    runtime: {
      roles: [...roles],
      variables: variables.map((one) => ({ ...one })),
      input: input.map((one) => ({ ...one })),
      maxDurationDays,
      concurrency,
    },
    validation: findings.length === 0 ? null : envelope(findings),
  }
}
