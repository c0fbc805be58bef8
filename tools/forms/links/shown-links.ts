/** Links as their makers see them. */
import type { TxContext } from '#platform/operation.ts'
import { findDefinitionNames } from '#tools/definitions/service.ts'
import { findDisplayNames } from '#tools/users/service.ts'

import { stateOf } from './links.rules.ts'
import type { SignedLink } from './links.schema.ts'
import type { LinkRow } from './links.store.ts'

export async function showLinks({ tx, tenantId }: TxContext, rows: readonly LinkRow[], now: string): Promise<SignedLink[]> {
  const names = await findDisplayNames(tx, tenantId, [...new Set(rows.flatMap(({ madeBy, toUserId }) => [madeBy, toUserId ?? madeBy]))])
  const forms = await findDefinitionNames(tx, tenantId, [...new Set(rows.flatMap(({ formId }) => formId ?? []))])
  return rows.map((row) => {
    const { linkId, formId, runId, eiRecordId, toUserId, toAddress, madeBy, messageId, createdDate, expiresAt, usedDate } = row
    return {
      linkId,
      state: stateOf(row, now),
      form: (formId === null ? undefined : forms.get(formId)) ?? null,
      formId,
      workflowInstanceId: runId,
      eiRecordId,
      to: {
        ...(toUserId === null ? {} : { tenantUserId: toUserId, displayName: names.get(toUserId) ?? '' }),
        ...(toAddress === null ? {} : { address: toAddress }),
      },
      madeBy: { tenantUserId: madeBy, displayName: names.get(madeBy) ?? '' },
      messageId,
      createdDate,
      expiresAt,
      usedDate,
      resultEIRecordId: row.resultRecordId,
    }
  })
}
