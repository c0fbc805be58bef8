import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { refuseStaleProof } from '#platform/sessions.ts'

import { findAccount } from '../account/account.store.ts'
import { newSecret, otpauthUri, sealSecret } from './codes.ts'
import { factorId, factorName } from './factors.schema.ts'
import { countFactors, insertFactor, mostFactors } from './factors.store.ts'

export const enrollTotp = defineStagedOperation({
  ...writes(z.object({ factorId, secret: z.string().describe('To type into the app'), otpauthUri: z.string().describe('For a QR code') })),
  errors: ['not_found', 'fresh_proof_required'],
  issuesSecret: { idField: 'factorId' },
  name: 'enroll_totp',
  title: 'Enrol an authenticator app',
  description:
    'Makes a secret for an authenticator app. It counts once confirm_totp got a code of it, within 10 minutes. Needs a proof within 10 minutes.',
  method: 'POST',
  path: '/api/v1/auth/totp/enroll',
  roles: 'Person',
  admitsEnrolment: true,
  input: z.object({ name: factorName.optional() }),
  examples: [
    {
      title: 'On a phone',
      input: { name: 'My phone' },
      output: {
        factorId: 4,
        secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        otpauthUri:
          'otpauth://totp/Fieldloop:ana?issuer=Fieldloop&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
      },
    },
  ],
  async stagedHandler({ services, actor }, input) {
    refuseStaleProof(actor)
    const secret = newSecret()
    return services.databases.lookUp(async (tx) => {
      if ((await countFactors(tx, actor.userId)) >= mostFactors)
        throw new AppError('conflict', `A person has at most ${mostFactors} factors. Delete one first.`)
      const account = mustExist(await findAccount(tx, actor.userId), 'person')
      const id = await insertFactor(tx, actor.userId, {
        channel: 'totp',
        name: input.name ?? 'Authenticator app',
        sealedOf: (factor) => sealSecret(services.secrets, factor, secret),
      })
      return {
        factorId: id,
        secret: secret.base32,
        otpauthUri: otpauthUri(secret, account.userName ?? account.emails[0] ?? actor.displayName),
      }
    })
  },
})
