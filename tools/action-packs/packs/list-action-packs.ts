import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { decodeCursor, fitting, listOf, notOfThisList, pageInput, pageOf } from '#platform/paging.ts'
import { maxDefinitions } from '#tools/definitions/service.ts'

import { actionPack, examplePack } from '../action-packs.schema.ts'
import { countInstalls, listPacks } from '../action-packs.store.ts'
import type { Manifest } from '../manifest.schema.ts'
import { shippedPacks } from '../shipped/index.ts'
import { type Pack, showPacks } from './packs.ts'

const { page, pageNumber, pageSize, cursor } = pageInput

type Listed = { readonly pack: Pack; readonly head: Omit<Manifest, 'steps' | 'triggers' | 'settings'>; readonly isOwn: boolean }

const shipped: readonly Listed[] = shippedPacks.map((one) => ({
  pack: { packId: one.packId, internalName: one.manifest.internalName, shipped: one },
  head: one.manifest,
  isOwn: false,
}))

export const listActionPacks = defineOperation({
  ...reads(z.array(actionPack)),
  errors: [],
  name: 'list_action_packs',
  title: 'List action packs',
  description:
    'Automations that can be installed. Those that ship with the product remind people of what is overdue, send a report every morning, sort photographs, ask somebody about a record and save what a webhook brings; then your own by name. Then describe_action_pack.',
  method: 'POST',
  path: '/api/v1/action-packs/list',
  roles: 'DataView',
  input: z.object({ page, pageNumber, pageSize: pageSize.describe('All unless told'), cursor }),
  examples: [{ title: 'All of them', input: {}, output: [examplePack] }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const asked = { ...pageOf(context, { ...input, includeTotal: false }), pageSize: input.pageSize ?? maxDefinitions }
    const [after] = asked.cursor === undefined ? [undefined] : decodeCursor(asked.cursor, 1)
    // Those of the product stand before all others, and a page goes on behind so many of them.
    const isOfShipped =
      after === undefined || (typeof after === 'number' && Number.isInteger(after) && after >= 0 && after <= shipped.length)
    if (!isOfShipped && typeof after !== 'string') throw notOfThisList()
    const begin = asked.offset + (typeof after === 'number' ? after : 0)
    const first = isOfShipped ? shipped.slice(begin, begin + asked.pageSize) : []
    const skipped = isOfShipped ? Math.max(0, begin - shipped.length) : 0
    const size = Math.max(1, asked.pageSize - first.length)
    const own = await listPacks(tx, tenantId, { ...asked, offset: skipped, pageSize: size }, typeof after === 'string' ? after : undefined)
    const behind = own.rows.slice(0, asked.pageSize - first.length).map(({ packId, internalName, manifest }): Listed => ({
      pack: { packId, internalName, shipped: undefined },
      // Written by keepVersion, from a manifest.
      head: JSON.parse(manifest) as Listed['head'],
      isOwn: true,
    }))
    const rows = fitting(asked.bytes, [...first, ...behind])
    const installs = await countInstalls(
      tx,
      tenantId,
      rows.map(({ pack }) => pack.packId),
    )
    const shown = new Map((await showPacks(context, rows, installs)).map((one) => [one.actionPackId, one]))
    const hasMore =
      begin + first.length < (isOfShipped ? shipped.length : 0) ||
      own.hasMore ||
      behind.length < own.rows.length ||
      rows.length < first.length + behind.length
    return listOf(
      asked,
      { rows, hasMore },
      {
        show: ({ pack }) => {
          const one = shown.get(pack.packId)
          if (!one) throw new Error('A pack was not shown')
          return one
        },
        cursor: (one) => [one.isOwn ? one.pack.internalName.toLowerCase() : shipped.indexOf(one) + 1],
      },
    )
  },
})
