import type { Domain } from '#platform/operation.ts'

import { addUserContact } from './add-user-contact.ts'
import { cancelInvitation } from './cancel-invitation.ts'
import { createUser } from './create-user.ts'
import { deleteUser } from './delete-user.ts'
import { findOrCreateUser } from './find-or-create-user.ts'
import { getUser } from './get-user.ts'
import { inviteUser } from './invite-user.ts'
import { listRoles } from './list-roles.ts'
import { listUsers } from './list-users.ts'
import { lockUser } from './lock-user.ts'
import { removeUserContact } from './remove-user-contact.ts'
import { resetUserFactors } from './reset-user-factors.ts'
import { resetUserPassword } from './reset-user-password.ts'
import { setUserLanguage } from './set-user-language.ts'
import { setUserRoles } from './set-user-roles.ts'
import { setUserTimezone } from './set-user-timezone.ts'
import { setUsername } from './set-username.ts'
import { unlockUser } from './unlock-user.ts'
import { usersPhrases } from './users.phrases.ts'

export const usersDomain: Domain = {
  name: 'users',
  title: 'Users',
  summary: 'The people of a tenant: their roles, contacts, languages and time zones, and who may sign in.',
  operations: [
    createUser,
    listUsers,
    getUser,
    findOrCreateUser,
    inviteUser,
    cancelInvitation,
    resetUserPassword,
    lockUser,
    unlockUser,
    deleteUser,
    resetUserFactors,
    addUserContact,
    removeUserContact,
    setUserLanguage,
    setUserTimezone,
    setUsername,
    setUserRoles,
    listRoles,
  ],
  phrases: usersPhrases,
}
