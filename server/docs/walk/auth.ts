import type { Step } from './step.ts'

const apiKeyId = '{{apiKeyId}}'

export const steps: readonly Step[] = [
  {
    operation: 'create_api_key',
    input: { name: 'Walk {{run}}', roles: ['DataView'], expiresAt: '2099-01-01T00:00:00Z' },
    keeps: { apiKeyId: 'answer.apiKeyId' },
  },
  { operation: 'list_api_keys', input: { pageSize: 5 } },
  { operation: 'update_api_key', input: { apiKeyId, roles: ['DataView', 'DataEdit'] } },
  { operation: 'rotate_api_key', input: { apiKeyId, graceSeconds: 60 }, keeps: { apiKeyId: 'answer.apiKeyId' } },
  { operation: 'revoke_api_key', input: { apiKeyId } },
  { operation: 'save_secret', input: { internalName: 'erp{{run}}', value: 'from-the-console', hosts: ['erp.example.com'] } },
  { operation: 'list_secrets' },
  { operation: 'delete_secret', input: { secret: 'erp{{run}}' } },
]
