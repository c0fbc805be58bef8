import type { Step } from './step.ts'

const tenantUserId = '{{tenantUserId}}'

export const steps: readonly Step[] = [
  { operation: 'list_roles' },
  {
    operation: 'create_user',
    input: { email: 'ana-{{run}}@example.com', displayName: 'Ana {{run}}', roles: ['DataView'] },
    keeps: { tenantUserId: 'answer.tenantUserId' },
  },
  {
    operation: 'find_or_create_user',
    input: { email: 'ben-{{run}}@example.com' },
    keeps: { secondTenantUserId: 'answer.tenantUserId' },
  },
  { operation: 'list_users', input: { search: '{{run}}' } },
  { operation: 'get_user', input: { tenantUserId } },
  {
    operation: 'add_user_contact',
    input: { tenantUserId, kind: 'email', value: 'ana.field-{{run}}@example.com' },
    keeps: { contactId: 'answer.contactId' },
  },
  { operation: 'remove_user_contact', input: { tenantUserId, contactId: '{{contactId}}' } },
  { operation: 'set_user_language', input: { tenantUserId, language: 'fr-FR' } },
  { operation: 'set_user_timezone', input: { tenantUserId, timezone: 'Asia/Tokyo' } },
  { operation: 'set_username', input: { tenantUserId, userName: 'ana-{{run}}' } },
  { operation: 'set_user_roles', input: { tenantId: '{{tenantId}}', tenantUserId, roles: ['DataView', 'DataEdit'] } },
  { operation: 'lock_user', input: { tenantUserId } },
  { operation: 'unlock_user', input: { tenantUserId } },
]
