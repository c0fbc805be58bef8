/** What went wrong, said to a person. */
import { useState } from 'preact/hooks'

import type { Trouble } from '../client.ts'
import { texts } from '../texts/index.ts'

function sentenceOf({ code, detail }: Trouble): string {
  if (code === 'offline') return texts.offline
  if (code === 'no_answer' && detail === '') return texts.noAnswer
  return detail
}

/** The same once more would be refused once more. */
export const isLasting = ({ code }: Trouble) => code === 'forbidden' || code === 'not_found' || code === 'unknown_entity'

function Again({ again }: { again: () => Promise<unknown> }) {
  const [isBusy, setBusy] = useState(false)
  return (
    <button
      type="button"
      aria-disabled={isBusy}
      onClick={() => {
        if (isBusy) return
        setBusy(true)
        void again().finally(() => setBusy(false))
      }}
    >
      {isBusy ? texts.busy : texts.tryAgain}
    </button>
  )
}

/** Said at once, with what the API said of single fields. `again`: what was asked, where it is asked once more. */
export function TroubleNote({ trouble, again }: { trouble: Trouble | undefined; again?: () => Promise<unknown> }) {
  if (!trouble) return null
  const issues = (trouble.issues ?? []).filter(({ message }) => message !== trouble.detail)
  const isOfRoles = again !== undefined && trouble.code === 'forbidden'
  return (
    <div class="note bad" role="alert">
      {isOfRoles && <p>{texts.notAllowed}</p>}
      <p class={isOfRoles ? 'muted' : undefined}>{sentenceOf(trouble)}</p>
      {issues.length > 0 && (
        <ul>
          {issues.map(({ message, suggestion }) => (
            <li>{suggestion === undefined ? message : `${message} ${texts.perhaps(suggestion)}`}</li>
          ))}
        </ul>
      )}
      {trouble.requestId !== undefined && trouble.code === 'internal' && <p class="muted">{texts.requestId(trouble.requestId)}</p>}
      {again && !isLasting(trouble) && <Again again={again} />}
    </div>
  )
}
