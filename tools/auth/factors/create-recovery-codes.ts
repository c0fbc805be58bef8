import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { refuseStaleProof } from '#platform/sessions.ts'

import { hashRecoveryCode, newRecoveryCodes } from './codes.ts'
import { recoveryCodes } from './factors.schema.ts'
import { listFactors, replaceRecoveryCodes } from './factors.store.ts'
import { tellOfFactor } from './telling.ts'

export const createRecoveryCodes = defineStagedOperation({
  ...writes(z.object({ codes: recoveryCodes, createdDate: z.iso.datetime() })),
  errors: ['fresh_proof_required'],
  issuesSecret: { idField: 'createdDate' },
  name: 'create_recovery_codes',
  title: 'Make new recovery codes',
  description:
    'Ten new recovery codes, shown this once; the old ones are void. For who has a second factor. Needs a proof within 10 minutes.',
  method: 'POST',
  path: '/api/v1/auth/recovery-codes',
  roles: 'Person',
  input: z.object({}),
  examples: [
    {
      title: 'The paper was lost',
      input: {},
      output: { codes: ['K7QPZ2M8XW4RTN6C', 'B3HJ9VYD5LF8AESU'], createdDate: '2026-11-21T10:00:00.000Z' },
    },
  ],
  async stagedHandler({ services, actor }) {
    refuseStaleProof(actor)
    const codes = newRecoveryCodes()
    const hashes = codes.map((code) => hashRecoveryCode(services.secrets, actor.userId, code))
    await services.databases.lookUp(async (tx) => {
      if ((await listFactors(tx, actor.userId)).length === 0)
        throw new AppError('conflict', 'Recovery codes stand in for a second factor. Enrol one first, with enroll_totp.')
      await replaceRecoveryCodes(tx, actor.userId, hashes)
      await tellOfFactor(tx, services, actor.userId, { kind: 'codes' })
    })
    return { codes, createdDate: new Date().toISOString() }
  },
})
