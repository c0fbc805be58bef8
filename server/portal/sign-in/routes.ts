/** The pages of signing in, of which each form is one step. They work without a script, but for passkeys. */
import { AppError } from '#platform/errors.ts'
import { escape } from '#server/pages/page.ts'
import type { Profile } from '#tools/auth/account/profile.schema.ts'
import type { NamedProvider } from '#tools/auth/service.ts'
import { signInStep, type SignInStep } from '#tools/auth/sign-in/sign-in.schema.ts'

import { authCookie, cookieOf } from '../browser.rules.ts'
import type { PortalAnswer, PortalRoute, Visit } from '../portal.types.ts'
import { createEnrolSteps } from './enrol-routes.ts'
import { type Channel, channelText, factorPage } from './factor-page.ts'
import { type Aim, aimOf, button, field, type Frame, frameOf, noAuthCookie, quietButton, type SignInPage } from './frame.ts'
import { credentialIn, formRoute, wholeNumber } from './posted.ts'
import { afterStep, cookieCredential, enterTenant, nameOf, providerOnTheWay, type SignInParts } from './steps.ts'
import type { SignInTexts } from './texts.ts'

export interface LoginView extends Pick<SignInPage, 'status' | 'problem' | 'notice' | 'cookies'> {
  readonly name?: string
  /** Who is signed in here. */
  readonly who?: string | undefined
  /** Of the tenant that one is on the way to. */
  readonly provider?: NamedProvider | undefined
}

export function loginPage({ texts, show }: Frame, aim: Aim, { name = '', who, provider, ...view }: LoginView): PortalAnswer {
  const present =
    who === undefined
      ? ''
      : `<p>${escape(texts.signedInAs(who))} <a href="${escape(aim.returnTo)}">${escape(texts.goOn)}</a></p><p>${escape(texts.asSomebodyElse)}</p>`
  const focus = name === '' ? ['autofocus', ''] : ['', 'autofocus']
  return show({
    title: texts.signIn,
    aim,
    before: present + (provider && aim.isLinking !== true ? providerLink(texts, provider, aim) : ''),
    forms: [
      {
        action: '/login',
        fields:
          field(
            'username',
            texts.name,
            `type="text" autocomplete="username webauthn" autocapitalize="none" spellcheck="false" maxlength="254" required value="${escape(name)}" ${focus[0]}`,
          ) + field('password', texts.password, `type="password" autocomplete="current-password" maxlength="1000" required ${focus[1]}`),
        send: button(texts.signIn),
      },
      { action: '/login/passkey', fields: '', send: quietButton(texts.byPasskey) },
    ],
    after: `<p><a href="/login/forgot">${escape(texts.forgot)}</a></p>`,
    ...view,
  })
}

/** A link and no form: a page may send forms to nobody but us, and the provider's page is where this leads. */
function providerLink(texts: SignInTexts, { name, subDomain }: NamedProvider, { returnTo }: Aim): string {
  const query = new URLSearchParams({ tenant: subDomain, ...(returnTo === '/' ? {} : { returnTo }) })
  return `<p class="send"><a class="button main" href="/login/provider?${escape(query.toString())}">${escape(texts.byProvider(name))}</a></p>`
}

/** What a form brought back that this page sent with it; undefined where it is something else. */
function channelsOf(text: string | null): Channel[] | undefined {
  try {
    const parsed = signInStep.shape.channels.safeParse(JSON.parse((text ?? '[]').slice(0, 8_000)))
    return parsed.success ? (parsed.data ?? []) : undefined
  } catch {
    return undefined
  }
}

export function createSignInRoutes(parts: SignInParts): PortalRoute[] {
  const { call, services } = parts
  const enrolSteps = createEnrolSteps(parts)

  /** What the form holds, with what to answer where it is no form of ours or the step is refused. */
  function step(
    path: string,
    refusedText: (frame: Frame) => string,
    take: (visit: Visit, fields: URLSearchParams, frame: Frame, aim: Aim) => Promise<PortalAnswer>,
    again: (frame: Frame, aim: Aim, fields: URLSearchParams, view: LoginView) => PortalAnswer = (frame, aim, _fields, view) =>
      loginPage(frame, aim, view),
  ): PortalRoute {
    return formRoute(parts, path, {
      refusedText,
      take: ({ visit, fields, frame }) => take(visit, fields, frame, aimOf(fields)),
      again: async ({ visit, fields, frame }, told) => {
        const aim = aimOf(fields)
        return again(frame, aim, fields, { ...told, provider: await providerOnTheWay(services, visit, aim) })
      },
    })
  }

  const factorAgain = (frame: Frame, aim: Aim, fields: URLSearchParams, view: LoginView): PortalAnswer => {
    const channels = channelsOf(fields.get('channels'))
    const signInToken = fields.get('signInToken') ?? ''
    if (!channels || signInToken === '') return loginPage(frame, aim, view)
    const chosen = channels.find((one) => channelText(one) === fields.get('chosen'))
    return factorPage(frame, aim, {
      signInToken,
      channels,
      ...(chosen ? { chosen } : {}),
      status: view.status ?? 400,
      problem: view.problem ?? '',
    })
  }

  return [
    {
      method: 'GET',
      path: '/login',
      async answer(visit) {
        const frame = frameOf(visit, parts)
        const aim = aimOf(visit.query)
        const provider = await providerOnTheWay(services, visit, aim)
        return loginPage(
          frame,
          { ...aim, link: undefined, isLinking: false },
          { who: await nameOf(parts, visit, cookieCredential(visit)), provider },
        )
      },
    },
    step(
      '/login',
      ({ texts }) => texts.wrong,
      async (visit, fields, _frame, aim) => {
        const [userName, password] = [fields.get('username') ?? fields.get('userName') ?? '', fields.get('password') ?? '']
        if (userName.trim() === '' || password === '') throw new AppError('unauthenticated', 'The name or the password is missing.')
        return afterStep(parts, visit, aim, (await call(visit, 'login', { userName, password })) as SignInStep)
      },
      (frame, aim, fields, view) => loginPage(frame, aim, { name: (fields.get('username') ?? '').slice(0, 254), ...view }),
    ),
    step(
      '/login/passkey',
      ({ texts }) => texts.wrong,
      async (visit, _fields, frame, aim) => {
        const { signInToken, options } = (await call(visit, 'login', { passkey: true })) as SignInStep
        return factorPage(frame, aim, { signInToken, channels: [], options })
      },
    ),
    step(
      '/login/factor',
      ({ texts }) => texts.over,
      async (visit, fields, frame, aim) => {
        const channels = channelsOf(fields.get('channels')) ?? []
        const signInToken = fields.get('signInToken') ?? ''
        const chosen = channels.find((one) => channelText(one) === fields.get('way'))
        if (!chosen) throw new AppError('unauthenticated', 'There is no such way.')
        const { channel, factorId } = chosen
        const asked = { signInToken, channel, ...(factorId === undefined ? {} : { factorId }) }
        const { options } = (await call(visit, 'select_second_factor', asked)) as { readonly options?: unknown }
        return factorPage(frame, aim, { signInToken, channels, chosen, options })
      },
    ),
    step(
      '/login/code',
      ({ texts }) => texts.wrongCode,
      async (visit, fields, _frame, aim) => {
        const signInToken = fields.get('signInToken') ?? ''
        const credential = fields.get('credential') ?? ''
        const shown = credential === '' ? { code: fields.get('code') ?? '' } : { credential: credentialIn(credential) }
        return afterStep(parts, visit, aim, (await call(visit, 'verify_second_factor', { signInToken, ...shown })) as SignInStep)
      },
      factorAgain,
    ),
    step('/login/enrol', ({ texts }) => texts.over, enrolSteps.confirm),
    step('/login/enrol/begin', ({ texts }) => texts.over, enrolSteps.begin),
    {
      method: 'GET',
      path: '/login/tenant',
      async answer(visit) {
        const frame = frameOf(visit, parts)
        const aim = aimOf(visit.query)
        const credential = cookieCredential(visit)
        const profile = (await call(visit, 'get_profile', {}, credential).catch((error: unknown) => {
          if (error instanceof AppError && error.status < 500) return undefined
          throw error
        })) as Profile | undefined
        if (!profile) return frame.go(`/login?returnTo=${encodeURIComponent(visit.path + aimQuery(aim))}`)
        const choices = profile.tenants.map(({ tenantId, name, subDomain }) => ({
          action: '/login/tenant',
          hidden: { tenantId: String(tenantId), tenant: subDomain.toLowerCase() },
          fields: '',
          send: button(name),
        }))
        return frame.show({
          title: frame.texts.tenantTitle,
          lead: frame.texts.tenantLead,
          aim: { ...aim, tenant: undefined },
          forms: choices,
        })
      },
    },
    step(
      '/login/tenant',
      ({ texts }) => texts.over,
      async (visit, fields, _frame, aim) => {
        const signInToken = fields.get('signInToken')
        const tenantId = wholeNumber(fields.get('tenantId'))
        return enterTenant(parts, visit, aim, { ...(signInToken === null ? {} : { signInToken }), tenantId })
      },
    ),
    {
      method: 'GET',
      path: '/login/forgot',
      answer: (visit) => Promise.resolve(forgotPage(frameOf(visit, parts), {})),
    },
    step(
      '/login/forgot',
      ({ texts }) => texts.wrong,
      async (visit, fields, frame) => {
        try {
          await call(visit, 'request_password_reset', { userName: fields.get('username') ?? '' })
        } catch (error) {
          if (error instanceof AppError && error.code === 'unavailable')
            return forgotPage(frame, { status: 503, problem: frame.texts.noMail })
          throw error
        }
        return loginPage(frame, aimOf(new URLSearchParams()), { notice: frame.texts.forgotDone })
      },
      (frame, _aim, _fields, { status, problem }) =>
        forgotPage(frame, { ...(status === undefined ? {} : { status }), ...(problem === undefined ? {} : { problem }) }),
    ),
    {
      method: 'GET',
      path: '/logout',
      async answer(visit) {
        const { texts, show } = frameOf(visit, parts)
        const form = { action: '/logout', fields: '', send: button(texts.signOut) }
        return show({ title: texts.signOutTitle, lead: texts.signOutLead, forms: [form] })
      },
    },
    step(
      '/logout',
      ({ texts }) => texts.over,
      async (visit, _fields, frame) => {
        const credential = cookieCredential(visit)
        // What is over already needs no end.
        if (credential.kind !== 'none' && cookieOf(visit.raw.headers, authCookie) !== undefined)
          await call(visit, 'logout', {}, credential).catch((error: unknown) => {
            if (!(error instanceof AppError) || error.status >= 500) throw error
          })
        return loginPage(frame, aimOf(new URLSearchParams()), { notice: frame.texts.signedOut, cookies: [noAuthCookie(parts)] })
      },
    ),
  ]
}

const aimQuery = ({ returnTo }: Aim) => (returnTo === '/' ? '' : `?returnTo=${encodeURIComponent(returnTo)}`)

function forgotPage({ texts, show }: Frame, view: Pick<SignInPage, 'status' | 'problem'>): PortalAnswer {
  return show({
    title: texts.forgotTitle,
    lead: texts.forgotLead,
    forms: [
      {
        action: '/login/forgot',
        fields: field(
          'username',
          texts.name,
          'type="text" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required autofocus',
        ),
        send: button(texts.forgotSend),
      },
    ],
    ...view,
  })
}
