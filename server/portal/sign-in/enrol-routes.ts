/** The steps of enrolling a second factor on the way in, by the token that admits that alone. */
import { AppError } from '#platform/errors.ts'
import { findSignInPolicy } from '#tools/auth/service.ts'

import type { PortalAnswer, Visit } from '../portal.types.ts'
import { type Begun, type Enrolling, enrolPage, type EnrolWay, enrolWays, recoveryPage } from './enrol-page.ts'
import type { Aim, Frame } from './frame.ts'
import { credentialIn, wholeNumber } from './posted.ts'
import { enterTenant, type SignInParts } from './steps.ts'

const isWay = (text: string): text is EnrolWay => enrolWays.some((way) => way === text)

/** What a form says of who enrols. Throws AppError where it is no form of ours. */
function enrollingIn(fields: URLSearchParams): Enrolling {
  const [signInToken, tenantId, way] = ['signInToken', 'tenantId', 'way'].map((name) => fields.get(name) ?? '')
  if (!signInToken || !tenantId || !/^\d{1,9}$/.test(tenantId) || !way || !isWay(way))
    throw new AppError('unauthenticated', 'This is no step of an enrolment.')
  return { signInToken, tenantId: Number(tenantId), way, ways: (fields.get('ways') ?? '').split(',').filter(isWay) }
}

const bearer = ({ signInToken }: Enrolling) => ({ kind: 'bearer', token: signInToken }) as const

async function begin({ call }: Pick<SignInParts, 'call'>, visit: Visit, enrolling: Enrolling, value: string | null): Promise<Begun> {
  const { way } = enrolling
  const ask = (name: string, input: object) => call(visit, name, input, bearer(enrolling))
  // What these answer is what the operations' own schemas say.
  if (way === 'totp') return (await ask('enroll_totp', {})) as Begun
  if (way === 'passkey') return (await ask('enroll_passkey', {})) as Begun
  return value === null ? undefined : ((await ask('enroll_code_factor', { channel: way, value })) as Begun)
}

/** The page of the first way that the tenant counts. */
export async function startEnrolment(
  parts: Pick<SignInParts, 'call' | 'services'>,
  visit: Visit,
  { frame, aim }: { readonly frame: Frame; readonly aim: Aim },
  { signInToken, tenantId }: Pick<Enrolling, 'signInToken' | 'tenantId'>,
): Promise<PortalAnswer> {
  const { factors } = await parts.services.databases.lookUp((tx) => findSignInPolicy(tx, tenantId))
  // Codes by e-mail or SMS are weaker than the others, so they are offered where the tenant names them alone.
  const ways = enrolWays.filter((way) => (factors === null ? way === 'totp' || way === 'passkey' : factors.includes(way)))
  const enrolling = { signInToken, tenantId, ways, way: ways[0] ?? 'totp' }
  return enrolPage(frame, aim, enrolling, await begin(parts, visit, enrolling, null))
}

type Step = (visit: Visit, fields: URLSearchParams, frame: Frame, aim: Aim) => Promise<PortalAnswer>

/** What the forms of the pages do: begin another way, and show that it works. */
export function createEnrolSteps(parts: SignInParts): { readonly begin: Step; readonly confirm: Step } {
  const { call } = parts
  return {
    async begin(visit, fields, frame, aim) {
      const enrolling = enrollingIn(fields)
      try {
        return enrolPage(frame, aim, enrolling, await begin(parts, visit, enrolling, fields.get('value')))
      } catch (error) {
        if (!(error instanceof AppError) || error.status !== 400) throw error
        return enrolPage(frame, aim, enrolling, undefined, frame.texts.wrongAddress)
      }
    },
    async confirm(visit, fields, frame, aim) {
      const enrolling = enrollingIn(fields)
      const { way, signInToken, tenantId } = enrolling
      const [code, credential, secret, otpauthUri, sentTo] = ['code', 'credential', 'secret', 'otpauthUri', 'sentTo'].map(
        (name) => fields.get(name) ?? '',
      )
      const factorId = wholeNumber(fields.get('factorId'))
      const name = { totp: 'confirm_totp', passkey: 'confirm_passkey', email: 'confirm_code_factor', sms: 'confirm_code_factor' }[way]
      const shown = way === 'passkey' ? { credential: credentialIn(credential ?? '') } : { code: (code ?? '').trim() }
      try {
        const { recoveryCodes = [] } = (await call(visit, name, { factorId, ...shown }, bearer(enrolling))) as {
          readonly recoveryCodes?: readonly string[]
        }
        if (recoveryCodes.length > 0) return recoveryPage(frame, aim, { signInToken, tenantId, codes: recoveryCodes })
        return await enterTenant(parts, visit, aim, { signInToken, tenantId })
      } catch (error) {
        if (!(error instanceof AppError) || error.status !== 400) throw error
        // A new passkey needs a new challenge.
        if (way === 'passkey') return enrolPage(frame, aim, enrolling, await begin(parts, visit, enrolling, null), frame.texts.wrongPasskey)
        const isApp = way === 'totp' && otpauthUri?.startsWith('otpauth://totp/') === true
        const begun = isApp ? { factorId, secret: secret ?? '', otpauthUri: otpauthUri ?? '' } : { factorId, sentTo: sentTo ?? '' }
        return enrolPage(frame, aim, enrolling, begun, isApp ? frame.texts.wrongFirstCode : frame.texts.wrongCode)
      }
    },
  }
}
