/** Working calls of the user operations. */
import { randomUUID } from 'node:crypto'

import { Secret, TOTP } from 'otpauth'

import { newPerson, newSession } from '#test/support/persons.ts'

import type { Given, Stage } from '../arrange.ts'

/** A person of this tenant alone: names and e-mails are the installation's, so each stage has its own. */
async function userOf({ call }: Stage): Promise<{ tenantUserId: number; contacts: { contactId: number }[] }> {
  return call('create_user', { email: `${randomUUID()}@example.com`, phone: '+34612345678', displayName: 'Ana Ruiz', roles: ['DataView'] })
}

const own = ['userName', 'email', 'value', 'sentTo']

const onUser = (more: Record<string, unknown> = {}) => {
  return async (stage: Stage) => ({ input: { tenantUserId: (await userOf(stage)).tenantUserId, ...more }, varying: own })
}

export const given: Given = {
  create_user: async () => ({
    input: {
      email: `${randomUUID()}@example.com`,
      phone: '+34612345678',
      language: 'es-ES',
      timezone: 'Europe/Madrid',
      roles: ['DataView'],
    },
    varying: [...own, 'displayName'],
  }),
  async list_users(stage) {
    await userOf(stage)
    return { input: { search: 'Ruiz' }, varying: own }
  },
  get_user: onUser(),
  find_or_create_user: async () => ({ input: { email: `${randomUUID()}@example.com` }, varying: [...own, 'displayName'] }),
  invite_user: onUser(),
  async cancel_invitation(stage) {
    const { tenantUserId } = await userOf(stage)
    await stage.call('invite_user', { tenantUserId })
    return { input: { tenantUserId } }
  },
  reset_user_password: async ({ world, tenant }) => ({ input: { tenantUserId: (await newPerson(world, tenant)).tenantUserId } }),
  lock_user: onUser(),
  unlock_user: onUser(),
  delete_user: onUser(),
  async reset_user_factors({ world, tenant }) {
    const person = await newPerson(world, tenant)
    const key = await newSession(world, person)
    const { factorId, secret } = await world.call('enroll_totp', {}, { key })
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
    await world.call('confirm_totp', { factorId, code }, { key })
    return { input: { userId: person.userId } }
  },
  add_user_contact: onUser({ kind: 'phone', value: '+14155552671' }),
  async remove_user_contact(stage) {
    const { tenantUserId, contacts } = await userOf(stage)
    return { input: { tenantUserId, contactId: contacts[1]?.contactId } }
  },
  set_user_language: onUser({ language: 'fr-FR' }),
  set_user_timezone: onUser({ timezone: 'Asia/Tokyo' }),
  set_username: async (stage) => ({
    input: { tenantUserId: (await userOf(stage)).tenantUserId, userName: `ana-${randomUUID()}` },
    varying: own,
  }),
  set_user_roles: async (stage) => ({
    input: { tenantId: stage.tenant.tenantId, tenantUserId: (await userOf(stage)).tenantUserId, roles: ['DataView', 'DataEdit'] },
    varying: own,
  }),
  list_roles: async () => ({ input: {} }),
}
