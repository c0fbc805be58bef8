import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { refuseStaleProof } from '#platform/sessions.ts'

import { take } from '../sign-in/attempts.ts'
import { codeLimits } from '../sign-in/sign-in.rules.ts'
import { useAppCode } from './codes.ts'
import { countFrom } from './confirming.ts'
import { exampleFactor, factor, factorId, recoveryCodes, sixDigits } from './factors.schema.ts'
import { findPendingFactor } from './factors.store.ts'

export const confirmTotp = defineStagedOperation({
  ...writes(factor.extend({ recoveryCodes: recoveryCodes.optional() })),
  errors: ['not_found', 'fresh_proof_required'],
  issuesSecret: { idField: 'factorId' },
  name: 'confirm_totp',
  title: 'Confirm an authenticator app',
  description:
    'Takes the first code of an app that enroll_totp began; from now on the person signs in with it. With the first factor come ten recovery codes.',
  method: 'POST',
  path: '/api/v1/auth/totp/confirm',
  roles: 'Person',
  admitsEnrolment: true,
  input: z.object({ factorId: factorId.describe('From enroll_totp'), code: sixDigits }),
  examples: [
    {
      title: 'The first factor',
      input: { factorId: 4, code: '492039' },
      output: { ...exampleFactor, recoveryCodes: ['K7QPZ2M8XW4RTN6C', 'B3HJ9VYD5LF8AESU'] },
    },
  ],
  async stagedHandler(context, input) {
    const { services, actor } = context
    refuseStaleProof(actor)
    const attempt = await take(context, codeLimits(actor.userId))
    const confirmed = await services.databases.lookUp(async (tx) => {
      const find = { userId: actor.userId, factorId: input.factorId, channel: 'totp' } as const
      const pending = mustExist(await findPendingFactor(tx, find), 'factor')
      if (!(await useAppCode(tx, services.secrets, pending, input.code))) {
        const message = 'The code is not one of this app now. Check the clock of the phone, and send the next one.'
        throw new AppError('invalid_input', message, { issues: [finding('$.code', message)] })
      }
      return countFrom(tx, context, pending)
    })
    await attempt.giveBack()
    return confirmed
  },
})
