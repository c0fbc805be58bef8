/** The small parts that all rooms are made of. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

import type { Act } from '../answers.ts'
import { texts } from '../texts/index.ts'
import { dateTime, fromNow } from '../times.ts'
import { TroubleNote } from './trouble.tsx'

let isFirst = true

/** A page: its title in the window, and the reader's place at its beginning once it was changed. */
export function Page({ title, lead, wide, children }: { title: string; lead?: string; wide?: boolean; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} – Fieldloop`
    // Whoever opened the address begins at the top; whoever followed a link hears where it led.
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [title])
  return (
    <main id="main" class={wide ? 'room wide' : 'room'} tabIndex={-1}>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {lead && <p class="lead">{lead}</p>}
      {children}
    </main>
  )
}

export function Card({ title, children, actions }: { title: string; children: ComponentChildren; actions?: ComponentChildren }) {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id}>
      <div class="head">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

interface InputFacts {
  readonly type?: 'text' | 'password' | 'email' | 'search' | 'date' | 'time' | 'number'
  readonly required?: boolean
  readonly disabled?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly min?: string
  readonly step?: string
  readonly list?: string
  readonly placeholder?: string
  readonly inputMode?: 'numeric'
  readonly autocomplete?: 'off' | 'name' | 'email' | 'username' | 'current-password' | 'new-password' | 'one-time-code'
}

/** A line to type into. */
export function Line({
  label,
  hint,
  value,
  onValue,
  ...facts
}: { label: string; hint?: string | undefined; value: string; onValue: (value: string) => void } & InputFacts) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      <input
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
        {...(facts as object)}
      />
    </div>
  )
}

export interface Option {
  readonly value: string
  readonly label: string
}

export function Choice({
  label,
  hint,
  value,
  options,
  onValue,
  required,
}: {
  label: string
  hint?: string
  value: string
  options: readonly Option[]
  onValue: (value: string) => void
  required?: boolean
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      <select
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        required={required}
        value={value}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option value={option.value}>{option.label}</option>
        ))}
      </select>
    </div>
  )
}

/** A form that sends once at a time, and says beside its button what came of it. */
export function ActForm({
  act,
  label,
  onSend,
  done,
  children,
  cancel,
}: {
  act: Act
  label: string
  onSend: () => Promise<unknown>
  done?: string | undefined
  children: ComponentChildren
  cancel?: (() => void) | undefined
}) {
  const [isDone, setDone] = useState(false)
  return (
    <form
      onInput={() => setDone(false)}
      onSubmit={(event) => {
        event.preventDefault()
        void act.run(onSend).then(setDone)
      }}
    >
      {children}
      <TroubleNote trouble={act.trouble} />
      <p class="acts">
        <button class="main" aria-disabled={act.isBusy}>
          {act.isBusy ? texts.busy : label}
        </button>
        {cancel && (
          <button type="button" onClick={cancel}>
            {texts.cancel}
          </button>
        )}
        <span class="done" role="status">
          {isDone && done ? done : ''}
        </span>
      </p>
    </form>
  )
}

/** A dialog over the page. What is behind it waits; Escape and the button close it. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div class="head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet" aria-label={texts.close} onClick={onClose}>
          ✕
        </button>
      </div>
      {children}
    </dialog>
  )
}

/** A button that copies, and says so. */
export function Copy({ text, label = texts.copy }: { text: string; label?: string }) {
  const [said, setSaid] = useState('')
  async function copy() {
    // Where the address is not secure there is no clipboard at all.
    const isCopied = await Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => true,
        () => false,
      )
    setSaid(isCopied ? texts.copied : texts.notCopied)
  }
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      <span class="done" role="status">
        {said}
      </span>
    </>
  )
}

/** A secret that is shown this once. */
export function ShownOnce({ label, secret, hint }: { label: string; secret: string; hint: string }) {
  const id = useId()
  return (
    <div class="note good">
      <p id={id}>
        <strong>{label}</strong>
      </p>
      <p class="muted">{hint}</p>
      <pre class="secret" tabIndex={0} role="group" aria-labelledby={id}>
        <code>{secret}</code>
      </pre>
      <p class="acts">
        <Copy text={secret} />
      </p>
    </div>
  )
}

/** A moment: how long ago, and on pointing or in print the time itself. */
export function Moment({ at, none = '–' }: { at: string | null | undefined; none?: string }) {
  if (!at) return <span class="muted">{none}</span>
  return (
    <time dateTime={at} title={dateTime(at)}>
      {fromNow(at)}
    </time>
  )
}

/** Asks before something is done that is not easily undone. */
export function Confirm({
  title,
  text,
  label,
  act,
  onDo,
  onClose,
}: {
  title: string
  text: string
  label: string
  act: Act
  onDo: () => Promise<unknown>
  onClose: () => void
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <TroubleNote trouble={act.trouble} />
      <p class="acts">
        <button
          type="button"
          class="main danger"
          aria-disabled={act.isBusy}
          onClick={() => void act.run(onDo).then((isDone) => (isDone ? onClose() : undefined))}
        >
          {label}
        </button>
        <button type="button" onClick={onClose}>
          {texts.cancel}
        </button>
      </p>
    </Dialog>
  )
}
