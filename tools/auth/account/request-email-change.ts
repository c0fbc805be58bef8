import { z } from 'zod'

import { takeAttempt } from '#platform/attempts.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { mailsTopic, queueMail, refuseWithoutMail } from '#platform/person-mail.ts'
import { hashToken, refuseStaleProof } from '#platform/sessions.ts'
import { linkUrl, newLinkToken, normalizeEmail, sendLimits } from '#tools/users/service.ts'
import { email } from '#tools/users/users.schema.ts'

import { mostEmails } from './account.rules.ts'
import { findAccount, insertEmailLink } from './account.store.ts'
import { tellOfChange } from './notices.ts'

const linkHours = 24

export const requestEmailChange = defineStagedOperation({
  ...writes(z.object({ sentTo: z.string(), expiresAt: z.iso.datetime() })),
  errors: ['not_found', 'fresh_proof_required'],
  name: 'request_email_change',
  title: 'Change the e-mail that I sign in with',
  description:
    'Mails a link to a new address; confirm_email_change with its token makes it one that signs in, beside the others or in place of one. The old ones are told, and may undo it for 7 days. Needs a proof within 10 minutes.',
  method: 'POST',
  path: '/api/v1/profile/email',
  roles: 'Person',
  input: z.object({ email, replaces: email.optional().describe('A proved e-mail of get_profile that it takes the place of') }),
  examples: [
    {
      title: 'A new address',
      input: { email: 'ana@new.example.com', replaces: 'ana@example.com' },
      output: { sentTo: 'ana@new.example.com', expiresAt: '2026-11-22T10:00:00.000Z' },
    },
  ],
  async stagedHandler({ services, actor }, input) {
    refuseStaleProof(actor)
    refuseWithoutMail(services.config)
    const address = normalizeEmail(input.email)
    if (!address.isOk) throw new AppError('invalid_input', address.message, { issues: [finding('$.email', address.message)] })
    const account = mustExist(await services.databases.lookUp((tx) => findAccount(tx, actor.userId)), 'person')
    const replaces = input.replaces?.trim().toLowerCase() ?? null
    const issue = findIssue(account.emails, address.value, replaces)
    if (issue) throw new AppError('invalid_input', issue.message, { issues: [issue] })
    await takeAttempt(services, sendLimits(address.value), 'product')
    const token = newLinkToken()
    const expiresAt = await services.databases.lookUp(async (tx) => {
      await queueMail(tx, services, {
        kind: 'mail',
        to: address.value,
        subject: 'Confirm your e-mail',
        text: `Open this link to sign in with this address:\n\n${linkUrl(services.config, token)}\n\nIt holds for 24 hours, and once. If it was not you, leave it.`,
      })
      await tellOfChange(tx, services, actor.userId, `${address.value} is to become an e-mail that signs you in.`)
      return insertEmailLink(tx, {
        kind: 'emailChange',
        userId: actor.userId,
        email: address.value,
        replaces,
        emails: null,
        hash: hashToken(token),
        hours: linkHours,
      })
    })
    services.wake.poke(mailsTopic)
    return { sentTo: address.value, expiresAt }
  },
})

function findIssue(emails: readonly string[], wanted: string, replaces: string | null): ReturnType<typeof finding> | undefined {
  if (emails.includes(wanted)) return finding('$.email', 'You sign in with this e-mail already.')
  if (replaces !== null && !emails.includes(replaces))
    return finding('$.replaces', 'This is none of your proved e-mails; get_profile shows them.')
  if (replaces === null && emails.length >= mostEmails)
    return finding('$.replaces', `A person has at most ${mostEmails} e-mails. Say which it replaces.`)
  return undefined
}
