import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { seenOf } from '#tools/query/service.ts'

import { linkId } from './links.schema.ts'
import { lockLink, revokeLink } from './links.store.ts'

export const revokeSignedLink = defineOperation({
  ...destroys(z.object({ linkId, state: z.literal('revoked'), revokedDate: z.iso.datetime() })),
  name: 'revoke_signed_link',
  title: 'Revoke a link to a form',
  description: 'Ends a link that was not answered, at once: its page then says that it was withdrawn. Take linkId from list_signed_links.',
  method: 'DELETE',
  path: '/api/v1/links/{linkId}',
  roles: 'DataEdit',
  input: z.object({ linkId }),
  examples: [
    {
      title: 'Sent to the wrong person',
      input: { linkId: 12 },
      output: { linkId: 12, state: 'revoked', revokedDate: '2026-11-21T10:05:00.000Z' },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, stamp, actor } = context
    const link = mustExist(await lockLink(tx, tenantId, input.linkId), 'link')
    const about = link.madeBy === actor.tenantUserId ? [] : [link.eiRecordId, link.resultRecordId].filter((id) => id !== null)
    const seen = await seenOf(context, await cachedCatalog(context), about)
    if (!about.every((id) => seen.has(id))) mustExist(undefined, 'link')
    if (link.usedDate !== null) throw new AppError('conflict', 'The link has been used. What came of it stands in its record.')
    if (link.revokedDate !== null) mustExist(undefined, 'link')
    await revokeLink(tx, tenantId, link.linkId, stamp)
    return { linkId: link.linkId, state: 'revoked' as const, revokedDate: stamp }
  },
})
