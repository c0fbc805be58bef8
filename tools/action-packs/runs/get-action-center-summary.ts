import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { summarizeActionRuns } from '#tools/workflows/service.ts'

import { installId, packSlot } from '../action-packs.schema.ts'
import { openPack } from '../packs/packs.ts'
import { countsOf, spanSecondsFor } from './summary.rules.ts'

const dayMs = 86_400_000
const mostDays = 366
/** The newest of a time with more are counted, and the answer says so. */
const mostRuns = 100_000

const counts = {
  runs: z.int(),
  succeeded: z.int(),
  partly: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  underWay: z.int(),
  failureRate: z.number().nullable().describe('Failed and partly, of what has ended; null: nothing has'),
  latencyMs: z.object({ p50: z.number(), p95: z.number() }).nullable().describe('From start to end'),
} as const

const total = z.object(counts)

const exampleCounts = {
  runs: 40,
  succeeded: 36,
  partly: 1,
  failed: 1,
  cancelled: 0,
  underWay: 2,
  failureRate: 0.0526,
  latencyMs: { p50: 420, p95: 2_100 },
}

export const getActionCenterSummary = defineOperation({
  ...reads(
    z.object({
      from: z.iso.datetime(),
      to: z.iso.datetime(),
      spanSeconds: z.int().describe('Of one element of times'),
      isTruncated: z.boolean().describe(`More than ${mostRuns}: the newest are counted`),
      total,
      packs: z.array(z.object({ actionPack: z.string(), installId: z.int(), ...counts })).describe('By install, the busiest first'),
      times: z.array(z.object({ at: z.iso.datetime(), ...counts })),
    }),
  ),
  errors: ['not_found'],
  name: 'get_action_center_summary',
  title: 'Summarise what action packs did',
  description:
    'Counts, failure rate and latency of runs, by install and by time. The last day unless told. list_action_runs shows the runs.',
  method: 'POST',
  path: '/api/v1/action-center/summary',
  roles: 'DataView',
  input: z.object({
    from: z.iso.datetime().optional().describe('A day before to unless told'),
    to: z.iso.datetime().optional().describe('Now unless told'),
    actionPack: packSlot.optional(),
    installId: installId.optional(),
  }),
  examples: [
    {
      title: 'The last day',
      input: {},
      output: {
        from: '2026-03-01T00:00:00.000Z',
        to: '2026-03-02T00:00:00.000Z',
        spanSeconds: 3_600,
        isTruncated: false,
        total: exampleCounts,
        packs: [{ actionPack: 'tellOfDefects', installId: 10_400, ...exampleCounts }],
        times: [{ at: '2026-03-01T08:00:00.000Z', ...exampleCounts }],
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const to = input.to === undefined ? Date.now() : Date.parse(input.to)
    const from = input.from === undefined ? to - dayMs : Date.parse(input.from)
    if (from >= to || to - from > mostDays * dayMs) {
      const message = `from lies before to, and at most ${mostDays} days.`
      throw new AppError('invalid_input', message, { issues: [finding('$.from', message)] })
    }
    const pack = input.actionPack === undefined ? null : (await openPack(context, input.actionPack)).internalName
    const spanSeconds = spanSecondsFor(to - from)
    const [start, end] = [new Date(from).toISOString(), new Date(to).toISOString()]
    const of = { from: start, to: end, spanSeconds, installId: input.installId ?? null, pack, most: mostRuns }
    const rows = await summarizeActionRuns(tx, tenantId, of)
    const all = rows.find(({ installId: id, at }) => id === null && at === null)
    return {
      from: start,
      to: end,
      spanSeconds,
      isTruncated: (all?.runs ?? 0) >= mostRuns,
      total: countsOf(all),
      packs: rows.flatMap((row) =>
        row.installId === null || row.pack === null ? [] : [{ actionPack: row.pack, installId: row.installId, ...countsOf(row) }],
      ),
      times: rows.flatMap((row) => (row.at === null ? [] : [{ at: row.at, ...countsOf(row) }])),
    }
  },
})
