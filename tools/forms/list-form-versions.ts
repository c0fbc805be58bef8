import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { mustFindDefinition } from '#tools/definitions/service.ts'
import { findDisplayNames } from '#tools/users/service.ts'

import { formSlot, formVersion } from './forms.schema.ts'
import { listLayoutVersions } from './forms.store.ts'
import { placeOfForms } from './shown.ts'

export const listFormVersions = defineOperation({
  ...reads(z.array(formVersion)),
  name: 'list_form_versions',
  title: 'List the versions of a form',
  description:
    'The layouts that a form had and has, the newest first: who saved each and when. get_form with layoutVersion shows one, restore_form_version brings it back.',
  method: 'POST',
  path: '/api/v1/forms/{form}/versions',
  roles: 'BuilderAdmin',
  input: z.object({ form: formSlot }),
  examples: [
    {
      title: 'Changed once',
      input: { form: 'OrderForm' },
      output: [
        {
          layoutVersion: 2,
          createdDate: '2026-03-02T09:00:00.000Z',
          createdBy: { tenantUserId: 7, displayName: 'Ana' },
          sizeBytes: 812,
          isCurrent: true,
        },
        {
          layoutVersion: 1,
          createdDate: '2026-03-01T08:30:00.000Z',
          createdBy: { tenantUserId: 7, displayName: 'Ana' },
          sizeBytes: 640,
          isCurrent: false,
        },
      ],
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { definitionId } = await mustFindDefinition(context, placeOfForms, input.form)
    const rows = await listLayoutVersions(tx, tenantId, definitionId)
    const names = await findDisplayNames(tx, tenantId, [...new Set(rows.map((row) => row.createdBy))])
    return rows.map(({ createdBy, ...row }, index) => ({
      ...row,
      createdBy: { tenantUserId: createdBy, displayName: names.get(createdBy) ?? '' },
      isCurrent: index === 0,
    }))
  },
})
