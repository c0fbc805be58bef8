/** Enrolling a second factor where a tenant lets nobody in without, and the recovery codes that come with the first one. */
import { encode } from 'uqr'

import { escape } from '#server/pages/page.ts'

import type { PortalAnswer } from '../portal.types.ts'
import { type Aim, button, field, type FormView, type Frame, quietButton } from './frame.ts'

export const enrolWays = ['totp', 'passkey', 'email', 'sms'] as const
export type EnrolWay = (typeof enrolWays)[number]

/** Who enrols, for which tenant, and in which of its ways. */
export interface Enrolling {
  readonly signInToken: string
  readonly tenantId: number
  /** Those that the tenant counts. */
  readonly ways: readonly EnrolWay[]
  readonly way: EnrolWay
}

/** What was begun: none where an address is still to be told. */
export type Begun =
  | { readonly factorId: number; readonly secret: string; readonly otpauthUri: string }
  | { readonly factorId: number; readonly options: unknown }
  | { readonly factorId: number; readonly sentTo: string }
  | undefined

/** As a picture that the app's camera reads, dark on light whatever the page is. */
function qrHtml(uri: string, label: string): string {
  const { size, data } = encode(uri, { ecc: 'M', border: 2 })
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return `<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${escape(label)}" shape-rendering="crispEdges"><path d="${modules.join('')}" fill="#000"/></svg>`
}

const digits = 'type="text" inputmode="numeric" pattern="[0-9]{6}" autocomplete="one-time-code" maxlength="6" required autofocus'

function step(
  { texts }: Frame,
  { way }: Enrolling,
  hidden: Readonly<Record<string, string>>,
  begun: Begun,
): { form: FormView; before: string } {
  if (!begun) {
    const [label, input] =
      way === 'email' ? [texts.enrolEmail, 'type="email" autocomplete="email"'] : [texts.enrolPhone, 'type="tel" autocomplete="tel"']
    const address = field('value', label, `${input} maxlength="254" required autofocus`)
    return {
      before: '',
      form: { action: '/login/enrol/begin', hidden: { ...hidden, way }, fields: address, send: button(texts.enrolSend) },
    }
  }
  const own = { ...hidden, way, factorId: String(begun.factorId) }
  if ('options' in begun) {
    const data = { options: JSON.stringify(begun.options), kind: 'new' }
    const send = button(texts.enrolPasskey, ' type="button"')
    const form = { action: '/login/enrol', id: 'passkey', data, hidden: { ...own, credential: '' }, fields: '', send }
    return { before: `<p>${escape(texts.enrolPasskeyLead)}</p><noscript><p>${escape(texts.passkeyNeedsScript)}</p></noscript>`, form }
  }
  if ('sentTo' in begun) {
    const fields = field('code', texts.code, digits, texts.codeSentTo(begun.sentTo))
    return { before: '', form: { action: '/login/enrol', hidden: { ...own, sentTo: begun.sentTo }, fields, send: button(texts.verify) } }
  }
  const { secret, otpauthUri } = begun
  const grouped = secret.replaceAll(/(.{4})(?=.)/g, '$1 ')
  return {
    before: `<p>${escape(texts.enrolApp)}</p>${qrHtml(otpauthUri, texts.enrolQr)}<p>${escape(texts.enrolSecret)}: <span class="secret">${escape(grouped)}</span></p>
<p><a href="${escape(otpauthUri)}">${escape(texts.enrolOpen)}</a></p>`,
    form: {
      action: '/login/enrol',
      hidden: { ...own, secret, otpauthUri },
      fields: field('code', texts.enrolCode, digits),
      send: button(texts.verify),
    },
  }
}

export function enrolPage(frame: Frame, aim: Aim, enrolling: Enrolling, begun: Begun, problem?: string): PortalAnswer {
  const { texts, show } = frame
  const { signInToken, tenantId, ways, way } = enrolling
  const hidden = { signInToken, tenantId: String(tenantId), ways: ways.join(',') }
  const { form, before } = step(frame, enrolling, hidden, begun)
  const others = ways.filter((one) => one !== way).map((one) => quietButton(texts.enrolBy[one], ` name="way" value="${one}"`))
  const fields = `<h2>${escape(texts.otherWays)}</h2>`
  return show({
    ...(problem === undefined ? {} : { status: 400, problem }),
    title: texts.enrolTitle,
    lead: texts.enrolLead,
    aim,
    before,
    forms: [form, ...(others.length > 0 ? [{ action: '/login/enrol/begin', hidden, fields, send: others.join('') }] : [])],
    ...(begun && 'options' in begun ? { scripts: ['passkey.js'] } : {}),
  })
}

/** Shown this once. */
export function recoveryPage(
  { texts, show }: Frame,
  aim: Aim,
  { signInToken, tenantId, codes }: { readonly signInToken: string; readonly tenantId: number; readonly codes: readonly string[] },
): PortalAnswer {
  return show({
    title: texts.recoveryTitle,
    lead: texts.recoveryLead,
    aim,
    before: `<ol class="codes secret">${codes.map((code) => `<li>${escape(code.replaceAll(/(.{4})(?=.)/g, '$1 '))}</li>`).join('')}</ol>`,
    forms: [{ action: '/login/tenant', hidden: { signInToken, tenantId: String(tenantId) }, fields: '', send: button(texts.recoveryKept) }],
  })
}
