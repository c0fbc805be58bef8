/** Runs that events start which are no changes of records. */
import type { TxContext } from '#platform/operation.ts'
import { createMatcher } from '#platform/patterns.ts'
import { roleBits } from '#platform/roles.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { findDefinitionNames } from '#tools/definitions/service.ts'
import { importKind } from '#tools/instances/service.ts'
import { analysisSeen } from '#tools/intelligence/service.ts'
import { resultSeen } from '#tools/jobs/service.ts'
import { findReceived } from '#tools/messaging/service.ts'
import { readFrameOf } from '#tools/query/service.ts'

import { listIn, valueAt } from '../definition/definition.types.ts'
import { findRun } from '../runs/runs.store.ts'
import { findResultAt } from '../runs/steps.store.ts'
import { isTold } from '../runs/sight.ts'
import { type Candidate, fulfilling } from './asking.ts'
import { candidatesOfDates } from './dates.ts'
import { recordCandidates } from './records.ts'
import type { Firing, Live, TriggerRow } from './triggers.types.ts'

export interface EventOf extends Omit<Live, 'trigger'> {
  /** Undefined of a wait. */
  readonly trigger?: TriggerRow | undefined
  readonly firing: Firing
  readonly catalog: Catalog
  /** Of the records that it is about. */
  readonly entity: CatalogEntity | undefined
}

/** It is not whole yet, and is asked for again in a moment. */
export class NotYet extends Error {
  override readonly name = 'NotYet'
}

/** What of an event starts a run: none where the configuration asks for another. */
export async function candidatesOfEvent(context: TxContext, of: EventOf): Promise<readonly Candidate[]> {
  const { said, entity, catalog, firing } = of
  const candidates = await readersOf[String(said['triggerType'])]?.(context, of)
  if (!candidates || candidates.length === 0) return []
  const frame = entity && (await readFrameOf(context, catalog, entity))
  return fulfilling(context, { frame, filter: said['filter'], by: firing.event.byUser }, candidates)
}

type Reader = (context: TxContext, of: EventOf) => Promise<readonly Candidate[]>

const isNamed = (said: unknown, names: readonly unknown[]) =>
  names.some((name) => (typeof name === 'string' || typeof name === 'number') && String(name).toLowerCase() === String(said).toLowerCase())

const formSubmitted: Reader = async (context, of) => {
  const { firing, said, entity } = of
  const { formId, form } = firing.event.data ?? {}
  if (!entity || !isNamed(valueAt(said['config'], 'form'), [formId, form])) return []
  const versions = firing.recordIds.flatMap((id, index) => {
    const version = firing.versions[index]
    return version === undefined ? [] : [{ id, version }]
  })
  const { candidates } = await recordCandidates(context, { ...of, entity }, versions)
  const names = entity.properties.map(({ internalName }) => internalName)
  return candidates.map((one) => {
    const after = valueAt(one.payload, 'after')
    const values = names.flatMap((name) => {
      const value = valueAt(after, name)
      return value === undefined ? [] : [[name, value] as const]
    })
    return { ...one, payload: { eiRecordId: one.eiRecordId, form, values: Object.fromEntries(values), by: firing.event.byUser } }
  })
}

/** Words and where they stand are found with the text; of a text that is too large as JSON these are left out. */
const wordsAtMost = 200_000

const attachmentAnalysed: Reader = async (context, { firing, said, entity }) => {
  const { analysisId, entityPropertyId, assetKey } = firing.event.data ?? {}
  const [eiRecordId] = firing.recordIds
  const wanted = String(valueAt(said['config'], 'property')).toLowerCase()
  const property = entity?.properties.find((one) => one.internalName.toLowerCase() === wanted)
  if (!property || property.entityPropertyId !== entityPropertyId || eiRecordId === undefined) return []
  const found = await analysisSeen(context, Number(analysisId))
  if (!found) return []
  const { ocr, ...rest } = found
  const isLarge = ocr !== undefined && JSON.stringify(ocr).length > wordsAtMost
  const analysis = ocr === undefined ? rest : { ...rest, ocr: isLarge ? { ...ocr, words: [] } : ocr }
  return [{ eiRecordId, payload: { eiRecordId, assetKey, analysis } }]
}

const mediaTries = 6

async function textMatches(config: unknown, text: string): Promise<boolean> {
  const [keyword, pattern] = [valueAt(config, 'keyword'), valueAt(config, 'matches')]
  if (typeof keyword === 'string') {
    const [said, word] = [text.trim().toLowerCase(), keyword.trim().toLowerCase()]
    // The word alone, or before whatever else is said.
    return said === word || (said.startsWith(word) && /^[^\p{L}\p{N}]/u.test(said.slice(word.length)))
  }
  if (typeof pattern !== 'string') return true
  const matcher = createMatcher()
  if (matcher.matches(pattern, text) === undefined) await matcher.settle()
  return matcher.matches(pattern, text) === true
}

const messageReceived: Reader = async (context, { firing, said }) => {
  const { config } = said
  if ((context.actor.roleFlag & roleBits.DataView) === 0) return []
  const found = await findReceived(context, Number(firing.event.data?.['messageId']))
  // What came after the end is kept and starts nothing, and what the product obeys by itself is said to it.
  if (!found || found.isLate || found.keyword !== null) return []
  if (valueAt(config, 'onlyOutsideConversations') !== false && found.isReply) return []
  const channel = valueAt(config, 'channel')
  if (channel !== undefined && !isNamed(channel, [found.channel, found.channelName])) return []
  if (!(await textMatches(config, found.text))) return []
  if (found.pendingMedia > 0 && firing.tries < mediaTries) throw new NotYet('Files of the message are still fetched')
  const { conversationId, from, text, assetKeys } = found
  const about = found.eiRecordId === null ? {} : { eiRecordId: found.eiRecordId }
  return [{ ...about, payload: { conversationId, from, text, assetKeys: [...assetKeys] } }]
}

const isOfState = (config: unknown, state: unknown) => {
  const states = listIn(valueAt(config, 'states'))
  return states.length === 0 || states.includes(state)
}

const runOfDefinition: Reader = async (context, { firing, said }) => {
  const { data } = firing.event
  const { config } = said
  const name = valueAt(config, 'name')
  const run = await findRun(context.tx, context.tenantId, Number(data?.['workflowInstanceId'] ?? data?.['actionRunId']))
  const isStep = valueAt(config, 'of') === 'step'
  const state = data?.['state'] ?? run?.state
  if (!run || !isOfState(config, state)) return []
  const today = (await findDefinitionNames(context.tx, context.tenantId, [run.workflowId])).get(run.workflowId)
  const names = [run.workflowId, run.internalName, today, ...(run.pack === null ? [] : [run.pack])]
  const step = data?.['step']
  const isWanted = name === undefined || isNamed(name, isStep ? [step, ...names.map((one) => `${one}.${String(step)}`)] : names)
  if (!isWanted) return []
  const isShown = await isTold(context, run)
  const brought = () => (isStep ? findResultAt(context.tx, context.tenantId, run.runId, String(step), firing.event.at) : run.output)
  const result = isShown ? await brought() : null
  return [{ ...(run.eiRecordId === null ? {} : { eiRecordId: run.eiRecordId }), payload: { id: run.runId, state, result } }]
}

const jobDone: Reader = async (context, { firing, said }) => {
  const { jobId, kind, state } = firing.event.data ?? {}
  const { config } = said
  const name = valueAt(config, 'name')
  if (valueAt(config, 'of') === 'import' && kind !== importKind) return []
  if (!isOfState(config, state) || (name !== undefined && !isNamed(name, [kind]))) return []
  const result = typeof jobId === 'number' ? ((await resultSeen(context, jobId)) ?? null) : null
  const [eiRecordId] = firing.recordIds
  return [{ ...(eiRecordId === undefined ? {} : { eiRecordId }), payload: { id: jobId ?? null, state, result } }]
}

const runCompleted: Reader = (context, of) => {
  const what = valueAt(of.said['config'], 'of')
  return what === 'job' || what === 'import' ? jobDone(context, of) : runOfDefinition(context, of)
}

/** By the type of trigger. */
const readersOf: Readonly<Record<string, Reader>> = {
  formSubmitted,
  attachmentSaved: attachmentAnalysed,
  messageReceived,
  runCompleted,
  schedule: candidatesOfDates,
}
