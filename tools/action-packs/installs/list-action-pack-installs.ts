import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { listOf, pageInput, pageOf } from '#platform/paging.ts'
import { maxDefinitions, placeOf } from '#tools/definitions/service.ts'
import { listInstalls } from '#tools/workflows/service.ts'

import { exampleInstall, install, packSlot } from '../action-packs.schema.ts'
import { findInstalls, listInstallIds } from '../action-packs.store.ts'
import { openPack } from '../packs/packs.ts'
import { showInstall } from './shown.ts'

const { page, pageNumber, pageSize, cursor } = pageInput

export const listActionPackInstalls = defineOperation({
  ...reads(z.array(install)),
  errors: ['not_found'],
  name: 'list_action_pack_installs',
  title: 'List installed action packs',
  description: 'The installs by name, each with its version, settings, triggers and whether it fires.',
  method: 'POST',
  path: '/api/v1/action-packs/installs/list',
  roles: 'DataView',
  input: z.object({
    page,
    pageNumber,
    pageSize: pageSize.describe('All unless told'),
    cursor,
    actionPack: packSlot.optional().describe('Of this pack alone'),
  }),
  examples: [{ title: 'All of them', input: {}, output: [exampleInstall] }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const asked = { ...pageOf(context, { ...input, includeTotal: false }), pageSize: input.pageSize ?? maxDefinitions }
    const pack = input.actionPack === undefined ? undefined : await openPack(context, input.actionPack)
    const ofPack = pack && (await listInstallIds(tx, tenantId, pack.packId))
    const found = await listInstalls(context, asked, ofPack)
    const ids = found.rows.map(({ row }) => row.definitionId)
    const beside = await findInstalls(tx, tenantId, ids)
    const rows = []
    for (const draft of found.rows) rows.push({ draft, shown: await showInstall(context, draft, beside.get(draft.row.definitionId)) })
    return listOf(asked, { rows, hasMore: found.hasMore }, { show: ({ shown }) => shown, cursor: ({ draft }) => placeOf(draft.row) })
  },
})
