/** The page on which somebody shows a second factor, by whatever channel they have. */
import { escape } from '#server/pages/page.ts'
import type { SignInStep } from '#tools/auth/sign-in/sign-in.schema.ts'

import type { PortalAnswer } from '../portal.types.ts'
import { type Aim, button, field, type FormView, type Frame, quietButton } from './frame.ts'

export type Channel = NonNullable<SignInStep['channels']>[number]

export interface FactorView {
  readonly signInToken: string
  readonly channels: readonly Channel[]
  /** The one that was chosen: its code was sent, or its options are there. */
  readonly chosen?: Channel
  /** Of a passkey: what the browser is asked, as JSON. */
  readonly options?: unknown
  readonly status?: number
  readonly problem?: string
}

/** As a text in a form, so that the page needs nobody to remember it. */
export const channelText = ({ channel, factorId, hint }: Channel) => JSON.stringify([channel, factorId ?? null, hint ?? ''])

function nameOf({ texts }: Frame, { channel, hint = '' }: Channel): string {
  // A channel that is newer than this page is called by its own name.
  const name = (texts.channel as Readonly<Record<string, ((hint: string) => string) | undefined>>)[channel]
  return name?.(hint) ?? channel
}

const isTyped = ({ channel }: Channel) => channel === 'totp' || channel === 'recovery'

/** Asks for the code of an app or a recovery code at once; any other channel is begun by its button. */
export function factorPage(frame: Frame, aim: Aim, view: FactorView): PortalAnswer {
  const { texts, show } = frame
  const { signInToken, channels, chosen } = view
  const all = JSON.stringify(channels)
  const hidden = { signInToken, channels: all, ...(chosen ? { chosen: channelText(chosen) } : {}) }
  const others = channels.filter((one) => (chosen ? channelText(one) !== channelText(chosen) : !isTyped(one)))
  const hasTyped = channels.some(isTyped)
  const forms: FormView[] = []
  if (view.options !== undefined) forms.push(passkeyForm(frame, hidden, view.options))
  else if (chosen || hasTyped) forms.push(codeForm(frame, hidden, chosen))
  const ways = others.map((one) => quietButton(nameOf(frame, one), ` name="way" value="${escape(channelText(one))}"`))
  if (ways.length > 0)
    forms.push({
      action: '/login/factor',
      hidden: { signInToken, channels: all },
      fields: `<h2>${escape(texts.otherWays)}</h2>`,
      send: ways.join(''),
    })
  return show({
    title: texts.factorTitle,
    lead: view.options === undefined ? texts.factorLead : texts.passkeyLead,
    aim,
    forms,
    status: view.status ?? 200,
    problem: view.problem,
    ...(view.options === undefined
      ? {}
      : { scripts: ['passkey.js'], after: `<noscript><p>${escape(texts.passkeyNeedsScript)}</p></noscript>` }),
  })
}

function codeForm({ texts }: Frame, hidden: Readonly<Record<string, string>>, chosen: Channel | undefined): FormView {
  const isSent = chosen !== undefined && !isTyped(chosen)
  const label = isSent || chosen?.channel === 'recovery' ? texts.code : texts.codeOfApp
  const help = isSent ? texts.codeSentTo(chosen.hint ?? '') : undefined
  const input = 'type="text" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required autofocus'
  return { action: '/login/code', hidden, fields: field('code', label, input, help), send: button(texts.verify) }
}

function passkeyForm({ texts }: Frame, hidden: Readonly<Record<string, string>>, options: unknown): FormView {
  return {
    action: '/login/code',
    id: 'passkey',
    data: { options: JSON.stringify(options) },
    hidden: { ...hidden, credential: '' },
    fields: '',
    send: button(texts.passkeyAgain, ' type="button"'),
  }
}
