/** Runs the reports of a context, with what their parameters take from the bundle. */
import { AppError, errorCatalogue, type ErrorCode } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { type Resolving, resolveValue } from '#platform/tokens/resolve.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { type NamedReport, prepareRun, runFlatPage } from '#tools/reports/service.ts'

import type { PlannedReport } from './context.rules.ts'
import { textsWithTokens } from './reports.rules.ts'
import { resolvingOver } from './roots.ts'

type FlatPage = Awaited<ReturnType<typeof runFlatPage>>

const noRows: FlatPage = { rows: [], hasMore: false, withheld: [] }

function resolved(value: unknown, at: Resolving): unknown {
  if (typeof value === 'string') return resolveValue(value, at)
  if (!Array.isArray(value)) return value
  return value.flatMap((one: unknown) => resolved(one, at) ?? [])
}

const isNothing = (value: unknown) => value === null || value === undefined || (Array.isArray(value) && value.length === 0)

/** The values of its parameters; undefined where one that is taken from the bundle is empty there. */
function paramsOf({ params }: PlannedReport, at: Resolving): Record<string, unknown> | undefined {
  const values: Record<string, unknown> = {}
  for (const [name, said] of Object.entries(params)) {
    const value = resolved(said, at)
    // Without it the report would tell of all records, and not of those of this one.
    if (isNothing(value) && textsWithTokens(said).length > 0) return undefined
    values[name] = value
  }
  return values
}

/** As of the time of the bundle, unless the report tells of times of its own. */
function bodyAt({ body }: NamedReport, asOf: string | undefined): NamedReport['body'] {
  const hasTime = ['asOfDate', 'variance'].some((key) => body[key] !== undefined && body[key] !== null)
  return asOf === undefined || hasTime ? body : { ...body, asOfDate: asOf }
}

const passedOn: readonly ErrorCode[] = ['timeout', 'too_large']

/** Nothing is wrong with the report: a moment later it can be run. */
const isPassing = ({ code }: AppError) => errorCatalogue[code].retryable && code !== 'timeout'

/** Which report was refused, and not only why. */
function refused({ internalName }: NamedReport, error: AppError): AppError {
  const code = passedOn.includes(error.code) ? error.code : 'invalid_input'
  return new AppError(code, `The report ${internalName} cannot be run as the context says: ${error.message}`, {
    cause: error,
    ...(code === 'timeout' ? { retryAfterSeconds: 1 } : {}),
  })
}

/** Runs one report after the other over a bundle, all of them together as long as one report may take. */
export async function openReports(
  context: TxContext,
  data: Readonly<Record<string, unknown>>,
  asOf: string | undefined,
): Promise<(one: PlannedReport, bytes: number) => Promise<FlatPage>> {
  const at = await resolvingOver(context, data)
  const catalog = await cachedCatalog(context)
  const endMs = performance.now() + context.services.config.limits.reportSeconds * 1000
  return async (one, bytes) => {
    const params = paramsOf(one, at)
    if (params === undefined) return noRows
    const { report } = one
    try {
      const run = await prepareRun(context, catalog, { body: bodyAt(report, asOf), definition: report.definition }, { params })
      const seconds = Math.max(1, Math.ceil((endMs - performance.now()) / 1000))
      return await runFlatPage(context, run, { bytes, seconds })
    } catch (error) {
      throw error instanceof AppError && !isPassing(error) ? refused(report, error) : error
    }
  }
}
