/** What create_user and find_or_create_user share: an input becomes a member, or all that is wrong with it is said at once. */
import { AppError, type Issue } from '#platform/errors.ts'
import { tell } from '#platform/event-log.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { flagOf, type RoleName } from '#platform/roles.ts'
import { takeInTurn } from '#platform/tenant-state.ts'

import { normalizeEmail, normalizePhone, type Normalized } from './contact-values.ts'
import { addMember, refuseGrant, type MemberRequest } from './service.ts'
import { findLanguage, findTimeZone } from './users.rules.ts'
import { countPeopleInTurn, listLanguageRows, type UserRow } from './users.store.ts'

export interface NewUser {
  readonly email?: string | undefined
  readonly phone?: string | undefined
  readonly userName?: string | undefined
  readonly displayName?: string | undefined
  readonly language?: string | undefined
  readonly timezone?: string | undefined
  readonly roles?: readonly RoleName[] | undefined
}

/** The member that the input asks for. Throws AppError `forbidden` for a role that the caller lacks, `invalid_input` with every issue. */
export async function readNewUser(context: TxContext, input: NewUser): Promise<MemberRequest> {
  const roleFlag = flagOf(input.roles ?? [])
  refuseGrant(context.actor.roleFlag, roleFlag)
  const issues: Issue[] = []
  const read = (path: string, normalized: Normalized | undefined): string | undefined => {
    if (normalized?.isOk === false) issues.push(finding(path, normalized.message))
    return normalized?.isOk ? normalized.value : undefined
  }
  const email = read('$.email', input.email === undefined ? undefined : normalizeEmail(input.email))
  const phone = read('$.phone', input.phone === undefined ? undefined : normalizePhone(input.phone))
  const language =
    input.language === undefined ? undefined : findLanguage(input.language, await listLanguageRows(context.tx, context.tenantId))
  const zone = input.timezone === undefined ? undefined : findTimeZone(input.timezone)
  for (const found of [language, zone]) if (found && !found.isOk) issues.push(found.issue)
  const userName = input.userName ?? email ?? phone
  if (userName === undefined && issues.length === 0) {
    issues.push(finding('$.email', 'Give an e-mail, a phone or a userName: one of them is what the person is known by.'))
  }
  if (issues.length > 0 || userName === undefined)
    throw new AppError('invalid_input', `The user cannot be made: ${issues[0]?.message ?? ''}`, { issues })
  return {
    userName,
    isNameDerived: input.userName === undefined,
    displayName: input.displayName ?? userName,
    email,
    phone,
    languageRegionId: language?.isOk ? language.value.languageRegionId : undefined,
    timeZoneIana: zone?.isOk ? zone.value : undefined,
    roleFlag,
    at: context.stamp,
  }
}

/** Makes the member that `readNewUser` read. Throws AppError `already_exists`. */
export async function saveNewUser(context: TxContext, member: MemberRequest): Promise<UserRow> {
  await takeInTurn(context, 'users', () => countPeopleInTurn(context.tx, context.tenantId))
  const row = await addMember(context.tx, context.tenantId, member)
  tell(context, 'user.created', { tenantUserId: row.tenantUserId })
  context.audit({ tenantUserId: row.tenantUserId })
  return row
}
