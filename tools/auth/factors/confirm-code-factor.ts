import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { refuseStaleProof } from '#platform/sessions.ts'

import { take } from '../sign-in/attempts.ts'
import { codeLimits } from '../sign-in/sign-in.rules.ts'
import { countFrom } from './confirming.ts'
import { exampleFactor, factor, factorId, recoveryCodes, sixDigits } from './factors.schema.ts'
import { findPendingFactor } from './factors.store.ts'
import { useSentCode } from './sent-codes.ts'

export const confirmCodeFactor = defineStagedOperation({
  ...writes(factor.extend({ recoveryCodes: recoveryCodes.optional() })),
  errors: ['not_found', 'fresh_proof_required'],
  issuesSecret: { idField: 'factorId' },
  name: 'confirm_code_factor',
  title: 'Confirm e-mail or SMS as second factor',
  description:
    'Takes the code that enroll_code_factor sent; from now on the person signs in with codes to that address. With the first factor come ten recovery codes.',
  method: 'POST',
  path: '/api/v1/auth/code-factors/confirm',
  roles: 'Person',
  admitsEnrolment: true,
  input: z.object({ factorId: factorId.describe('From enroll_code_factor'), code: sixDigits }),
  examples: [
    {
      title: 'The second factor of the person',
      input: { factorId: 6, code: '492039' },
      output: { ...exampleFactor, factorId: 6, channel: 'sms', name: '+34…678' },
    },
  ],
  async stagedHandler(context, input) {
    const { services, actor } = context
    refuseStaleProof(actor)
    const attempt = await take(context, codeLimits(actor.userId))
    const confirmed = await services.databases.lookUp(async (tx) => {
      const { userId } = actor
      const find = (channel: 'email' | 'sms') => findPendingFactor(tx, { userId, factorId: input.factorId, channel })
      const pending = mustExist((await find('email')) ?? (await find('sms')), 'factor')
      const isRight = await useSentCode(tx, services.secrets, { ...input, boundTo: `factor:${input.factorId}` })
      return isRight ? countFrom(tx, context, pending) : undefined
    })
    if (!confirmed) {
      const message = 'The code is wrong, or void after five wrong ones. Enrol the address again for a new one.'
      throw new AppError('invalid_input', message, { issues: [finding('$.code', message)] })
    }
    await attempt.giveBack()
    return confirmed
  },
})
