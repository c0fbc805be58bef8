/** What an answer shows: a place held for it, itself, or why it is not there. */
import type { ComponentChildren } from 'preact'

import type { Loaded } from '../answers.ts'
import type { RoleName } from '../me.ts'
import { roomAddress } from '../page.ts'
import { texts } from '../texts/index.ts'
import { Page } from './basics.tsx'
import { isLasting, TroubleNote } from './trouble.tsx'

interface Facts<T> {
  readonly of: Loaded<T>
  readonly reload: () => Promise<unknown>
  readonly children: (value: T) => ComponentChildren
}

function Waiting() {
  return (
    <div class="waiting" aria-busy="true">
      <span class="hidden" role="status">
        {texts.loading}
      </span>
    </div>
  )
}

/** A part of a page. */
export function Shown<T>({ of, reload, children }: Facts<T>) {
  if (of.state === 'failed') return <TroubleNote trouble={of.trouble} again={reload} />
  return of.state === 'there' ? <>{children(of.value)}</> : <Waiting />
}

const ToStart = () => (
  <p>
    <a href={roomAddress()}>{texts.home}</a>
  </p>
)

/** A page that is made of its answer: without it, it is a page all the same, that says why. */
export function ShownPage<T>({ of, reload, children }: Facts<T>) {
  if (of.state === 'there') return <>{children(of.value)}</>
  if (of.state === 'waiting') {
    return (
      <main id="main" class="room" tabIndex={-1}>
        <Waiting />
      </main>
    )
  }
  const { trouble } = of
  const title = trouble.code === 'forbidden' ? texts.notYours : isLasting(trouble) ? texts.notFound : texts.failed
  return (
    <Page title={title}>
      <TroubleNote trouble={trouble} again={reload} />
      <ToStart />
    </Page>
  )
}

/** A room that the person's roles do not open. */
export function Lacks({ roles }: { roles: readonly RoleName[] }) {
  return (
    <Page title={texts.notYours}>
      <p>{texts.lacks(roles.map((role) => texts.roles[role].name))}</p>
      <ToStart />
    </Page>
  )
}
