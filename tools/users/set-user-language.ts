import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { shownUser } from './changed-user.ts'
import { findLanguage } from './users.rules.ts'
import { exampleUser, language, tenantUserId, user } from './users.schema.ts'
import { listLanguageRows, lockUserRow, updateLanguage } from './users.store.ts'

export const setUserLanguage = defineOperation({
  ...writes(user),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'set_user_language',
  title: "Set a user's language",
  description: 'The language that display texts and messages reach the user in. list_languages has the codes.',
  method: 'PUT',
  path: '/api/v1/tenants/users/{tenantUserId}/language',
  roles: 'AdminUser',
  input: z.object({ tenantUserId, language }),
  examples: [{ title: 'Spanish', input: { tenantUserId: 12, language: 'es-ES' }, output: exampleUser }],
  async handler(context, input) {
    const found = findLanguage(input.language, await listLanguageRows(context.tx, context.tenantId))
    if (!found.isOk) throw new AppError('invalid_input', found.issue.message, { issues: [found.issue] })
    const { tenantUserId } = mustExist(await lockUserRow(context.tx, context.tenantId, input.tenantUserId), 'user')
    await updateLanguage(context.tx, context.tenantId, tenantUserId, found.value.languageRegionId)
    return shownUser(context, tenantUserId)
  },
})
