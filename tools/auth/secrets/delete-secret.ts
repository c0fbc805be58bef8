import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { unknownName } from '#platform/validation.ts'

import { secretSlot } from './secrets.schema.ts'
import { deleteSecretRow, findSecretRow, listSecretRows } from './secrets.store.ts'

export const deleteSecret = defineOperation({
  ...destroys(z.object({ secretId: z.int(), deleted: z.literal(true) })),
  name: 'delete_secret',
  title: 'Delete a secret',
  description: 'Deletes a secret at once; steps that send it fail then, and validate_workflow says which workflow lacks it.',
  method: 'DELETE',
  path: '/api/v1/secrets/{secret}',
  roles: 'AdminIntegration',
  input: z.object({ secret: secretSlot }),
  examples: [{ title: 'By name', input: { secret: 'erp' }, output: { secretId: 3, deleted: true } }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const row = await findSecretRow(tx, tenantId, input.secret)
    if (!row) {
      const names = (await listSecretRows(tx, tenantId)).map((one) => one.internalName)
      throw new AppError('not_found', 'No such secret.', {
        issues: [unknownName('$.secret', 'secret', input.secret, names, 'list_secrets')],
      })
    }
    await deleteSecretRow(tx, tenantId, row.secretId)
    context.audit({ secretId: row.secretId, internalName: row.internalName })
    return { secretId: row.secretId, deleted: true as const }
  },
})
