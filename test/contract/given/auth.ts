/** Working calls of the key operations. */
import type { Given, Stage } from '../arrange.ts'

async function keyOf({ call, unique }: Stage): Promise<number> {
  const { apiKeyId } = await call('create_api_key', { name: unique('Key'), roles: ['DataView'] })
  return apiKeyId
}

export const given: Given = {
  async list_api_keys(stage) {
    await keyOf(stage)
    return { input: {} }
  },
  create_api_key: async ({ unique }) => ({
    input: { name: unique('Key'), roles: ['DataView'], expiresAt: '2099-01-01T00:00:00Z' },
    varying: ['apiKey'],
  }),
  revoke_api_key: async (stage) => ({ input: { apiKeyId: await keyOf(stage) } }),
  rotate_api_key: async (stage) => ({
    input: { apiKeyId: await keyOf(stage), graceSeconds: 60 },
    varying: ['apiKey', 'previousValidUntil'],
  }),
  update_api_key: async (stage) => ({ input: { apiKeyId: await keyOf(stage), roles: ['DataEdit'], allowedAddresses: ['203.0.113.0/24'] } }),
  save_secret: async ({ unique }) => ({ input: { internalName: unique('erp'), value: 'from-the-console', hosts: ['erp.example.com'] } }),
  async list_secrets({ call, unique }) {
    await call('save_secret', { internalName: unique('erp'), value: 'from-the-console', hosts: ['erp.example.com'] })
    return { input: {} }
  },
  async delete_secret({ call, unique }) {
    const { internalName } = await call('save_secret', {
      internalName: unique('erp'),
      value: 'from-the-console',
      hosts: ['erp.example.com'],
    })
    return { input: { secret: internalName } }
  },
}
