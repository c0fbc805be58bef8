import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { countSifted, decodeIdCursor, listOf, pageInput, pageOf, type PageRequest, sifted } from '#platform/paging.ts'
import { hasAccessRules } from '#tools/query/service.ts'
import { countActionRuns, listActionRuns, onlySeenRuns, type RunRow } from '#tools/workflows/service.ts'

import { installId, packSlot } from '../action-packs.schema.ts'
import { openPack } from '../packs/packs.ts'
import { actionState, exampleListedRun, listedActionRun } from './runs.schema.ts'
import { showActionRuns } from './shown.ts'

export const listRunsOfActions = defineOperation({
  ...reads(z.array(listedActionRun)),
  errors: ['not_found'],
  name: 'list_action_runs',
  title: 'List runs of action packs',
  description: 'What packs did, the newest first, by pack, install, state or record. get_action_run shows the steps of one.',
  method: 'POST',
  path: '/api/v1/action-center/runs/list',
  roles: 'DataView',
  input: z.object({
    ...pageInput,
    actionPack: packSlot.optional(),
    installId: installId.optional(),
    states: z.array(actionState).min(1).max(8).optional().describe('Any of these'),
    eiRecordId: z.int().min(1).optional().describe('The record that it is about'),
  }),
  examples: [{ title: 'What failed', input: { states: ['failed', 'partly'] }, output: [{ ...exampleListedRun, state: 'failed' }] }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const page = pageOf(context, input)
    const before = page.cursor === undefined ? undefined : decodeIdCursor(page.cursor)
    const pack = input.actionPack === undefined ? null : (await openPack(context, input.actionPack)).internalName
    const filter = { installId: input.installId ?? null, pack, states: input.states ?? null, eiRecordId: input.eiRecordId ?? null }
    const read = (part: PageRequest, last: number | undefined) => listActionRuns(tx, tenantId, part, { ...filter, before: last ?? null })
    const placeOf = ({ runId }: RunRow) => runId
    const sift = (rows: readonly RunRow[]) => onlySeenRuns(context, rows)
    const isPlain = !(await hasAccessRules(context))
    const found = isPlain ? await read(page, before) : await sifted(page, before, { read, placeOf, sift })
    const total = isPlain ? await countActionRuns(tx, tenantId, page, filter) : await countSifted(page, { read, placeOf, sift })
    const shown = new Map((await showActionRuns(context, found.rows)).map((one) => [one.actionRunId, one]))
    return listOf(page, found, {
      show: ({ runId }) => {
        const one = shown.get(runId)
        if (!one) throw new Error('A run was not shown')
        return one
      },
      cursor: ({ runId }) => [runId],
      total,
    })
  },
})
