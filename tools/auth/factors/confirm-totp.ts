import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { enrolmentIdOf, refuseStaleProof, sessionIdOf } from '#platform/sessions.ts'

import { tellOfChange } from '../account/notices.ts'
import { take } from '../sign-in/attempts.ts'
import { codeLimits } from '../sign-in/sign-in.rules.ts'
import { markFactorShown } from '../sign-in/sign-in.store.ts'
import { hashRecoveryCode, newRecoveryCodes, useAppCode } from './codes.ts'
import { exampleFactor, factor, factorId, recoveryCodes } from './factors.schema.ts'
import { confirmFactor, findPendingFactor, listFactors, replaceRecoveryCodes } from './factors.store.ts'

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
  input: z.object({ factorId: factorId.describe('From enroll_totp'), code: z.string().regex(/^\d{6}$/, 'Six digits') }),
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
    const { confirmed, codes } = await services.databases.lookUp(async (tx) => {
      const pending = mustExist(await findPendingFactor(tx, actor.userId, input.factorId), 'factor')
      if (!(await useAppCode(tx, services.secrets, pending, input.code))) {
        const message = 'The code is not one of this app now. Check the clock of the phone, and send the next one.'
        throw new AppError('invalid_input', message, { issues: [finding('$.code', message)] })
      }
      const isFirst = (await listFactors(tx, actor.userId)).length === 0
      const codes = isFirst ? newRecoveryCodes() : undefined
      await confirmFactor(tx, pending.factorId)
      await markFactorShown(tx, { sessionId: sessionIdOf(actor), signInId: enrolmentIdOf(actor) }, 'totp')
      if (codes) {
        const hashes = codes.map((code) => hashRecoveryCode(services.secrets, actor.userId, code))
        await replaceRecoveryCodes(tx, actor.userId, hashes)
      }
      await tellOfChange(tx, services, actor.userId, `An authenticator app was added as second factor: ${pending.name}.`)
      const { sealedSecret: _sealed, lastStep: _step, ...shown } = pending
      return { confirmed: { ...shown, lastUsedDate: null }, codes }
    })
    await attempt.giveBack()
    return { ...confirmed, ...(codes ? { recoveryCodes: codes } : {}) }
  },
})
