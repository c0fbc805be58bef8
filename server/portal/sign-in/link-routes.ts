/** The page of a mailed link. Its token stands behind the #, which no server is sent: opening the page does nothing, its button alone does. */
import { AppError } from '#platform/errors.ts'
import { escape } from '#server/pages/page.ts'
import type { Credential } from '#platform/call.ts'
import { type DescribedLink, describeLink, type NamedProvider, providerOf } from '#tools/auth/service.ts'

import type { PortalAnswer, PortalRoute, Visit } from '../portal.types.ts'
import { type Aim, button, field, type Frame, frameOf, quietButton } from './frame.ts'
import { formRoute } from './posted.ts'
import { loginPage } from './routes.ts'
import { cookieCredential, nameOf, type SignInParts } from './steps.ts'
import type { SignInTexts } from './texts.ts'

const noAim: Aim = { returnTo: '/', tenant: undefined, link: undefined }

interface LinkView {
  readonly token: string
  readonly link: DescribedLink
  /** Who is signed in here. */
  readonly who?: string | undefined
  readonly status?: number
  readonly problem?: string | undefined
  readonly name?: string | undefined
  /** Of the tenant that invites. */
  readonly provider?: NamedProvider | undefined
}

/** What somebody pasted, the whole link or its end. */
export function tokenIn(text: string): string {
  return text.trim().split('#').at(-1)?.slice(0, 200) ?? ''
}

const newPassword = ({ texts }: Frame) =>
  field('password', texts.newPassword, 'type="password" autocomplete="new-password" minlength="12" maxlength="256" required', texts.rules)

function openPage(frame: Frame, problem?: string, status = 200): PortalAnswer {
  const { texts, show } = frame
  return show({
    status,
    title: texts.linkTitle,
    lead: texts.linkLead,
    problem,
    forms: [
      {
        action: '/login/link',
        id: 'link',
        fields: field(
          'token',
          texts.linkPaste,
          'type="text" autocomplete="off" autocapitalize="none" spellcheck="false" required',
          texts.linkPasteHelp,
        ),
        send: button(texts.goOn),
      },
    ],
    scripts: ['link.js'],
  })
}

function invitationPage(frame: Frame, view: LinkView, link: Extract<DescribedLink, { kind: 'invitation' }>): PortalAnswer {
  const { texts, show } = frame
  const { token, who, name = link.proposedName ?? '' } = view
  const title = texts.inviteTitle(link.tenantName)
  const shown = { title, problem: view.problem, status: view.status ?? 200 }
  if (who !== undefined)
    return show({
      ...shown,
      lead: texts.acceptLead(link.tenantName),
      forms: [
        { action: '/login/link/accept', hidden: { token }, fields: '', send: button(texts.acceptAs(who)) },
        {
          action: '/login/link/sign-in',
          hidden: { token },
          fields: `<p>${escape(texts.asSomebodyElse)}</p>`,
          send: quietButton(texts.signInToAccept),
        },
      ],
    })
  const signIn = { action: '/login/link/sign-in', hidden: { token }, send: button(texts.signInToAccept) }
  // It vouches for an address: an invitation that went to none is accepted by the person alone.
  const byProvider =
    view.provider && link.email !== null
      ? [{ action: '/login/provider/accept', hidden: { token }, fields: '', send: button(texts.byProvider(view.provider.name)) }]
      : []
  if (link.isSomebodys)
    return show({ ...shown, lead: texts.mustSignIn(link.email ?? ''), forms: [{ ...signIn, fields: '' }, ...byProvider] })
  const nameInput = `type="text" autocomplete="username" autocapitalize="none" spellcheck="false" minlength="2" maxlength="100" value="${escape(name)}"${link.email === null ? ' required' : ''}`
  return show({
    ...shown,
    lead: link.email === null ? texts.inviteLead : `${texts.inviteLead} ${texts.emailToo(link.email)}`,
    forms: [
      ...byProvider,
      {
        action: '/login/link/password',
        hidden: { token },
        fields: field('username', texts.logInName, nameInput, texts.logInNameHelp) + newPassword(frame),
        send: button(texts.accept),
      },
      { ...signIn, fields: `<h2>${escape(texts.haveOne)}</h2>`, send: quietButton(texts.signInToAccept) },
    ],
  })
}

function linkPage(frame: Frame, view: LinkView): PortalAnswer {
  const { texts, show } = frame
  const { token, link } = view
  const shown = { problem: view.problem, status: view.status ?? 200 }
  switch (link.kind) {
    case 'invitation':
      return invitationPage(frame, view, link)
    case 'reset':
      return show({
        ...shown,
        title: texts.resetTitle,
        lead: texts.resetLead,
        forms: [{ action: '/login/link/password', hidden: { token }, fields: newPassword(frame), send: button(texts.setPassword) }],
      })
    case 'emailChange':
      return show({
        ...shown,
        title: texts.emailTitle,
        lead: texts.emailLead(link.email),
        forms: [{ action: '/login/link/email', hidden: { token }, fields: '', send: button(texts.confirm) }],
      })
    case 'factorReset':
      return show({
        ...shown,
        title: texts.keepFactorsTitle,
        lead: texts.keepFactorsLead,
        forms: [{ action: '/login/link/email', hidden: { token }, fields: '', send: button(texts.keepFactors) }],
      })
    case 'emailUndo':
      return show({
        ...shown,
        title: texts.undoTitle,
        lead: texts.undoLead,
        forms: [{ action: '/login/link/email', hidden: { token }, fields: '', send: button(texts.undo) }],
      })
  }
}

/** What is wrong with what was typed, in words of the page. */
function issueText(error: AppError, texts: SignInTexts, password: string): string {
  const issue = error.issues?.[0]
  if (issue?.path === '$.userName') return texts.badName
  const { length } = Array.from(password.normalize('NFKC'))
  if (length < 12 || length > 256) return texts.tooShort(length)
  return issue?.message.includes('log-in name') ? texts.isName : texts.isCommon
}

export interface LinkRoutes {
  readonly routes: readonly PortalRoute[]
  /** The page of a link, for whoever has just signed in for it. */
  readonly open: (visit: Visit, token: string, cookie: string) => Promise<PortalAnswer>
}

export function createLinkRoutes(parts: Omit<SignInParts, 'openLink' | 'askToLink'>): LinkRoutes {
  const { call, services } = parts

  async function show(visit: Visit, token: string, credential: Credential, view: Partial<LinkView> = {}): Promise<PortalAnswer> {
    const frame = frameOf(visit, parts)
    const link = await describeLink(services, token, visit.ip)
    if (!link) return openPage(frame, frame.texts.linkOver, 410)
    const provider = link.kind === 'invitation' ? await providerOf(services, { tenantId: link.tenantId }, visit.ip) : undefined
    return linkPage(frame, { token, link, provider, who: await nameOf(parts, visit, credential), ...view })
  }

  function taking(
    path: string,
    take: (visit: Visit, token: string, fields: URLSearchParams, frame: Frame) => Promise<PortalAnswer>,
  ): PortalRoute {
    return formRoute(parts, path, {
      refusedText: ({ texts }) => texts.linkOver,
      take: ({ visit, fields, frame }) => take(visit, tokenIn(fields.get('token') ?? ''), fields, frame),
      // A link that is over is gone; nobody is asked to sign in for it.
      again: ({ frame }, { status, problem }) => openPage(frame, problem, status === 401 ? 410 : status),
    })
  }

  const routes: PortalRoute[] = [
    { method: 'GET', path: '/login/link', answer: (visit) => Promise.resolve(openPage(frameOf(visit, parts))) },
    taking('/login/link', (visit, token) => show(visit, token, cookieCredential(visit))),
    taking('/login/link/sign-in', (_visit, token, _fields, frame) => Promise.resolve(loginPage(frame, { ...noAim, link: token }, {}))),
    taking('/login/link/password', async (visit, token, fields, frame) => {
      const [password, userName] = [fields.get('password') ?? '', (fields.get('username') ?? '').trim()]
      const again = (problem: string, status: number) =>
        show(visit, token, { kind: 'none' }, { problem, status, name: userName === '' ? undefined : userName.slice(0, 100) })
      try {
        const taken = (await call(visit, 'complete_password_reset', { token, password, ...(userName === '' ? {} : { userName }) })) as {
          readonly logInName: string | null
          readonly emails: readonly string[]
        }
        const notice = fields.has('username') ? frame.texts.acceptedSignIn : frame.texts.passwordSet
        return loginPage(frame, noAim, { notice, name: taken.logInName ?? taken.emails[0] ?? '' })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error.code === 'invalid_input') return await again(issueText(error, frame.texts, password), 400)
        if (error.code === 'already_exists') return await again(frame.texts.nameTaken, 409)
        // The address became somebody's since the page was shown.
        if (error.code === 'conflict') return await again(frame.texts.wrong, 409)
        throw error
      }
    }),
    taking('/login/link/accept', async (visit, token, _fields, frame) => {
      const { texts, show: showPage } = frame
      const link = await describeLink(services, token, visit.ip)
      const credential = cookieCredential(visit)
      try {
        await call(visit, 'complete_password_reset', { token }, credential)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        // Whoever finds a session open must not take an invitation with it.
        if (error.code === 'fresh_proof_required' || (error.code === 'unauthenticated' && link))
          return loginPage(frame, { ...noAim, link: token }, {})
        if (error.code === 'already_exists') return await show(visit, token, credential, { problem: texts.memberAlready, status: 409 })
        throw error
      }
      const { tenantId, subDomain, tenantName } = link?.kind === 'invitation' ? link : { tenantId: 0, subDomain: '', tenantName: '' }
      return showPage({
        title: texts.accepted(tenantName),
        forms: [
          {
            action: '/login/tenant',
            hidden: { tenantId: String(tenantId), tenant: subDomain },
            fields: '',
            send: button(texts.goOn),
          },
        ],
      })
    }),
    taking('/login/link/email', async (visit, token, _fields, frame) => {
      const link = await describeLink(services, token, visit.ip)
      try {
        await call(visit, 'confirm_email_change', { token })
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'conflict') throw error
        return openPage(frame, frame.texts.emailTaken, 409)
      }
      const { texts } = frame
      const notices = { emailUndo: texts.undone, factorReset: texts.factorsKept } as const
      const notice = link?.kind === 'emailUndo' || link?.kind === 'factorReset' ? notices[link.kind] : texts.emailDone
      return loginPage(frame, noAim, { notice })
    }),
  ]
  return {
    routes,
    open: (visit, token, cookie) => show(visit, token, { kind: 'portal', by: 'cookie', value: cookie, isBackground: false }),
  }
}
