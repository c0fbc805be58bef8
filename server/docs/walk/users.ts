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
  { operation: 'invite_user', input: { tenantUserId, asLink: true }, keeps: { invitation: "answer.link.split('#')[1]" } },
  { operation: 'cancel_invitation', input: { tenantUserId } },
  {
    operation: 'invite_user',
    title: 'to be taken',
    input: { tenantUserId, asLink: true },
    keeps: { invitation: "answer.link.split('#')[1]" },
  },
  {
    operation: 'list_users',
    title: 'who signs in',
    input: { roles: ['AdminUser'], pageSize: 1 },
    keeps: { administratorId: 'answer[0].tenantUserId' },
  },
  { operation: 'reset_user_password', input: { tenantUserId: '{{administratorId}}' } },
  { operation: 'lock_user', input: { tenantUserId } },
  { operation: 'unlock_user', input: { tenantUserId } },
  { operation: 'delete_user', input: { tenantUserId: '{{secondTenantUserId}}' } },
  {
    operation: 'reset_user_factors',
    // Of somebody who has lost them.
    before: ["if (!pm.collectionVariables.get('lostUserId')) pm.execution.skipRequest()"],
    input: { userId: '{{lostUserId}}' },
  },
]
