import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { insertAuditEvent } from '#platform/audit.ts'
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, type StagedContext, writes } from '#platform/operation.ts'
import { hashPassword } from '#platform/passwords.ts'
import { mailsTopic } from '#platform/person-mail.ts'
import { hashToken, refuseStaleProof } from '#platform/sessions.ts'
import { findPersonLink, type PersonLink } from '#tools/users/service.ts'

import { sharerOf, takePublicCall } from '../sign-in/attempts.ts'
import { logInName, password } from '../sign-in/sign-in.schema.ts'
import { findPasswordIssue, proposedNames } from './account.rules.ts'
import { findAccount } from './account.store.ts'
import { isCommon } from './common-passwords.ts'
import { type Accepted, acceptAs, acceptWithPassword, resetPassword } from './taking-links.ts'

const wrongLink = () => new AppError('unauthenticated', 'The link is over, was used, or a newer one was sent. Ask for another one.')

export const completePasswordReset = defineStagedOperation({
  ...writes(
    z.object({
      logInName: z.string().nullable().describe('What to sign in with'),
      emails: z.array(z.string()).describe('Or one of these'),
    }),
  ),
  errors: ['unauthenticated', 'already_exists', 'fresh_proof_required'],
  takesSession: true,
  name: 'complete_password_reset',
  title: 'Set a password by a link',
  description:
    'Takes the token of a mailed link: sets a new password, or accepts an invitation with a password and a log-in name. With a session as Bearer the person of that session accepts the invitation, whose log-in stays as it is; a mailed one needs a proof within 10 minutes. Then login.',
  method: 'POST',
  path: '/api/v1/auth/reset-password',
  roles: 'Public',
  input: z.object({
    token: z.string().min(1).max(200).describe('Behind the # of the link'),
    password: password.optional().describe('12 to 256 characters; absent with a session'),
    userName: logInName
      .optional()
      .describe('Of an invitation: the log-in name, proposed unless told. Of a reset: the present one, or the first of who has none'),
  }),
  examples: [
    {
      title: 'An invitation',
      input: { token: 'q3k7-7wAAbW9yZSByYW5kb20gYml0cyB0aGFuIHRoYXQ', password: 'nine silver herons at dusk', userName: 'ana' },
      output: { logInName: 'ana', emails: ['ana@example.com'] },
    },
  ],
  async stagedHandler(context, input) {
    const { services, session } = context
    if ((input.password === undefined) === (session === undefined)) {
      const message = 'Give a password, or send a session as Bearer, not both.'
      throw new AppError('invalid_input', message, { issues: [finding('$.password', message)] })
    }
    await takePublicCall(context)
    const hash = hashToken(input.token)
    const { databases } = services
    const link = await databases.lookUp((tx) => findPersonLink(tx, hash), sharerOf(context))
    if (!link || (session && link.kind === 'reset')) throw wrongLink()
    let accepted: Accepted | undefined
    if (session) {
      // The tenant knows by the address whom it asked, so whoever finds a session open must not answer for its person.
      if (link.email !== null) refuseStaleProof(session)
      accepted = await databases.lookUp((tx) => acceptAs(tx, services, link, session.userId), sharerOf(context))
    } else {
      const account = await databases.lookUp((tx) => findAccount(tx, link.userId), sharerOf(context))
      const chosen = input.userName ?? account?.userName
      const userNames = typeof chosen === 'string' ? [chosen] : proposedNames(link.label, link.subDomain)
      const issue = findPasswordIssue(input.password ?? '', { path: '$.password', userNames, isCommon })
      if (issue) throw new AppError('invalid_input', issue.message, { issues: [issue] })
      const passwordHash = await hashPassword(input.password ?? '')
      accepted = await databases.lookUp(
        (tx) =>
          link.kind === 'reset'
            ? resetPassword(tx, services, link, passwordHash, input.userName)
            : acceptWithPassword(tx, services, link, passwordHash, input.userName),
        sharerOf(context),
      )
    }
    if (!accepted) throw wrongLink()
    services.wake.poke(credentialsTopic)
    services.wake.poke(mailsTopic)
    if (link.kind === 'invitation') await auditAcceptance(context, link, accepted.userId)
    return { logInName: accepted.logInName, emails: [...accepted.emails] }
  },
})

/** The tenant learns that the membership was taken; a reset is the person's own. */
async function auditAcceptance(context: StagedContext, { tenantId, tenantUserId }: PersonLink, userId: number): Promise<void> {
  if (tenantId === null || tenantUserId === null) return
  const actor = { ...context.actor, tenantId, tenantUserId, userId }
  const { transport, requestId, ip } = context
  const event = {
    tenantId,
    actor,
    operation: 'complete_password_reset',
    outcome: 'done',
    transport,
    requestId,
    ip,
    facts: { tenantUserId },
  } as const
  await context.inTransaction(({ tx }) => insertAuditEvent(tx, event), { tenantId })
}
