/** The one door to Temporal for everything but its worker: starting and signalling, each within a deadline. */
import {
  ApplicationFailure,
  Client,
  Connection,
  type ConnectionLike,
  isGrpcDeadlineError,
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client'

import { AppError, type ErrorCode, errorCatalogue } from './errors.ts'
import type { Logger } from './log.ts'
import { taskQueues } from './shapes/queues.ts'

// Workflows cannot load this file, so the names stand in shapes.
export { taskQueues }

export interface StartRequest {
  /** The exported name of the workflow function. */
  readonly workflow: string
  /** `<process>:<tenantId>:<id>`; a second start of it is a no-op, running or closed. */
  readonly workflowId: string
  readonly args: readonly unknown[]
  readonly tenantId: number
  /** 1 to 5; 2 for people who wait, 3 for triggers, 5 for bulk. */
  readonly priority?: number
  /** Names a share of the tenant's beside its ordinary one: what waits in one of them does not wait for the other. */
  readonly share?: string
}

export interface TemporalGate {
  /** Starts a workflow once. Answers `already` where that id was ever started within the retention. Throws AppError `unavailable`. */
  start(request: StartRequest): Promise<'started' | 'already'>
  /**
   * Starts a workflow and waits for what it returns. Throws AppError `unavailable` where Temporal is away, `timeout` after `timeoutMs` (the
   * workflow goes on), and what a failed workflow says: its failure's type where that is one of our codes, `internal` else.
   */
  execute(request: StartRequest, timeoutMs: number): Promise<unknown>
  /** Signals a workflow, starting it first where it does not run. */
  signalWithStart(request: StartRequest & { readonly signal: string; readonly signalArgs: readonly unknown[] }): Promise<void>
  /** Signals a running workflow; one that is gone is no error, since its end has already done what the signal would. */
  signal(workflowId: string, signal: string, signalArgs: readonly unknown[]): Promise<void>
  cancel(workflowId: string): Promise<void>
  /** Whether a frontend is known and answers. */
  isUp(): Promise<boolean>
  /** Whether nothing can begin now: no frontend is known yet, or whoever watches it says that it is silent. Asks nobody. */
  isAway(): boolean
  /** Points the gate at a frontend once it is known: an embedded server may come minutes after the API. `answers`: what whoever watches it knows. */
  connectTo(address: string, answers?: () => boolean): void
  /**
   * Lends the connection of this process's workers, until it is called again without one: a workflow that is started over it gets its first task in
   * the answer (eager start), which spares a dispatch by the server.
   */
  lend(workers: ConnectionLike | undefined): void
  end(): Promise<void>
}

const deadlineMs = 5_000

export function createTemporalGate(options: { namespace: string; log: Logger }): TemporalGate {
  const { namespace, log } = options
  let address: string | undefined
  let answers = () => true
  let connecting: Promise<Client> | undefined
  let lent: Client | undefined

  async function client(): Promise<Client> {
    if (!address)
      throw new AppError('unavailable', 'Workflows are not available yet. The event waits and will be carried out.', {
        retryAfterSeconds: 30,
      })
    connecting ??= Connection.connect({ address, connectTimeout: deadlineMs })
      .then((connection) => new Client({ connection, namespace }))
      .catch((cause: unknown) => {
        connecting = undefined
        throw new AppError('unavailable', 'The workflow service cannot be reached. Try again in a moment.', { cause, retryAfterSeconds: 5 })
      })
    return connecting
  }

  // Without a deadline the client waits 25 seconds for a server that is away.
  async function within<T>(work: (temporal: Client) => Promise<T>, over?: Client): Promise<T> {
    const temporal = over ?? (await client())
    try {
      return await temporal.withDeadline(Date.now() + deadlineMs, () => work(temporal))
    } catch (cause) {
      if (cause instanceof WorkflowExecutionAlreadyStartedError || cause instanceof WorkflowNotFoundError) throw cause
      log.debug({ err: cause }, 'temporal call failed')
      // Such a request is refused each time: whoever waits for a better moment waits for ever.
      if (isRefused(cause)) throw new AppError('internal', 'The workflow service refused what it was asked.', { cause })
      throw new AppError('unavailable', 'The workflow service did not answer. Try again in a moment.', { cause, retryAfterSeconds: 5 })
    }
  }

  async function resultWithin(workflowId: string, timeoutMs: number): Promise<unknown> {
    const temporal = await client()
    try {
      return await temporal.withDeadline(Date.now() + timeoutMs, () => temporal.workflow.getHandle(workflowId).result())
    } catch (cause) {
      if (isGrpcDeadlineError(cause))
        throw new AppError('timeout', `The workflow was not done within ${timeoutMs / 1000} seconds.`, { cause })
      if (cause instanceof WorkflowFailedError) throw failureOf(cause)
      log.debug({ err: cause }, 'temporal call failed')
      throw new AppError('unavailable', 'The workflow service did not answer. Try again in a moment.', { cause, retryAfterSeconds: 5 })
    }
  }

  const startOptions = (request: StartRequest) => ({
    taskQueue: taskQueues.workflows,
    workflowId: request.workflowId,
    args: [...request.args],
    workflowTaskTimeout: '5s' as const,
    priority: { priorityKey: request.priority ?? 3, fairnessKey: fairnessKeyOf(request) },
  })

  // Each key has the same share of a queue, so that many files of one tenant do not stand before the one of another; activities have the workflow's.
  const fairnessKeyOf = ({ tenantId, share }: StartRequest) => (share === undefined ? String(tenantId) : `${tenantId}:${share}`)

  async function start(request: StartRequest): Promise<'started' | 'already'> {
    try {
      // REJECT_DUPLICATE: the default would start a second run when the relay asks again after the first one closed.
      await within(
        (temporal) =>
          temporal.workflow.start(request.workflow, {
            ...startOptions(request),
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            workflowIdConflictPolicy: 'FAIL',
            ...(temporal === lent ? { requestEagerStart: true } : {}),
          }),
        lent,
      )
      return 'started'
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return 'already'
      throw error
    }
  }

  return {
    start,
    async execute(request, timeoutMs) {
      const until = performance.now() + timeoutMs
      await start(request)
      return resultWithin(request.workflowId, Math.max(1, until - performance.now()))
    },
    async signalWithStart(request) {
      await within((temporal) =>
        temporal.workflow.signalWithStart(request.workflow, {
          ...startOptions(request),
          signal: request.signal,
          signalArgs: [...request.signalArgs],
        }),
      )
    },
    async signal(workflowId, signal, signalArgs) {
      try {
        await within((temporal) => temporal.workflow.getHandle(workflowId).signal(signal, ...signalArgs))
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error
      }
    },
    async cancel(workflowId) {
      try {
        await within((temporal) => temporal.workflow.getHandle(workflowId).cancel())
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error
      }
    },
    async isUp() {
      try {
        await within((temporal) => temporal.connection.workflowService.getSystemInfo({}))
        return true
      } catch {
        return false
      }
    },
    isAway: () => address === undefined || !answers(),
    connectTo(next, told = () => true) {
      answers = told
      if (next === address) return
      address = next
      connecting = undefined
    },
    lend(workers) {
      lent = workers && new Client({ connection: workers, namespace })
    },
    async end() {
      await connecting?.then((temporal) => temporal.connection.close()).catch(() => {})
    },
  }
}

/** gRPC's INVALID_ARGUMENT: an id or a payload that is too long, a name that is empty. */
const invalidArgument = 3

function isRefused(cause: unknown): boolean {
  const wire = cause instanceof ServiceError ? cause.cause : cause
  const code: number | undefined = isGrpcServiceError(wire) ? wire.code : undefined
  return code === invalidArgument
}

function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(errorCatalogue, text)
}

/** A workflow of ours that fails on purpose says why with a type that is one of our codes. */
function failureOf(failed: WorkflowFailedError): AppError {
  const { cause } = failed
  if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) return new AppError(cause.type, cause.message, { cause: failed })
  return new AppError('internal', 'Something failed on our side. Quote the requestId when you report it.', { cause: failed })
}
