/** Enrolling an authenticator app where a tenant lets nobody in without, and the recovery codes that come with the first factor. */
import { encode } from 'uqr'

import { escape } from '#server/pages/page.ts'

import type { PortalAnswer } from '../portal.types.ts'
import { type Aim, button, field, type Frame } from './frame.ts'

export interface EnrolView {
  readonly signInToken: string
  readonly tenantId: number
  readonly factorId: number
  readonly secret: string
  readonly otpauthUri: string
  readonly problem?: string
}

/** As a picture that the app's camera reads, dark on light whatever the page is. */
function qrHtml(uri: string, label: string): string {
  const { size, data } = encode(uri, { ecc: 'M', border: 2 })
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return `<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${escape(label)}" shape-rendering="crispEdges"><path d="${modules.join('')}" fill="#000"/></svg>`
}

export function enrolPage({ texts, show }: Frame, aim: Aim, view: EnrolView): PortalAnswer {
  const { signInToken, tenantId, factorId, secret, otpauthUri, problem } = view
  const grouped = secret.replaceAll(/(.{4})(?=.)/g, '$1 ')
  return show({
    ...(problem === undefined ? {} : { status: 400, problem }),
    title: texts.enrolTitle,
    lead: texts.enrolLead,
    aim,
    before: `${qrHtml(otpauthUri, texts.enrolQr)}<p>${escape(texts.enrolSecret)}: <span class="secret">${escape(grouped)}</span></p>
<p><a href="${escape(otpauthUri)}">${escape(texts.enrolOpen)}</a></p>`,
    forms: [
      {
        action: '/login/enrol',
        hidden: { signInToken, tenantId: String(tenantId), factorId: String(factorId), secret, otpauthUri },
        fields: field(
          'code',
          texts.enrolCode,
          'type="text" inputmode="numeric" pattern="[0-9]{6}" autocomplete="one-time-code" maxlength="6" required autofocus',
        ),
        send: button(texts.verify),
      },
    ],
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
