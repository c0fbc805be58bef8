import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { exampleSecret, secret, secretInput } from './secrets.schema.ts'
import { findSecretRow, insertSecret, setSecret } from './secrets.store.ts'
import { sealSecret } from './secrets.ts'

/** list_secrets answers all of them. */
const maxSecrets = 500

export const saveSecret = defineOperation({
  ...writes(secret),
  errors: [],
  isIdempotent: true,
  name: 'save_secret',
  title: 'Save a secret',
  description:
    'Keeps a token or password under a name, for HTTP steps, connections and packs; in place of the one that has the name. It is never shown, and sent to its hosts alone.',
  method: 'POST',
  path: '/api/v1/secrets',
  roles: 'AdminIntegration',
  input: secretInput,
  examples: [
    {
      title: 'The token of an ERP',
      input: {
        internalName: 'erp',
        value: 'from-the-console',
        hosts: ['erp.example.com'],
        header: 'Authorization',
        prefix: 'Bearer ',
      },
      output: exampleSecret,
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, stamp, services } = context
    const { internalName, value, hosts, header = null, prefix = null } = input
    const known = await findSecretRow(tx, tenantId, internalName)
    const secretId = known?.secretId ?? (await insertSecret(tx, tenantId, stamp, maxSecrets, { internalName, hosts, header, prefix }))
    if (secretId === undefined) throw new AppError('too_large', `A tenant has at most ${maxSecrets} secrets. Delete one that is not used.`)
    const sealedValue = await sealSecret(tx, services, tenantId, secretId, value)
    await setSecret(tx, tenantId, stamp, { secretId, hosts, header, prefix, sealedValue })
    context.audit({ secretId, internalName, hosts })
    const { createdDate = stamp, lastUsedDate = null } = known ?? {}
    return {
      secretId,
      internalName: known?.internalName ?? internalName,
      hosts,
      header,
      prefix,
      createdDate,
      modifiedDate: stamp,
      lastUsedDate,
    }
  },
})
