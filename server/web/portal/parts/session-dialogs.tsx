/** Signing in again and proving again who one is, over the page that asked: what was typed below stays. */
import { useEffect, useRef, useState } from 'preact/hooks'

import { useAct } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { me, type Profile } from '../me.ts'
import { tenant } from '../page.ts'
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
  const address = `/login?returnTo=${encodeURIComponent(location.pathname)}`
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
  async function showPasskey(event: Event) {
    const button = event.target instanceof Element ? event.target.closest('#passkey button') : null
    const form = button?.closest('form')
    if (!form) return
    event.preventDefault()
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset['options'] ?? '{}'))
    const credential = await navigator.credentials.get({ publicKey }).catch(() => null)
    const field = form.elements.namedItem('credential')
    if (!(credential instanceof PublicKeyCredential) || !(field instanceof HTMLInputElement)) return
    field.value = JSON.stringify(credential.toJSON())
    form.requestSubmit()
  }

  return (
    <Dialog title={texts.signInAgain} onClose={() => settle(false)}>
      <p>{texts.signInAgainHint}</p>
      <div ref={host} onSubmit={send} onClickCapture={(event) => void showPasskey(event)} />
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

function Proof({ settle }: { settle: Settle }) {
  const act = useAct()
  const [byCode, setByCode] = useState(false)
  const [value, setValue] = useState('')
  async function prove() {
    await dataOf(api.POST('/api/v1/auth/prove', { body: byCode ? { code: value } : { password: value } }))
    settle(true)
  }
  return (
    <Dialog title={texts.proveAgain} onClose={() => settle(false)}>
      <p>{texts.proveAgainHint}</p>
      <ActForm act={act} label={texts.goOn} onSend={prove} cancel={() => settle(false)}>
        {byCode ? (
          <Line
            key="code"
            label={texts.code}
            hint={texts.codeHint}
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
        <p>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              setByCode(!byCode)
              setValue('')
            }}
          >
            {byCode ? texts.byPassword : texts.byCode}
          </button>
        </p>
      </ActForm>
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
