/** The page on which a person lets an application in: who it is, where it leads, and what it may do. It works without a script. */
import type { IncomingMessage } from 'node:http'

import type { Consent } from '#platform/consents.ts'
import { rolesByHand } from '#platform/grants.ts'
import { roleBits, rolesOf } from '#platform/roles.ts'
import { chooseLanguage } from '#server/pages/languages.rules.ts'
import { escape, page } from '#server/pages/page.ts'

import type { PortalAnswer } from '../portal.types.ts'
import { button, field, type Frame, hiddenInputs, quietButton, type SignInPage } from '../sign-in/frame.ts'
import { consentTexts } from './texts.ts'

export const workRoles = roleBits.DataView | roleBits.DataEdit | roleBits.FileEdit

export type Access = 'read' | 'work' | 'own'

export interface ConsentView extends Pick<SignInPage, 'status' | 'problem'> {
  readonly consent: Consent
  readonly tenant: { readonly name: string; readonly subDomain: string }
  readonly account: string
  /** Whether there is another tenant to choose. */
  readonly hasOthers: boolean
  readonly givable: number
  readonly ticked: number
  readonly access: Access
  /** Whether the proof is too old for an administrator's role. */
  readonly needsProof: boolean
  /** Whether it may be shown by a passkey. */
  readonly hasPasskey: boolean
}

/** Of the three ways to choose the one that says what is ticked. */
export function accessOf(ticked: number, givable: number): Access {
  if (ticked === roleBits.DataView) return 'read'
  return ticked !== 0 && ticked === (workRoles & givable) ? 'work' : 'own'
}

export const consentPath = (uid: string) => `/oauth/consent/${uid}`

/** With the permission to lead where the application is: browsers hold the redirect behind a form to what its page may send to. */
function leadingTo(answer: PortalAnswer, source: string): PortalAnswer {
  const policy = String(answer.headers['content-security-policy'])
  return {
    ...answer,
    headers: { ...answer.headers, 'content-security-policy': policy.replace("form-action 'self'", `form-action 'self' ${source}`) },
  }
}

function row(name: string, value: string): string {
  return `<dt>${escape(name)}</dt><dd><bdi>${escape(value)}</bdi></dd>`
}

export function consentPage({ language, show }: Frame, view: ConsentView): PortalAnswer {
  const texts = consentTexts(language)
  const { consent, tenant, givable, ticked, access, needsProof } = view
  const { client, uid } = consent
  const here = encodeURIComponent(consentPath(uid))
  const facts = [
    row(texts.application, client.name),
    row(texts.knownAt, client.idHost ?? texts.registered),
    row(texts.backTo, client.redirectHost),
    row(texts.tenant, tenant.name),
    row(texts.account, view.account),
  ].join('')
  const warning = client.isLoopback ? texts.ownMachine : client.redirectHost.endsWith(':') ? texts.ownDevice : undefined
  const choice = (value: Access, label: string, help?: string) =>
    `<p class="choice"><input type="radio" name="access" id="access-${value}" value="${value}"${access === value ? ' checked' : ''}${help === undefined ? '' : ` aria-describedby="access-${value}-help"`}><label for="access-${value}">${escape(label)}</label>${help === undefined ? '' : ` <span class="help" id="access-${value}-help">${escape(help)}</span>`}</p>`
  const boxes = rolesOf(givable).flatMap((role) => {
    if (role === 'GlobalAdmin') return []
    const isByHand = (roleBits[role] & rolesByHand) !== 0
    const mark = `id="role-${role}" value="${role}"${(roleBits[role] & ticked) === 0 ? '' : ' checked'}${isByHand ? ' aria-describedby="by-hand"' : ''}`
    return [
      `<p class="choice"><input type="checkbox" name="role" ${mark}><label for="role-${role}">${escape(texts.roles[role])}</label></p>`,
    ]
  })
  const hasByHand = (givable & rolesByHand) !== 0
  const fields = `<fieldset><legend>${escape(texts.access)}</legend>
${(givable & roleBits.DataView) === 0 ? '' : choice('read', texts.read, texts.readHelp)}${(givable & workRoles & ~roleBits.DataView) === 0 ? '' : choice('work', texts.work, texts.workHelp)}${choice('own', texts.own)}
<div class="boxes">${boxes.join('')}${hasByHand ? `<p class="help" id="by-hand">${escape(texts.byHand)}</p>` : ''}</div></fieldset>
${needsProof ? `<fieldset><legend>${escape(texts.proof)}</legend>${field('password', texts.password, 'type="password" autocomplete="current-password" maxlength="1000"')}${field('code', texts.orCode, 'type="text" inputmode="text" autocomplete="one-time-code" maxlength="40"')}</fieldset>` : ''}`
  const decide = (value: string, text: string, isMain: boolean) =>
    `<button${isMain ? ' class="main"' : ''} name="decision" value="${value}">${escape(text)}</button>`
  // Behind the first button, which is the one that the enter key presses.
  const byPasskey = givable !== 0 && needsProof && view.hasPasskey ? decide('passkey', texts.allowByPasskey, false) : ''
  const answer = show({
    ...(view.status === undefined ? {} : { status: view.status }),
    title: texts.title(client.name),
    lead: texts.lead(client.name),
    problem: view.problem,
    before: `${warning === undefined ? '' : `<div class="note bad"><p>${escape(warning)}</p></div>`}<dl class="facts">${facts}</dl>`,
    forms: [
      {
        action: consentPath(uid),
        hidden: { tenant: tenant.subDomain },
        fields: givable === 0 ? `<p>${escape(texts.noRoles)}</p>` : fields,
        send: `${givable === 0 ? '' : decide('allow', texts.allow, true)}${byPasskey}${decide('refuse', texts.refuse, false)}`,
      },
    ],
    after: `<p><a href="/login?returnTo=${here}">${escape(texts.otherAccount)}</a>${view.hasOthers ? ` · <a href="${consentPath(uid)}">${escape(texts.otherTenant)}</a>` : ''}</p>`,
  })
  return leadingTo(answer, consent.redirectSource)
}

/** The browser is asked for a passkey, and what was chosen goes along. */
export function passkeyPage(
  { language, texts, show }: Frame,
  { consent, tenant, access, ticked }: Pick<ConsentView, 'consent' | 'tenant' | 'access' | 'ticked'>,
  options: unknown,
): PortalAnswer {
  const action = consentPath(consent.uid)
  const hidden = { tenant: tenant.subDomain, access }
  const roles = rolesOf(ticked)
    .map((role) => hiddenInputs({ role }))
    .join('')
  const answer = show({
    title: consentTexts(language).title(consent.client.name),
    lead: texts.passkeyLead,
    forms: [
      {
        action,
        id: 'passkey',
        data: { options: JSON.stringify(options) },
        hidden: { ...hidden, decision: 'allow', credential: '' },
        fields: roles,
        send: button(texts.passkeyAgain, ' type="button"'),
      },
      { action, hidden, fields: roles, send: quietButton(texts.otherWays) },
    ],
    after: `<noscript><p>${escape(texts.passkeyNeedsScript)}</p></noscript>`,
    scripts: ['passkey.js'],
  })
  return leadingTo(answer, consent.redirectSource)
}

/** The tenants to choose from, each of which the browser enters, with whatever that tenant asks of those who sign in. */
export function tenantPage(
  { language, show }: Frame,
  { uid, client }: Consent,
  tenants: readonly { readonly tenantId: number; readonly name: string; readonly subDomain: string }[],
): PortalAnswer {
  const texts = consentTexts(language)
  return show({
    title: texts.whichTenant,
    lead: texts.whichTenantLead(client.name),
    forms: tenants.map(({ tenantId, name, subDomain }) => {
      const tenant = subDomain.toLowerCase()
      const returnTo = `${consentPath(uid)}?tenant=${encodeURIComponent(tenant)}`
      return {
        action: '/login/tenant',
        hidden: { tenantId: String(tenantId), tenant, returnTo },
        fields: '',
        send: `<button class="main">${escape(name)}</button>`,
      }
    }),
  })
}

/** What nobody can answer, with the way back to the application. */
export function refusedPage({ show }: Frame, { uid, client, redirectSource }: Consent, problem: string, refuse: string): PortalAnswer {
  const form = {
    action: consentPath(uid),
    fields: '',
    send: `<button class="main" name="decision" value="refuse">${escape(refuse)}</button>`,
  }
  return leadingTo(show({ status: 403, title: client.name, problem, forms: [form] }), redirectSource)
}

export function overPage({ language, show }: Frame): PortalAnswer {
  const texts = consentTexts(language)
  return show({ status: 400, title: texts.overTitle, problem: texts.over })
}

/** Where an authorization fails and nobody may be sent back. `reason` is for the application's maker. */
export function consentErrorPage(
  { headers }: IncomingMessage,
  reason: string,
): { headers: Readonly<Record<string, string>>; body: string } {
  const language = chooseLanguage(undefined, headers['accept-language'] ?? '')
  const texts = consentTexts(language)
  const main = `<div class="card narrow"><h1>${escape(texts.failed)}</h1><p>${escape(texts.failedLead)}</p><p lang="en"><code>${escape(reason.slice(0, 500))}</code></p></div>`
  const made = page({ language, title: texts.failed, main, styles: ['form.css', 'sign-in.css'] })
  return { headers: made.headers, body: String(made.body) }
}
