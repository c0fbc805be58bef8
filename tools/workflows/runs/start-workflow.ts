import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, type TxContext, writes } from '#platform/operation.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { keysInBody, documentOf, liveRecordId, readFrame } from '#tools/query/service.ts'

import { listIn, valueAt } from '../definition/definition.types.ts'
import { openDraft } from '../definition/drafts.ts'
import { workflowSlot } from '../workflows.schema.ts'
import { workflowState } from './runs.schema.ts'
import type { FlowVersion, Said } from './runs.types.ts'
import { startRun } from './starting.ts'
import { findFlowVersion } from './versions.ts'

/** Throws 400 for input that the workflow does not have, and for what it requires. */
function readInput({ input = [], triggers = [] }: FlowVersion, said: Said): Said {
  // What a trigger by hand asks for beside what every start does.
  const own = triggers.filter(({ triggerType, isEnabled }) => triggerType === 'manual' && isEnabled !== false)
  const asked = own.flatMap((one) => listIn(valueAt(one['config'], 'input'))) as NonNullable<FlowVersion['input']>
  const fields = [...new Map([...asked, ...input].map((field) => [field.name, field])).values()]
  const names = fields.map(({ name }) => name)
  const unknown = Object.keys(said).filter((name) => !names.includes(name))
  const missing = fields.filter(({ name, isRequired }) => isRequired === true && (said[name] ?? null) === null)
  const issues = [
    ...unknown.map((name) =>
      finding(`$.input.${name}`, `The workflow has no input ${quoted(name)}.`, { suggestion: nearest(name, names) }),
    ),
    ...missing.map(({ name }) => finding(`$.input.${name}`, 'Required.')),
  ]
  if (issues.length > 0) throw new AppError('invalid_input', `The input does not fit: ${issues[0]?.message ?? ''}`, { issues })
  return Object.fromEntries(fields.map(({ name }) => [name, said[name] ?? null]))
}

async function versionOf(context: TxContext, slot: string | number): Promise<FlowVersion> {
  const { state } = await openDraft(context, slot)
  if (state.version === null)
    throw new AppError('conflict', 'The workflow was never published, so it cannot be started. Call publish_workflow first.')
  return mustExist(await findFlowVersion(context, state.workflowId, state.version), 'version')
}

interface Named {
  readonly eiRecordId?: number | undefined
  readonly entity?: string | number | undefined
  readonly key1?: string | undefined
  readonly key2?: string | undefined
  readonly key3?: string | undefined
}

/** The record that the run is about, which the caller sees. Throws 400 where the workflow is about another entity, or about none. */
async function recordOf(context: TxContext, version: FlowVersion, { eiRecordId, entity, ...keys }: Named) {
  const isNamed = eiRecordId !== undefined || Object.values(keys).some((one) => one !== undefined)
  if (version.entity === undefined && !isNamed) return undefined
  const { entity: own = '' } = version
  const refuse = (path: string, message: string) => new AppError('invalid_input', message, { issues: [finding(path, message)] })
  if (own === '') throw refuse('$.eiRecordId', 'The workflow is about no record: leave it out.')
  if (!isNamed) throw refuse('$.eiRecordId', `The workflow is about a record of ${own}: name it by eiRecordId or by its key.`)
  const frame = await readFrame(context, entity ?? own)
  const { entityId, internalName } = frame.entity
  if (internalName !== own) throw refuse('$.entity', `The workflow is about records of ${own}, not of ${internalName}.`)
  if (eiRecordId !== undefined) return { entityId, eiRecordId: await liveRecordId(context, frame, eiRecordId) }
  const document = mustExist(await documentOf(context, frame, { keys: keysInBody(keys) }), 'record')
  // A document is JSON of a record.
  return { entityId, eiRecordId: (JSON.parse(document) as { readonly eiRecordId: number }).eiRecordId }
}

export const startWorkflow = defineOperation({
  ...writes(z.object({ workflowInstanceId: z.int(), state: workflowState })),
  errors: ['not_found', 'unprocessable', 'unknown_entity'],
  name: 'start_workflow',
  title: 'Start a run of a workflow',
  description:
    'Starts the published version, about a record where the workflow has an entity. get_workflow shows its inputs. Then get_workflow_instance tells how it goes.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/start',
  roles: 'DataEdit',
  input: z.object({
    workflow: workflowSlot,
    eiRecordId: z.int().min(1).optional().describe('The record; or its key'),
    entity: z
      .union([z.string().max(200), z.int()])
      .optional()
      .describe("Unless told the workflow's"),
    key1: z.string().max(10_000).optional(),
    key2: z.string().max(10_000).optional(),
    key3: z.string().max(10_000).optional(),
    input: z.record(z.string().max(64), z.unknown()).optional().describe('As get_workflow shows it'),
  }),
  examples: [
    {
      title: 'About an inspection',
      input: { workflow: 'InspectionReview', eiRecordId: 20_481 },
      output: { workflowInstanceId: 77, state: 'queued' },
    },
  ],
  async handler(context, { workflow, input = {}, eiRecordId, entity, ...keys }) {
    const version = await versionOf(context, workflow)
    const record = await recordOf(context, version, { eiRecordId, entity, ...keys })
    const { tenantUserId } = context.actor
    const about = record ?? {}
    const runId = await startRun(context, { version, ...about, input: readInput(version, input), startedBy: tenantUserId, lane: 'people' })
    if (runId === undefined)
      throw new AppError('conflict', 'A run about this record is under way, and the workflow skips others meanwhile.')
    context.audit({ workflowInstanceId: runId })
    return { workflowInstanceId: runId, state: 'queued' as const }
  },
})
