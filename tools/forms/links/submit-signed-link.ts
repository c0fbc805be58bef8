import type { z } from 'zod'

import { insertAuditEvent } from '#platform/audit.ts'
import { type ActingFor, runAs } from '#platform/acting.ts'
import type { Tx } from '#platform/db/pool.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, type Operation, type StagedContext, writes } from '#platform/operation.ts'
import { outboxTopic } from '#platform/outbox.ts'
import { propertyIndex } from '#tools/entities/catalog.types.ts'

import { takesFiles } from '../controls.rules.ts'
import { type Answered, callOf, withoutHidden } from './answer.rules.ts'
import { findByToken, findLinkInHand, type FoundLink, taskOf } from './finding.ts'
import { formOfLink, presentOf } from './form.ts'
import { actionIn, goneLink, stateOf } from './links.rules.ts'
import { exampleToken, type LinkAuthor, linkAnswer, takenAnswer, token } from './links.schema.ts'
import { findLink, type LinkRow, lockLink, useLink } from './links.store.ts'
import { asMaker, type Maker } from './maker.ts'
import type { LinkTask, TaskAct, TaskFloor } from './tasks.types.ts'

function authorOf(link: LinkRow): LinkAuthor {
  const { linkId, madeBy, toUserId, toAddress } = link
  return { ...(toUserId === null ? { address: toAddress ?? '' } : { tenantUserId: toUserId }), linkId, madeBy }
}

const taken = (link: LinkRow, submittedDate: string) => ({ linkId: link.linkId, state: 'used' as const, submittedDate, by: authorOf(link) })

/** The same answer, sent again since nobody heard of it. */
function isRepeated(link: LinkRow, key: string | undefined): link is LinkRow & { readonly usedDate: string } {
  return link.usedDate !== null && key !== undefined && link.submissionKey === key
}

/** Throws 400 for files that did not come through this link and are not in its record: a link opens no others. */
async function refuseForeignFiles(
  context: StagedContext,
  { tenantId, link }: FoundLink,
  maker: Maker,
  { records, link: { formId } }: Answered,
): Promise<void> {
  const own = await context.inTransaction(
    async (inner) => {
      const form = await formOfLink(asMaker(inner, maker), formId)
      const present = link.eiRecordId === null ? undefined : await presentOf(asMaker(inner, maker), form, link.eiRecordId)
      const files = new Set(
        form.layout.sections.flatMap(({ fields }) => fields.flatMap(({ property }) => (takesFiles(property) ? property.internalName : []))),
      )
      const held = [present?.values ?? {}, ...[...(present?.rows.values() ?? [])].flatMap((rows) => rows.map(({ values }) => values))]
      const { entity, lists } = form.ready
      const entities = new Map(lists.map((list) => [list.name.toLowerCase(), list.entity]))
      return {
        entityOf: (section: string | undefined) => (section === undefined ? entity : entities.get(section.toLowerCase())),
        held: held.flatMap((values) => [...files].flatMap((name) => keysIn(values[name]))),
      }
    },
    { tenantId, readOnly: true },
  )
  const known = new Set([...link.uploads, ...own.held])
  const issues = records.flatMap(({ path, section, values }) => {
    const entity = own.entityOf(section)
    // A section that the form has not is refused by the save.
    if (!entity) return []
    const index = propertyIndex(entity.properties)
    return Object.entries(values).flatMap(([name, value]) => {
      // In every way in which the save lets a property be named.
      const property = index.get(name) ?? index.get(name.toLowerCase())
      return property && takesFiles(property) && keysIn(value).some((key) => !known.has(key))
        ? [finding(`${path}.${name}`, 'The file did not come through this link. Ask for an upload URL with open_signed_link.')]
        : []
    })
  })
  if (issues.length > 0) throw new AppError('invalid_input', 'The answer names files that are not its own.', { issues })
}

const keysIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string').map((one) => one.toLowerCase())

/** An answer in hand: what it saves by its form, and what it does of a task. */
interface InHand {
  readonly found: FoundLink
  readonly maker: Maker
  readonly answered: Answered | undefined
  readonly task: { readonly task: LinkTask; readonly act: TaskAct } | undefined
  readonly key: string | undefined
}

/** Throws 400 for what an answer of this link cannot say. */
function refuseOther(link: LinkRow, said: z.output<typeof linkAnswer>): void {
  const wrong = link.formId === null ? (['values', 'sections'] as const) : (['action', 'choice', 'comment'] as const)
  if (link.formId !== null && link.runId !== null) return
  const of = link.formId === null ? 'question' : 'form'
  const issues = wrong
    .filter((name) => said[name] !== undefined)
    .map((name) => finding(`$.${name}`, `The link is to a ${of}: leave it out.`))
  if (issues.length > 0) throw new AppError('invalid_input', `The answer has what a ${of} does not take.`, { issues })
}

export const submitSignedLink = (tasks: TaskFloor): Operation =>
  defineStagedOperation({
    ...writes(takenAnswer),
    errors: ['not_found', 'already_exists', 'unknown_property', 'unknown_entity', 'unprocessable', 'stale_layout', 'unsupported_type'],
    name: 'submit_signed_link',
    title: 'Answer by a signed link',
    description:
      'Saves the answer under the rules of the form, or takes the action of the task, once: in the right of whoever made the link, in the recipient’s name. What conditions hide is left out. A refused answer leaves the link open; a second one is 410. open_signed_link shows fields and actions.',
    method: 'POST',
    path: '/api/v1/links/{token}/submit',
    roles: 'Public',
    mayBeOver: true,
    input: linkAnswer.extend({ token }),
    examples: [
      {
        title: 'The gate is open',
        input: { token: exampleToken, values: { GateState: 'open' } },
        output: {
          linkId: 12,
          state: 'used',
          submittedDate: '2026-11-22T10:05:00.000Z',
          by: { address: 'ana@example.com', linkId: 12, madeBy: 3 },
        },
      },
    ],
    async stagedHandler(context, { token: linkToken, ...said }) {
      const { idempotencyKey: key } = context
      const { link: known } = await findByToken(context, linkToken)
      if (isRepeated(known, key)) return taken(known, known.usedDate)
      const { maker, ...found } = await findLinkInHand(context, linkToken, tasks)
      const { tenantId, link } = found
      refuseOther(link, said)
      const task = await context.inTransaction((inner) => taskOf(asMaker(inner, maker), tasks, link), { tenantId, readOnly: true })
      const act = task && { action: actionIn(task.actions, said).internalName, comment: said.comment?.trim() || undefined }
      const { formId, eiRecordId } = link
      const answered = formId === null ? undefined : callOf({ formId, eiRecordId }, said)
      const inHand = { found, maker, answered, task: task && act && { task, act }, key }
      try {
        if (answered) await refuseForeignFiles(context, found, maker, answered)
        await (answered ? save(context, inHand, answered) : decide(context, inHand))
      } catch (error) {
        if (!(error instanceof AppError) || error.status !== 410) throw error
        // Another answer was first; where it was this one, it has arrived.
        const now = await context.inTransaction(({ tx }) => findLink(tx, tenantId, link.linkId), { tenantId, readOnly: true })
        if (!now || !isRepeated(now, key)) throw error
      }
      if (task) context.services.wake.poke(outboxTopic)
      const used = await context.inTransaction(({ tx }) => findLink(tx, tenantId, link.linkId), { tenantId, readOnly: true })
      return taken(link, mustExist(used?.usedDate, 'link'))
    },
  })

/** Throws 400 where later uploads took the place of a file of the answer while it was saved. */
function refuseForgotten({ records }: Answered, seen: LinkRow, { uploads }: LinkRow): void {
  const forgotten = new Set(seen.uploads.filter((key) => !uploads.includes(key)))
  const isForgotten = (value: unknown) => keysIn(value).some((key) => forgotten.has(key))
  if (forgotten.size === 0 || !records.some(({ values }) => Object.values(values).some(isForgotten))) return
  throw new AppError(
    'invalid_input',
    'Later uploads through this link took the place of a file of this answer. Upload it again, then send the answer.',
  )
}

/** Does what the answer says of the task, and uses the link, in the transaction that saves what it says beside that. */
async function use(context: StagedContext, { found, maker, answered, task, key }: InHand, tx: Tx, saved: number | null): Promise<void> {
  const { tenantId, link } = found
  const { transport, requestId } = context
  // The run before the link, as whoever acts on the task by itself holds it.
  if (task) {
    const { said: { values = {} } = {} } = answered ?? {}
    const entered = answered ? { values, ...(saved === null ? {} : { eiRecordId: saved }) } : {}
    await task.task.act({ tx, tenantId, actor: maker.actor }, authorOf(link), { ...task.act, ...entered })
  }
  const locked = mustExist(await lockLink(tx, tenantId, link.linkId), 'link')
  // What has just settled the task is this answer.
  const state = stateOf({ ...locked, isSettled: !task && locked.isSettled }, new Date().toISOString())
  if (state !== 'open') throw goneLink(state)
  if (answered) refuseForgotten(answered, link, locked)
  await useLink(tx, tenantId, link.linkId, { submissionKey: key ?? null, resultRecordId: saved })
  const { runId } = link
  const of = task && runId !== null ? { workflowInstanceId: runId, action: task.act.action } : {}
  await insertAuditEvent(tx, {
    tenantId,
    actor: { ...maker.actor, tenantUserId: link.toUserId ?? 0 },
    operation: 'submit_signed_link',
    outcome: 'done',
    transport,
    requestId,
    ip: undefined,
    facts: { linkId: link.linkId, eiRecordId: saved, ...of, by: authorOf(link) },
  })
}

/** An answer to a question, together with the use of the link. */
async function decide(context: StagedContext, inHand: InHand): Promise<void> {
  const { tenantId } = inHand.found
  await context.inTransaction(({ tx }) => use(context, inHand, tx, null), { tenantId })
}

/** Saves it together with the use of the link: both, or neither. */
async function save(context: StagedContext, inHand: InHand, answered: Answered): Promise<void> {
  const { services, signal } = context
  const { maker, task } = inHand
  // What a task brings is caused by its run.
  const who: ActingFor = task ? { ...maker.who, origin: { kind: 'workflow', id: task.task.runId, depth: task.task.depth } } : maker.who
  let left = answered
  const commitWith = (tx: Tx, answer: unknown) => {
    // Every operation that saves through a form answers the record's id.
    const { eiRecordId = null } = answer as { readonly eiRecordId?: number }
    return use(context, { ...inHand, answered: left }, tx, eiRecordId)
  }
  // What is hidden may hide more.
  for (let round = 0; ; round++) {
    try {
      await runAs(services, who, left.operation, left.input, { signal, commitWith })
      return
    } catch (error) {
      const fewer = error instanceof AppError && error.status === 400 && round < 5 ? withoutHidden(left, error.issues ?? []) : undefined
      if (fewer === undefined) throw error instanceof AppError ? inAnswer(error) : error
      left = fewer
    }
  }
}

/** A refusal of the save, with the paths that the answer has. */
function inAnswer(error: AppError): AppError {
  if (!error.issues) return error
  const issues = error.issues.map((one) => ({ ...one, path: one.path.replace(/^\$\.primary\./, '$.') }))
  return new AppError(error.code, error.message, {
    issues,
    ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
    cause: error,
  })
}
