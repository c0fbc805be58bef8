/** The link that a run itself sends to whoever a task is for. */
import { randomBytes } from 'node:crypto'

import { AppError } from '#platform/errors.ts'
import { linkStandIn } from '#platform/link-tokens.ts'
import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { mustFindDefinition } from '#tools/definitions/service.ts'

import { placeOfForms } from '../shown.ts'
import { insertLink, noteMessage, revokeLinksOfRun } from './links.store.ts'

const days = 30

interface TaskOfRun {
  readonly runId: number
  readonly stepNo: number
  /** The roles of the run, in whose right the link works. */
  readonly roleFlag: number
  readonly form: IdOrName | undefined
  readonly eiRecordId: number | null
  readonly toUserId: number
}

interface LinkOfRun {
  /** Where it leads, without what opens it: that is put in on the way to the recipient. */
  readonly url: string
  /** Says which message brings it. */
  readonly sentWith: (messageId: number) => Promise<void>
}

async function formIdIn(context: TxContext, form: IdOrName): Promise<number | undefined> {
  try {
    return (await mustFindDefinition(context, placeOfForms, form)).definitionId
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined
    throw error
  }
}

/** Undefined where its form is gone: the task is told all the same. Inside a transaction in the run's name. */
export async function makeLinkOfRun(context: TxContext, task: TaskOfRun): Promise<LinkOfRun | undefined> {
  const { tx, tenantId, actor, stamp, services } = context
  const { runId, stepNo, form, eiRecordId, toUserId } = task
  const formId = form === undefined ? null : await formIdIn(context, form)
  if (formId === undefined) return undefined
  const linkId = await insertLink(tx, tenantId, stamp, {
    salt: randomBytes(12).toString('base64url'),
    formId,
    runId,
    stepNo,
    eiRecordId,
    toUserId,
    toAddress: null,
    madeBy: actor.tenantUserId,
    makerKind: 'acting',
    makerCredential: `workflow:${runId}`,
    // A task lets whoever it is for enter what it asks for, files too.
    makerRoleFlag: task.roleFlag | roleBits.DataView | roleBits.DataEdit | roleBits.FileEdit,
    expiresAt: new Date(Date.parse(stamp) + days * 86_400_000).toISOString(),
  })
  return {
    url: `${services.config.publicUrl}${linkStandIn({ linkId })}`,
    sentWith: (messageId) => noteMessage(tx, tenantId, linkId, messageId),
  }
}

/** The task is for somebody else now. */
export function takeBackLinksOfRun({ tx, tenantId, stamp }: TxContext, runId: number, stepNo: number): Promise<void> {
  return revokeLinksOfRun(tx, tenantId, runId, stepNo, stamp)
}
