import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { refuseStaleProof } from '#platform/sessions.ts'
import { normalizeEmail, normalizePhone } from '#tools/users/service.ts'

import { take } from '../sign-in/attempts.ts'
import { enrolmentSendLimits } from '../sign-in/sign-in.rules.ts'
import { codeChannel, factorId, factorName } from './factors.schema.ts'
import { countFactors, findPendingFactor, insertFactor, mostFactors } from './factors.store.ts'
import { masked, refuseWithoutSender, sealAddress, sendCode, voidEarlierCodes } from './sent-codes.ts'

export const enrollCodeFactor = defineStagedOperation({
  ...writes(z.object({ factorId, sentTo: z.string() })),
  errors: ['not_found', 'fresh_proof_required'],
  name: 'enroll_code_factor',
  title: 'Enrol e-mail or SMS as second factor',
  description:
    'Sends a code to an address of mine. It counts once confirm_code_factor got the code, within 10 minutes. Needs a proof within 10 minutes.',
  method: 'POST',
  path: '/api/v1/auth/code-factors/enroll',
  roles: 'Person',
  admitsEnrolment: true,
  input: z.object({
    channel: codeChannel,
    value: z.string().min(1).max(254).describe('The e-mail, or the phone with its country code: +14155552671'),
    name: factorName.optional(),
  }),
  examples: [{ title: 'By SMS', input: { channel: 'sms', value: '+34 612 345 678' }, output: { factorId: 6, sentTo: '+34612345678' } }],
  async stagedHandler(context, { channel, value, name }) {
    const { services, actor } = context
    refuseStaleProof(actor)
    const address = channel === 'email' ? normalizeEmail(value) : normalizePhone(value)
    if (!address.isOk) throw new AppError('invalid_input', address.message, { issues: [finding('$.value', address.message)] })
    refuseWithoutSender(services, channel)
    // Beside what each address may get: nobody has codes sent to one stranger after another.
    await take(context, enrolmentSendLimits(actor.userId))
    const pending = await services.databases.lookUp(async (tx) => {
      if ((await countFactors(tx, actor.userId)) >= mostFactors)
        throw new AppError('conflict', `A person has at most ${mostFactors} factors. Delete one first.`)
      await voidEarlierCodes(tx, services.secrets, { userId: actor.userId, channel, address: address.value })
      const id = await insertFactor(tx, actor.userId, {
        channel,
        name: name ?? masked(channel, address.value),
        sealedOf: (factor) => sealAddress(services.secrets, factor, address.value),
      })
      return mustExist(await findPendingFactor(tx, { userId: actor.userId, factorId: id, channel }), 'factor')
    })
    await sendCode(services, pending, `factor:${pending.factorId}`, String(actor.tenantId))
    return { factorId: pending.factorId, sentTo: address.value }
  },
})
