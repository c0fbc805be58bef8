/** Tasks of runs as links need them. Runs stand above forms: their domain hands this in. */
import type { Tx } from '#platform/db/pool.ts'
import type { IdOrName } from '#platform/names.ts'
import type { Actor, TxContext } from '#platform/operation.ts'

import type { LinkAuthor } from './links.schema.ts'

export interface TaskAction {
  readonly internalName: string
  /** What its button says, in the language that was asked for. */
  readonly label: string
  readonly requiresComment: boolean
}

/** What somebody answered, of a form with what was saved. */
export interface TaskAct {
  readonly action: string
  readonly comment?: string | undefined
  readonly values?: Readonly<Record<string, unknown>> | undefined
  readonly eiRecordId?: number | undefined
}

export interface LinkTask {
  readonly runId: number
  readonly stepNo: number
  readonly workflow: string
  readonly step: string
  /** Undefined: it is a question. */
  readonly form: IdOrName | undefined
  /** The record that the form changes, null for a new one; of a question the one that its run is about. */
  readonly eiRecordId: number | null
  readonly question: string | undefined
  readonly dueDate: string | null
  readonly actions: readonly TaskAction[]
  /** How many automatic starts lead to what is done by it. */
  readonly depth: number
  /** Does it, in the transaction that uses the link, which then holds the run. Throws 403 for whom it is not any more, and 410 where it is over. */
  act(doing: { readonly tx: Tx; readonly tenantId: number; readonly actor: Actor }, by: LinkAuthor, act: TaskAct): Promise<void>
}

/** Who did a task that is over, as far as somebody did, and when. */
export interface Settled {
  readonly by: string | undefined
  readonly at: string
}

/** The task of a link, and for whom it is. */
export interface TaskOfLink {
  readonly runId: number
  readonly stepNo: number
  readonly toUserId: number | null
  /** The run made it for whoever the task is for: it works in their right. Else it works in the right of whoever made it. */
  readonly isOfRun: boolean
}

export interface TaskFloor {
  /** The task that a call names, which its caller may do, and the recipient too. Throws 400, 403, 404, 409. */
  findTask(
    context: TxContext,
    of: {
      readonly runId: number
      readonly step: string | undefined
      readonly iteration: readonly number[] | undefined
      readonly toUserId: number | null
    },
  ): Promise<LinkTask>
  /** The task of a link, asked by its maker. Throws 403. */
  readTask(context: TxContext, of: TaskOfLink, languageCode: string): Promise<{ readonly task: LinkTask } | { readonly settled: Settled }>
}
