import { z } from 'zod'

import { takeAttempt } from '#platform/attempts.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { mailsTopic, queueMail, refuseWithoutMail } from '#platform/person-mail.ts'
import { renderMail, wordingOf } from '#tools/mails/service.ts'
import { findUser, toUser } from '#tools/users/service.ts'
import { tenantUserId } from '#tools/users/users.schema.ts'

import { tenantId } from '../tenants.schema.ts'
import { refuseUnsound } from './saving.ts'
import { body, subject } from './templates.schema.ts'

const mostReceivers = 100
const callsAnHour = 20

export const sendTenantEmail = defineStagedOperation({
  ...writes(z.object({ queued: z.int().min(0), unreachedUserIds: z.array(tenantUserId) })),
  errors: ['not_found'],
  name: 'send_tenant_email',
  title: 'Send an e-mail to users of a tenant',
  description:
    'Mails users of a tenant by the installation’s sender, as blocks of text ([[recipient]], [[tenant]], # headings, - lists, buttons). send_message reaches people over their channels instead.',
  method: 'POST',
  path: '/api/v1/tenants/{tenantId}/send-email',
  roles: 'GlobalAdmin',
  input: z.object({
    tenantId,
    tenantUserIds: z.array(tenantUserId).min(1).max(mostReceivers).describe('Whom; their first e-mail'),
    subject: subject.describe('One line'),
    body: body.describe('A blank line between blocks'),
  }),
  examples: [
    {
      title: 'Maintenance',
      input: {
        tenantId: 3,
        tenantUserIds: [12],
        subject: 'Maintenance on Sunday',
        body: 'Hello [[recipient]],\n\nwe are away from 2 to 4.',
      },
      output: { queued: 1, unreachedUserIds: [] },
    },
  ],
  async stagedHandler(context, input) {
    const { services } = context
    const { tenantId: of, subject: line, body: text } = input
    refuseWithoutMail(services.config)
    refuseUnsound(undefined, { subject: line, body: text })
    const { found, users } = await context.inTransaction(
      (inner) =>
        inner.asTenant(of, async () => {
          const wording = mustExist(await wordingOf(inner.tx, of, 'digest', undefined), 'tenant')
          const rows = []
          for (const id of new Set(input.tenantUserIds)) rows.push({ id, user: await findUser(inner.tx, of, id) })
          return { found: wording, users: rows }
        }),
      { readOnly: true },
    )
    const missing = users.filter(({ user }) => user === undefined)
    if (missing.length > 0)
      throw new AppError('invalid_input', 'Some users are not of this tenant.', {
        issues: missing.map(({ id }) => finding('$.tenantUserIds', `There is no user ${id} of this tenant.`)),
      })
    const shown = users.flatMap(({ user }) => (user ? toUser(user) : []))
    const reached = shown.flatMap(({ email, displayName }) => (email === null ? [] : { email, displayName }))
    await takeAttempt(services, [{ of: ['tenant mails', String(of)], most: callsAnHour, seconds: 3_600 }], String(of))
    await services.databases.lookUp(async (tx) => {
      for (const { email, displayName } of reached) {
        const mail = renderMail({ subject: line, body: text }, { tenant: found.tenantName, recipient: displayName }, found.accent)
        await queueMail(tx, services, { kind: 'mail', to: email, ...mail })
      }
    }, String(of))
    services.wake.poke(mailsTopic)
    context.audit({ queued: reached.length, subject: line })
    return { queued: reached.length, unreachedUserIds: shown.flatMap((user) => (user.email === null ? user.tenantUserId : [])) }
  },
})
