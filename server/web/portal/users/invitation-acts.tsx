import { useState } from 'preact/hooks'

import { useAct } from '../answers.ts'
import { api, dataOf, once } from '../client.ts'
import { Dialog, ShownOnce } from '../parts/basics.tsx'
import { TroubleNote } from '../parts/trouble.tsx'
import { texts } from '../texts/index.ts'
import { dateTime } from '../times.ts'
import type { User } from './users-page.tsx'

const words = texts.users

/** Resend, cancel, or hand the link over: each newer link voids the older. */
export function InvitationActs({ user }: { user: User }) {
  const act = useAct()
  const [said, setSaid] = useState('')
  const [link, setLink] = useState<{ readonly text: string; readonly until: string }>()
  const params = { path: { tenantUserId: user.tenantUserId } }
  const invite = (asLink: boolean) =>
    dataOf(api.POST('/api/v1/tenants/users/{tenantUserId}/invite', { params, body: asLink ? { asLink } : {}, headers: once() }))

  const acts = [
    {
      label: words.resend,
      work: async () => {
        const { sentTo } = await invite(false)
        setSaid(words.sentTo(sentTo ?? ''))
      },
    },
    {
      label: words.copyLink,
      work: async () => {
        const { link: text = '', expiresAt } = await invite(true)
        setLink({ text, until: expiresAt })
      },
    },
    {
      label: words.cancelInvitation,
      work: async () => {
        await dataOf(api.DELETE('/api/v1/tenants/users/{tenantUserId}/invite', { params }))
        setSaid(words.cancelled)
      },
    },
  ]
  return (
    <>
      {acts.map(({ label, work }) => (
        <button type="button" aria-label={`${label}: ${user.displayName}`} aria-disabled={act.isBusy} onClick={() => void act.run(work)}>
          {label}
        </button>
      ))}
      <span class="done" role="status">
        {said}
      </span>
      <TroubleNote trouble={act.trouble} />
      {link && (
        <Dialog title={words.linkOf(user.displayName)} onClose={() => setLink(undefined)}>
          <ShownOnce label={words.link} hint={words.linkHint(dateTime(link.until))} secret={link.text} />
        </Dialog>
      )}
    </>
  )
}
