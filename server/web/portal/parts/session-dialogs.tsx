/** Signing in again and proving again who one is, over the page that asked: what was typed below stays. */
import { useEffect, useRef, useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf, Refusal } from '../client.ts'
import { type Factor, knowsPasskeys, listFactors, makePasskey, showPasskey } from '../factors.ts'
import { me, type Profile } from '../me.ts'
import { roomAddress, tenant } from '../page.ts'
import { asked } from '../session.ts'
import { texts } from '../texts/index.ts'
import { ActForm, Dialog, Line } from './basics.tsx'

type Settle = (isMet: boolean) => void

/** The session as it is now, asked past the client, which would wait for this very dialog. */
async function whoIsSignedIn(): Promise<Profile | undefined> {
  const response = await fetch(`/t/${tenant}/api/v1/profile`, { method: 'POST' })
  // The body of an answer that is ok is what the document says.
  return response.ok ? ((await response.json()) as Profile) : undefined
}

/** What the page shows is of one person; another one gets a page of their own. */
async function goOn(settle: Settle): Promise<boolean> {
  const now = await whoIsSignedIn()
  if (!now) return false
  const before = me.value?.profile
  if (before && before.userId !== now.userId) location.reload()
  else settle(true)
  return true
}

/**
 * The portal's own sign-in pages, each as the server made it, in a dialog: whatever steps they have, these are the same. A factor that needs a script of those
 * pages is shown in a tab beside this one.
 */
function SignIn({ settle }: { settle: Settle }) {
  const host = useRef<HTMLDivElement>(null)
  const [said, setSaid] = useState('')
  // A page without a tenant in its path is of the tenant that it was opened in, whichever was entered last.
  const here = location.pathname.startsWith('/t/') ? location.pathname : roomAddress()
  const address = `/login?returnTo=${encodeURIComponent(here)}`
  const base = useRef(new URL(address, location.origin))

  async function show(answer: Promise<Response>) {
    try {
      const response = await answer
      base.current = new URL(response.url)
      if (response.ok && !base.current.pathname.startsWith('/login')) {
        if (!(await goOn(settle))) setSaid(texts.notSignedIn)
        return
      }
      const main = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('main')
      // Where they lead is no page of the application, and what was typed on this one is to stay.
      for (const link of main?.querySelectorAll('a') ?? []) Object.assign(link, { target: '_blank', rel: 'noopener' })
      host.current?.replaceChildren(...(main?.childNodes ?? []))
      host.current?.querySelector<HTMLElement>('input:not([type=hidden]), button')?.focus()
      setSaid(main ? '' : texts.noAnswer)
    } catch {
      setSaid(texts.offline)
    }
  }

  useEffect(() => void show(fetch(address, { headers: { accept: 'text/html' } })), [])

  function send(event: SubmitEvent) {
    event.preventDefault()
    const form = event.target
    if (!(form instanceof HTMLFormElement)) return
    const body = new URLSearchParams()
    for (const [name, value] of new FormData(form, event.submitter)) if (typeof value === 'string') body.append(name, value)
    const action = new URL(form.getAttribute('action') ?? '', base.current)
    void show(fetch(action, { method: 'POST', body, headers: { accept: 'text/html' } }))
  }

  /** A passkey is asked of the browser, as the script of those pages does it. */
  async function askForPasskey(event: Event) {
    const button = event.target instanceof Element ? event.target.closest('#passkey button') : null
    const form = button?.closest('form')
    if (!form) return
    event.preventDefault()
    const options: unknown = JSON.parse(form.dataset['options'] ?? '{}')
    const field = form.elements.namedItem('credential')
    try {
      const credential = await (form.dataset['kind'] === 'new' ? makePasskey(options) : showPasskey(options))
      if (field instanceof HTMLInputElement) field.value = JSON.stringify(credential.toJSON())
      form.requestSubmit()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      setSaid(error.problem.detail)
    }
  }

  return (
    <Dialog title={texts.signInAgain} onClose={() => settle(false)}>
      <p>{texts.signInAgainHint}</p>
      <div ref={host} onSubmit={send} onClickCapture={(event) => void askForPasskey(event)} />
      <p role="alert">{said}</p>
      <p class="acts">
        <a class="button" href={address} target="_blank" rel="noopener">
          {texts.signInElsewhere}
        </a>
        <button type="button" onClick={() => void goOn(settle).then((isIn) => setSaid(isIn ? '' : texts.notSignedIn))}>
          {texts.signedInElsewhere}
        </button>
      </p>
    </Dialog>
  )
}

type Shown = { password: string } | { code: string } | { credential: never }

const prove = (body: Shown | { passkey: true } | { factorId: number }) => dataOf(api.POST('/api/v1/auth/prove', { body }))

async function proveByPasskey(): Promise<void> {
  const { options } = await prove({ passkey: true })
  // The document describes what toJSON writes.
  await prove({ credential: (await showPasskey(options)).toJSON() as never })
}

const isSent = ({ channel }: Factor) => channel === 'email' || channel === 'sms'

/** By the password or a code at once; by what else the person has as soon as it is known. */
function Proof({ settle }: { settle: Settle }) {
  const act = useAct()
  const { loaded } = useAnswer(listFactors)
  const [way, setWay] = useState<'password' | 'code'>('password')
  const [sentTo, setSentTo] = useState('')
  const [value, setValue] = useState('')
  const factors = loaded.state === 'there' ? loaded.value : []
  function take(next: typeof way, to = '') {
    act.forget()
    setWay(next)
    setSentTo(to)
    setValue('')
  }
  async function send() {
    await prove(way === 'code' ? { code: value } : { password: value })
    settle(true)
  }
  const byPasskey = () => act.run(proveByPasskey).then((isShown) => (isShown ? settle(true) : undefined))
  const sendCode = ({ factorId }: Factor) => act.run(async () => take('code', (await prove({ factorId })).sentTo))
  return (
    <Dialog title={texts.proveAgain} onClose={() => settle(false)}>
      <p>{texts.proveAgainHint}</p>
      <ActForm act={act} label={texts.goOn} onSend={send} cancel={() => settle(false)}>
        {way === 'code' ? (
          <Line
            key="code"
            label={texts.code}
            hint={sentTo === '' ? texts.codeHint : texts.factors.codeSent(sentTo)}
            value={value}
            onValue={setValue}
            autocomplete="one-time-code"
            required
          />
        ) : (
          <Line
            key="password"
            label={texts.password}
            type="password"
            value={value}
            onValue={setValue}
            autocomplete="current-password"
            required
          />
        )}
      </ActForm>
      <p class="acts">
        <button type="button" class="quiet" onClick={() => take(way === 'code' ? 'password' : 'code')}>
          {way === 'code' ? texts.byPassword : texts.byCode}
        </button>
        {knowsPasskeys && factors.some(({ channel }) => channel === 'passkey') && (
          <button type="button" class="quiet" aria-disabled={act.isBusy} onClick={() => void byPasskey()}>
            {texts.byPasskey}
          </button>
        )}
        {factors.filter(isSent).map((factor) => (
          <button key={factor.factorId} type="button" class="quiet" aria-disabled={act.isBusy} onClick={() => void sendCode(factor)}>
            {texts.sendCodeTo(factor.name)}
          </button>
        ))}
      </p>
    </Dialog>
  )
}

export function SessionDialogs() {
  return (
    <>
      {asked.value.map(({ need, settle }) =>
        need === 'signIn' ? <SignIn key={need} settle={settle} /> : <Proof key={need} settle={settle} />,
      )}
    </>
  )
}
