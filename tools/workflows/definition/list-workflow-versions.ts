import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { findDisplayNames } from '#tools/users/service.ts'

import { workflowSlot, workflowVersion } from '../workflows.schema.ts'
import { listVersions } from '../workflows.store.ts'
import { openDraft } from './drafts.ts'

export const listWorkflowVersions = defineOperation({
  ...reads(z.array(workflowVersion)),
  name: 'list_workflow_versions',
  title: 'List the versions of a workflow',
  description: 'The published versions, the newest first: who published each, and what differs from the one before.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/versions',
  roles: 'DataView',
  input: z.object({ workflow: workflowSlot }),
  examples: [
    {
      title: 'Published twice',
      input: { workflow: 'InspectionReview' },
      output: [
        {
          version: 2,
          createdDate: '2026-03-02T09:00:00.000Z',
          createdBy: { tenantUserId: 7, displayName: 'Ana' },
          sizeBytes: 2_140,
          isCurrent: true,
          changes: ['step tell added', 'step check: dueIn changed'],
        },
        {
          version: 1,
          createdDate: '2026-03-01T08:30:00.000Z',
          createdBy: { tenantUserId: 7, displayName: 'Ana' },
          sizeBytes: 1_810,
          isCurrent: false,
          changes: ['first version: 2 steps'],
        },
      ],
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { state } = await openDraft(context, input.workflow)
    const rows = await listVersions(tx, tenantId, state.workflowId)
    const names = await findDisplayNames(tx, tenantId, [...new Set(rows.map((row) => row.createdBy))])
    return rows.map(({ createdBy, changes, ...row }) => ({
      ...row,
      createdBy: { tenantUserId: createdBy, displayName: names.get(createdBy) ?? '' },
      isCurrent: row.version === state.version,
      // Written by publishing.
      changes: JSON.parse(changes) as string[],
    }))
  },
})
