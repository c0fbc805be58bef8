import { useState } from 'preact/hooks'

import { useAct } from '../answers.ts'
import { api, dataOf, once } from '../client.ts'
import type { Profile } from '../me.ts'
import { ActForm, Card, Choice, Line } from '../parts/basics.tsx'
import { texts } from '../texts/index.ts'

const words = texts.profile

/** What signs the person in. A new address counts once the link that is mailed to it was opened. */
export function EmailsCard({ profile }: { profile: Profile }) {
  const act = useAct()
  const [email, setEmail] = useState('')
  const [replaces, setReplaces] = useState('')
  const [sentTo, setSentTo] = useState('')
  async function send() {
    const body = replaces === '' ? { email } : { email, replaces }
    const sent = await dataOf(api.POST('/api/v1/profile/email', { body, headers: once() }))
    setSentTo(sent.sentTo)
    setEmail('')
  }
  return (
    <Card title={words.signIn}>
      <dl class="facts">
        <dt>{words.logInName}</dt>
        <dd>{profile.logInName ?? texts.none}</dd>
        <dt>{words.emails}</dt>
        <dd>
          {profile.emails.length === 0 ? (
            words.noEmails
          ) : (
            <ul class="plain">
              {profile.emails.map((one) => (
                <li>{one}</li>
              ))}
            </ul>
          )}
        </dd>
      </dl>
      <h3>{words.addEmail}</h3>
      <ActForm act={act} label={words.sendLink} onSend={send} done={words.linkSent(sentTo)}>
        <Line
          label={words.newEmail}
          hint={words.newEmailHint}
          type="email"
          value={email}
          onValue={setEmail}
          maxLength={254}
          autocomplete="email"
          required
        />
        {profile.emails.length > 0 && (
          <Choice
            label={words.replaces}
            value={replaces}
            onValue={setReplaces}
            options={[{ value: '', label: words.replacesNone }, ...profile.emails.map((one) => ({ value: one, label: one }))]}
          />
        )}
      </ActForm>
    </Card>
  )
}
